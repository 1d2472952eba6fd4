// The API page: Swagger UI over our own OpenAPI document, with the session's CSRF token on what it sends.
const { document: url, csrfToken } = document.body.dataset;

window.SwaggerUIBundle({
  url,
  dom_id: "#api-docs",
  deepLinking: true,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  requestInterceptor: (request) => {
    request.headers["X-CSRFToken"] = csrfToken;
    return request;
  },
});
