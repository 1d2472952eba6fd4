"""Pages of signing in, of settings, agents and tokens."""

from django.urls import path

from pawflow_web.identity import erasing_views, settings_views, views

urlpatterns = [
    path("login", views.sign_in, name="login"),
    path("login/once/<str:secret>", views.sign_in_once, name="login-once"),
    path("logout", views.sign_out, name="logout"),
    path("settings", settings_views.preferences, name="settings"),
    path("settings/look", settings_views.look, name="settings-look"),
    path("settings/agents", settings_views.agents, name="agents"),
    path("settings/agents/<str:name>", settings_views.agent, name="agent"),
    path("settings/agents/<str:name>/erase", erasing_views.agent_erase, name="agent-erase"),
    path("settings/erase", erasing_views.owner_erase, name="owner-erase"),
    path("settings/tokens", views.tokens, name="tokens"),
    path("settings/tokens/<str:ref>/called", views.token_called, name="token-called"),
    path("settings/tokens/<str:ref>/revoke", views.token_revoke, name="token-revoke"),
]
