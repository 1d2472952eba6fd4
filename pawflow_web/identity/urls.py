"""Pages of signing in and of tokens."""

from django.urls import path

from pawflow_web.identity import views

urlpatterns = [
    path("login", views.sign_in, name="login"),
    path("login/once/<str:secret>", views.sign_in_once, name="login-once"),
    path("logout", views.sign_out, name="logout"),
    path("settings/tokens", views.tokens, name="tokens"),
    path("settings/tokens/<str:ref>/revoke", views.token_revoke, name="token-revoke"),
]
