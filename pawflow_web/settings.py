"""Django settings, all derived from :class:`pawflow_web.env.Env`. One file for every kind of process."""

import os
from hashlib import sha256
from typing import Any

from pawflow_web.data_dir import read_key
from pawflow_web.env import CHECKOUT, Env
from pawflow_web.logs import configure_logging

ENV = Env.load()
KEY = read_key(ENV)
# What seals words at rest, the newest first. The installation's own key seals where nobody named another, and always
# opens what it once sealed.
CONTENT_KEYS = (*ENV.content_keys, KEY)

DEBUG = ENV.debug
SECRET_KEY = KEY.hex() or "no key yet: only `up`, `prepare`, `migrate` and `owner` create one"
ALLOWED_HOSTS = list(ENV.allowed_hosts)
ROOT_URLCONF = "pawflow_web.urls"
ASGI_APPLICATION = "pawflow_web.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = True

INSTALLED_APPS = [
    "daphne",
    "pawflow_web.web.admin_app.OwnersAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "channels",
    "channels_postgres",
    "django_q",
    "pawflow_web",
    "pawflow_web.web",
    "pawflow_web.identity",
    "pawflow_web.llm",
    "pawflow_web.jobs",
    "pawflow_web.files",
    "relay",
    "conversations",
    "review",
    "graph",
    "memory",
    "wiki",
]

AUTH_USER_MODEL = "identity.User"
AUTHENTICATION_BACKENDS = ["pawflow_web.identity.backend.PersonBackend"]
LOGIN_URL = "/login"
LOGIN_REDIRECT_URL = "/"

MIDDLEWARE = [
    "pawflow_web.web.middleware.request_id",
    "pawflow_web.web.middleware.api_errors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "pawflow_web.web.middleware.content_security_policy",
    "pawflow_web.web.middleware.no_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "pawflow_web.identity.middleware.preferences",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "pawflow_web.web.time_travel.time_travel",
    "pawflow_web.web.middleware.refusals",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [CHECKOUT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "pawflow_web.web.context.shell",
                "pawflow_web.web.time_travel.then",
            ],
        },
    }
]

# --- database ------------------------------------------------------------------------------------------
# Only the web process pools: a worker forks, and forked children would share the pool's sockets.
_DATABASE = ENV.database()
# Any number lets ``lib.db.execute`` prepare its statements; Django turns that off, and its own are never prepared.
_DATABASE_OPTIONS: dict[str, Any] = {"connect_timeout": 5, "prepare_threshold": 5, **_DATABASE["OPTIONS"]}
# How far a search follows an index of vectors until enough of what it meets passes the filter of its question.
_SESSION = "-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=200"
_SESSION += " -c hnsw.max_scan_tuples=100000 -c hnsw.scan_mem_multiplier=4"
if ENV.process == "web":
    _DATABASE_OPTIONS["pool"] = {"min_size": 2, "max_size": 12, "timeout": 5}
    _SESSION += " -c statement_timeout=30s -c lock_timeout=5s"
_DATABASE_OPTIONS["options"] = f"{_SESSION} {_DATABASE_OPTIONS.get('options', '')}".strip()

DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        **_DATABASE,
        "OPTIONS": _DATABASE_OPTIONS,
        "CONN_MAX_AGE": None if ENV.process == "worker" else 0,
        "CONN_HEALTH_CHECKS": ENV.process == "worker",
        "DISABLE_SERVER_SIDE_CURSORS": True,
    }
}

CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "channels_postgres.core.PostgresChannelLayer",
        "CONFIG": _DATABASE,
    }
}

# Our own rows say what is to be done; the queue only carries "wake up", so that losing it costs seconds.
Q_CLUSTER = {
    "name": "pawflow",
    # A queue for each node: another node's worker must not take what only this one can do, as files on its disk.
    "cluster_name": f"pawflow {sha256(os.fsencode(ENV.node)).hexdigest()[:16]}",
    "orm": "default",
    "workers": 2,
    "timeout": 120,
    "retry": 150,
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,
    "bulk": 1,
    "poll": 0.2,
    "save_limit": 50,
    "scheduler": False,
    "label": "Jobs",
}

# --- people and browsers -------------------------------------------------------------------------------
SESSION_ENGINE = "pawflow_web.web.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "pawflow_web.web.errors.csrf_failure"
_HTTPS = ENV.base_url.startswith("https://")
SESSION_COOKIE_SECURE = _HTTPS
CSRF_COOKIE_SECURE = _HTTPS
CSRF_TRUSTED_ORIGINS = [ENV.base_url] if _HTTPS else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _HTTPS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- static files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = ENV.data_dir / "static"
STATICFILES_DIRS = [CHECKOUT / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "pawflow_web.swagger_files.SwaggerFiles",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if ENV.process in {"web", "prepare"} and not DEBUG
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_USE_FINDERS = DEBUG or ENV.process != "web"

LOGGING_CONFIG = None
configure_logging(debug=DEBUG)
