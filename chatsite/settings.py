"""Settings that never need editing: everything that differs between installations comes from the environment.

STREAMRENDER_DATA  folder of the database, the secret key and the collected static files (default .data)
PUBLIC_URL         where browsers reach the app when it stands behind a proxy, e.g. https://chat.example.org
DATABASE_URL       postgresql://user:password@host:port/name instead of SQLite, for several processes
REDIS_URL          redis://host:port/0: doorbells between processes
DJANGO_DEBUG       1 for Django's debug pages; off by default
MAX_TOKENS         limit of one answer, thinking included (default 16000)
KEEP_EXCHANGES_DAYS  days that raw requests and responses are kept (default 90, 0 for ever)
THINKING           0 to ask models not to think
MODEL_TITLES       1 to let models name new conversations (bin/chat sets it)
STREAMRENDER_IMAGE_HOSTS  hosts whose images load in an answer on a click, e.g. a.example.org,b.example
STREAMRENDER_MEDIAPIPE_MODEL_URL  where browsers get a Gemma model file from (docs/browser-models.md)
"""

import os
import tempfile
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from csp.constants import NONCE, NONE, SELF

from chatsite.datadir import ROOT, data_dir, secret_key

DATA = data_dir()
SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY") or secret_key(DATA)
DEBUG = os.environ.get("DJANGO_DEBUG", "") in {"1", "true", "yes"}

# The one public address, when there is a proxy in front. Its origin is the only one a socket may come from.
PUBLIC_URL = os.environ.get("PUBLIC_URL", "").rstrip("/")
_public = urlsplit(PUBLIC_URL)
PUBLIC_ORIGIN = f"{_public.scheme}://{_public.netloc}" if PUBLIC_URL else ""
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *([_public.hostname] if _public.hostname else [])]
CSRF_TRUSTED_ORIGINS = [PUBLIC_ORIGIN] if PUBLIC_ORIGIN else []

INSTALLED_APPS = [
    "chatsite.accounts",
    "chatsite.chats",
    "chatsite.relay",
    "chatsite.providers",
    "chatsite.tools",
    "channels",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "chatsite.head.HeadMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "chatsite.policy.PolicyMiddleware",
]

ROOT_URLCONF = "chatsite.urls"
ASGI_APPLICATION = "chatsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]

# Write-ahead logging is a property of the file and set once, after migrating (relay/apps.py).
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "db.sqlite3",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": "PRAGMA synchronous=NORMAL;",
        },
        # A real file: the relay reads and writes from several threads, as it does in earnest.
        "TEST": {"NAME": os.path.join(tempfile.gettempdir(), f"streamrender-test-{os.getpid()}.sqlite3")},
    }
}
if DATABASE_URL := os.environ.get("DATABASE_URL", ""):
    _database = urlsplit(DATABASE_URL)
    DATABASES["default"] = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(_database.path.lstrip("/")),
        "USER": unquote(_database.username or ""),
        "PASSWORD": unquote(_database.password or ""),
        "HOST": dict(parse_qsl(_database.query)).get("host") or _database.hostname or "",
        "PORT": str(_database.port or ""),
        "CONN_HEALTH_CHECKS": True,
        # The pool waits twice as long with each attempt to reach a database that is away, and would come back
        # as long after it as it was gone. One that soon gives up begins anew with the next request.
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 12, "timeout": 4, "reconnect_timeout": 2}},
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The channel layer carries hints only, which may be lost; never a token.
CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
if REDIS_URL := os.environ.get("REDIS_URL", ""):
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
    }
# Whether other processes may run turns that this one shows. SQLite can be shared by processes of one host.
SEVERAL_PROCESSES = bool(DATABASE_URL or REDIS_URL or os.environ.get("STREAMRENDER_SEVERAL"))

AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

_secure = _public.scheme == "https"
SESSION_COOKIE_SECURE = _secure
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 90
CSRF_COOKIE_SECURE = _secure
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _secure else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# Plain names of hosts: anything else would be a rule of its own in the policy.
IMAGE_HOSTS = tuple(
    host
    for name in os.environ.get("STREAMRENDER_IMAGE_HOSTS", "").split(",")
    if (host := name.strip().lower()) and all(part.isalnum() or part in "-." for part in host)
)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:", *(f"https://{host}" for host in IMAGE_HOSTS)],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["streamrender", "streamrender-worker", "streamrender-offline"],
    }
}

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
# DATA / "vendor": what `manage.py fetch_mediapipe` fetched.
STATICFILES_DIRS = [folder for folder in [ROOT / "static", DATA / "vendor"] if folder.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "chatsite.staticstore.StaticStore"},
}
SERVESTATIC_ALLOW_ALL_ORIGINS = False

# How long the raw requests and responses are kept; 0 keeps them for ever.
KEEP_EXCHANGES_DAYS = int(os.environ.get("KEEP_EXCHANGES_DAYS", "90"))
# What every request asks for, until a conversation says otherwise.
MAX_TOKENS = int(os.environ.get("MAX_TOKENS", "16000"))
THINKING = os.environ.get("THINKING", "1") in {"1", "true", "yes"}
# A short request after the first answer of a conversation; each user can turn it off.
MODEL_TITLES = os.environ.get("MODEL_TITLES", "0") in {"1", "true", "yes"}
MEDIAPIPE_MODEL_URL = os.environ.get("STREAMRENDER_MEDIAPIPE_MODEL_URL", "")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [ROOT / "chatsite" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"one line": {"()": "chatsite.logs.OneLine"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["one line"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {"chatsite": {"level": os.environ.get("LOG_LEVEL", "INFO")}},
}
