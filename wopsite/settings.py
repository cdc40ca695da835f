"""Django's settings. Everything that differs between installations comes from the environment (see `wopsite.env`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from wopsite import env
from wopsite.claim import served_at
from wopsite.logs import logging_config

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Where things are kept -------------------------------------------------------------------------------------------
WOP_DATA_DIR = env.directory("WOP_DATA_DIR", BASE_DIR / "var")
SECRET_KEY = env.secret_key("WOP_SECRET_KEY", WOP_DATA_DIR / "secret.key")
WOP_TOKEN_KEYS = env.key_ring("WOP_TOKEN_KEYS", WOP_DATA_DIR / "token.key")
DATABASES = {
    "default": env.database(
        "DATABASE_URL",
        WOP_DATA_DIR / "wopsite.sqlite3",
        pool_size=env.integer("WOP_DATABASE_POOL_SIZE", 16, minimum=1, maximum=1000),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = env.broker("CELERY_BROKER_URL", WOP_DATA_DIR / "broker")
# With a broker of files, a pool's processes share one lock: one that is killed while it holds it stops all the others,
# for good and in silence. So there is no pool: if that one process ends, `make run` ends, and whoever watches it knows.
CELERY_WORKER_POOL = "solo" if CELERY_BROKER_URL.startswith("filesystem:") else "prefork"
CELERY_BEAT_SCHEDULE_FILENAME = str(WOP_DATA_DIR / "beat-schedule")

# --- Limits of the host, and the switch of a conformance run ----------------------------------------------------------
WOP_MAX_NODE_EXECUTIONS = env.integer("WOP_MAX_NODE_EXECUTIONS", 1000, minimum=1, maximum=1_000_000)
WOP_INLINE_NODE_EXECUTIONS = env.integer("WOP_INLINE_NODE_EXECUTIONS", 50, minimum=1, maximum=10_000)
WOP_MAX_BODY_BYTES = env.integer("WOP_MAX_BODY_BYTES", 1_048_576, minimum=1024, maximum=104_857_600)
WOP_MAX_PAGE_SIZE = env.integer("WOP_MAX_PAGE_SIZE", 100, minimum=1, maximum=1000)
WOP_CONFORMANCE = env.flag("WOP_CONFORMANCE", default=False)
# A dotted path to the class that knows which accounts elsewhere are connected; without it no run can ask for one.
WOP_CREDENTIAL_AUTHORITY = env.text("WOP_CREDENTIAL_AUTHORITY", "")

# --- What may be called from here: nothing but the public internet, on port 443, unless it is named -------------------
WOP_EGRESS_ALLOW = env.destinations("WOP_EGRESS_ALLOW")
WOP_DELIVERY_THREADS = env.integer("WOP_DELIVERY_THREADS", 32, minimum=8, maximum=256)
WOP_EGRESS_CA_FILE = env.certificates("WOP_EGRESS_CA_FILE")

# --- Mail to approvers: printed, unless a mail server is named --------------------------------------------------------
EMAIL_HOST = env.text("EMAIL_HOST", "")
EMAIL_BACKEND = env.text(
    "EMAIL_BACKEND", f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
)
EMAIL_PORT = env.integer("EMAIL_PORT", 25, minimum=1, maximum=65535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=False)
EMAIL_USE_SSL = env.flag("EMAIL_USE_SSL", default=False)
if EMAIL_USE_TLS and EMAIL_USE_SSL:
    env.refuse("EMAIL_USE_SSL", "and EMAIL_USE_TLS exclude each other: port 465 wants SSL, the others TLS", "0")
# Seconds for one step of the conversation with the server, of which there are thirteen: see approvals.mails.LEASE.
EMAIL_TIMEOUT = env.integer("EMAIL_TIMEOUT", 10, minimum=1, maximum=20)
DEFAULT_FROM_EMAIL = WOP_MAIL_FROM = env.mail_sender("WOP_MAIL_FROM", "wopsite@localhost")
WOP_MAIL_LINK_MINUTES = env.integer("WOP_MAIL_LINK_MINUTES", 1440, minimum=5, maximum=10_080)

# --- The web server ---------------------------------------------------------------------------------------------------
WOP_BIND = env.text("WOP_BIND", "127.0.0.1").strip("[]")
WOP_PORT = env.integer("PORT", 8000, minimum=1, maximum=65535)
# Where `make run` serves this data directory, which another process may know only from there; empty when it does not.
WOP_SERVED_AT = served_at(WOP_DATA_DIR)
WOP_WEB_WORKERS = env.integer("WOP_WEB_WORKERS", 2, minimum=1, maximum=64)
WOP_WEB_THREADS = env.integer("WOP_WEB_THREADS", 16, minimum=1, maximum=256)

# --- The command line: the host it works with instead of this one, and the key for it ---------------------------------
WOP_URL = env.text("WOP_URL", "")
WOP_KEY = env.text("WOP_KEY", "")

# --- The site --------------------------------------------------------------------------------------------------------
DEBUG = env.flag("WOP_DEBUG", default=False)
WOP_PUBLIC_URL = env.origin("WOP_PUBLIC_URL")
ALLOWED_HOSTS = env.words("WOP_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
ROOT_URLCONF = "wopsite.urls"
WSGI_APPLICATION = "wopsite.wsgi.application"
INSTALLED_APPS = [
    "interrupts",
    "approvals",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    # Before staticfiles, so that `runserver` leaves static files to WhiteNoise as every other server does.
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Answers every protocol path itself: no session, cookie or page middleware ever sees one.
    "interrupts.surfaces.rest.middleware.ProtocolMiddleware",
    "approvals.inbox.null_characters.refuse_null_characters",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- Who may do what -------------------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
# No row stands for "nobody in particular": object permissions are held by people and groups only.
ANONYMOUS_USER_NAME = None
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/inbox/"
LOGOUT_REDIRECT_URL = LOGIN_URL

# --- Language, time, static files ------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
# Only languages in which every text exists: a page half in English and half in Django's own translation reads badly.
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they lie: no collectstatic to forget, no stale copies after an upgrade, and ES modules may import
# each other by plain relative names. The price is a short cache time, which for a few small files is fine.
WHITENOISE_USE_FINDERS = True

# --- Security --------------------------------------------------------------------------------------------------------
WOP_BEHIND_HTTPS = env.flag("WOP_BEHIND_HTTPS", default=False)
CSRF_TRUSTED_ORIGINS = env.origins("WOP_TRUSTED_ORIGINS")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
# Not "no-referrer": with it browsers send `Origin: null` with a form, which Django's CSRF protection refuses.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "approvals.inbox.failures.csrf_failure"
if WOP_BEHIND_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
DATA_UPLOAD_MAX_MEMORY_SIZE = WOP_MAX_BODY_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = WOP_MAX_BODY_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000

# --- The machine surface (its own settings: interrupts.surfaces.rest) -------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "wopsite",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "DEFAULT_GENERATOR_CLASS": "interrupts.surfaces.rest.openapi.ProtocolSchemaGenerator",
    "CAMELIZE_NAMES": True,
}

# --- Logging ---------------------------------------------------------------------------------------------------------
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOGGING = logging_config(env.choice("WOP_LOG_LEVEL", "INFO", allowed=LOG_LEVELS))

# --- Last, when every variable has been read: those that nothing knows (the check wop.W007) ---------------------------
WOP_UNKNOWN_VARIABLES = env.unknown("WOP_")
