// What a page does when the server refuses, cannot be reached, or is left with words half typed: it says so once, and
// nothing that stands on it is lost. Every page works without this file.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const dialog = $("#dialog");
const toasts = $("#toasts");

// --- refusals ----------------------------------------------------------------------------------

const path = (detail) => detail.pathInfo.requestPath;
const refusals = (of) => $$(`[data-refusal="${CSS.escape(of)}"]`);

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target !== toasts || detail.swapOverride !== "beforeend") return;
  const earlier = refusals(path(detail));
  // What a page asks for by itself, again and again, is refused once.
  if (earlier.length && !detail.requestConfig.triggeringEvent) detail.shouldSwap = false;
  else earlier.forEach((refusal) => refusal.remove());
  // A dialog makes the rest of the page inert: there it stands at the head of what is open.
  if (!dialog?.open) return;
  detail.target = dialog;
  detail.swapOverride = "afterbegin";
});

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  for (const refusal of $$('[data-refusal=""]')) refusal.dataset.refusal = path(detail);
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const { status } = detail.xhr;
  if (status) $$("[data-unreachable]").forEach((notice) => notice.remove());
  if (status && status < 400) refusals(path(detail)).forEach((refusal) => refusal.remove());
});

// --- nobody answers ----------------------------------------------------------------------------

document.addEventListener("htmx:sendError", () => {
  const open = dialog?.open ? dialog : $("#main");
  if ($("[data-unreachable]", open)) return;
  const notice = $("#unreachable").content.cloneNode(true);
  const hour = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  $("time", notice).textContent = new Date().toLocaleTimeString(document.documentElement.lang, hour);
  open.prepend(notice);
});

// --- drafts ------------------------------------------------------------------------------------

// What a person typed into a field with a draft's name stays in this tab until its form was taken, and is theirs alone.
const draft = (field) => `draft ${document.body.dataset.person} ${field.dataset.draft}`;

document.addEventListener("input", ({ target }) => {
  if (target.matches("[data-draft]")) sessionStorage.setItem(draft(target), target.value);
});

document.addEventListener("htmx:load", ({ detail }) => {
  for (const field of $$("[data-draft]", detail.elt)) field.value ||= sessionStorage.getItem(draft(field)) ?? "";
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr.status >= 300 || detail.requestConfig.verb === "get") return;
  for (const field of $$("[data-draft]", detail.requestConfig.elt)) sessionStorage.removeItem(draft(field));
});

document.addEventListener("submit", ({ target }) => {
  if (target.matches("[data-leaves]")) sessionStorage.clear();
});
