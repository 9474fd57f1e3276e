"""All settings: safe embedded defaults, every deployment choice an environment variable."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF

from headnode.data_folder import default_data, open_data_folder
from headnode.environment import (
    assistant,
    choice,
    database,
    flag,
    integer,
    mail_security,
    number,
    secret_key,
    storage_at,
    time_zone,
    web_address,
    words,
)
from headnode.logs import configuration
from headnode.metrics.folder import open_metrics_folder
from headnode.static_collection import as_named

ROOT = Path(__file__).resolve().parents[2]
DATA = open_data_folder(Path(os.environ.get("HEADNODE_DATA") or default_data(ROOT)).resolve())

DEBUG = WHITENOISE_USE_FINDERS = flag("DEBUG")
SECRET_KEY = secret_key(DATA)
ALLOWED_HOSTS = words("ALLOWED_HOSTS", "localhost 127.0.0.1 [::1]")
SITE_URL = os.environ.get("SITE_URL", "http://localhost:8000").rstrip("/")
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS", SITE_URL)
HTTPS = SITE_URL.startswith("https://")
# Where the web server asks itself once a second, if not at the address that it listens at itself.
FRONT_DOOR_URL = os.environ.get("FRONT_DOOR_URL", "").strip()
ORGANISATION = os.environ.get("ORGANISATION", "Example Compute")
# How long candidates' data is kept after the decision, and what then happens to it; 0: until asked.
RETENTION_MONTHS = integer("RETENTION_MONTHS", 0)
RETENTION_MODE = choice("RETENTION_MODE", ("erase", "pseudonymise"))
# From which difference on two scorecards ask for another evaluator: levels on a criterion, and means.
LEVELS_APART = integer("LEVELS_APART", 2)
MEANS_APART = number("MEANS_APART", 1.0)
# For how many months somebody who did an exercise is invited to it again only with a reason; 0: for none.
REPEAT_MONTHS = integer("REPEAT_MONTHS", 12)
# The questions of the voluntary self-description: a TOML file, empty for the shipped one, or "off".
SELF_DESCRIPTION = os.environ.get("SELF_DESCRIPTION", "").strip()
# What `make run` puts into an empty database: a demo that comes alive, its beginning alone, or nothing.
DEMO = choice("DEMO", ("alive", "small", "none"))
CONTACT_EMAIL = os.environ.get("CONTACT_EMAIL", "hiring@example.com")

INSTALLED_APPS = [
    "headnode",
    "integrations",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "reviews",
    "assessments",
    "hiring",
    "library",
    "accounts",
    "headnode.admin_site.HeadnodeAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "csp",
]

MIDDLEWARE = [
    "headnode.front_door.middleware",
    "headnode.health.middleware",
    # A workspace fetches half a hundred files: they wait for nothing below and carry no heads of pages.
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "headnode.logs.Requests",
    "headnode.traces.middleware",
    "headnode.metrics.counted.middleware",
    "headnode.language.middleware",
    "assessments.throttle.middleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    # BREACH reads a secret from how long pages get that hold it beside what the attacker chose. Here none
    # can be read so: the CSRF token is masked anew in every answer, the policy's nonce is drawn anew, the
    # session is in no page, and Django pads each answer by a random length besides. Static files come
    # packed before this, and what is no page is left alone.
    "headnode.packing.PackedPages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "headnode.urls"
WSGI_APPLICATION = "headnode.wsgi.application"
APPEND_SLASH = True

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": sorted(Path(__file__).parents[1].glob("reviews/*/templates")),  # each room's own
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "headnode.context.organisation",
            ],
            "libraries": {"money": "reviews.evidence.money"},
            "builtins": ["django.templatetags.i18n", "headnode.templatetags.candidate_text"],
        },
    },
]

DATABASES = {"default": database(DATA)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.sign_in.StaffBackend"]
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTH_PASSWORD_VALIDATORS.append(
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": integer("PASSWORD_MIN_LENGTH", 12)},
    }
)
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # where `next` names a place that is not ours
PASSWORD_RESET_TIMEOUT = 3600
SESSION_COOKIE_AGE = integer("SESSION_HOURS", 12) * 3600
# Roles that must have a second step, as "administrator, recruiter", or "all"; nobody by default.
MFA_ROLES = [
    name.strip().lower() for name in os.environ.get("MFA_ROLES", "").split(",") if name.strip()
]
# Signing in through an identity provider (OpenID Connect): off until issuer and client are named.
OIDC_ISSUER = web_address("OIDC_ISSUER")
OIDC_CLIENT_ID = os.environ.get("OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = os.environ.get("OIDC_CLIENT_SECRET", "")
OIDC_LABEL = os.environ.get("OIDC_LABEL", "your company account")
OIDC_NEW_ROLE = os.environ.get("OIDC_NEW_ROLE", "").strip()
OTP_TOTP_ISSUER = ORGANISATION
OTP_TOTP_THROTTLE_FACTOR = OTP_STATIC_THROTTLE_FACTOR = 1

LANGUAGE_CODE = "en-gb"
# All texts are written in English; candidates' pages and messages are said in the others as well.
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch")]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = as_named
STATIC_ROOT = DATA / "static"
STORAGES: dict[str, Any] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "headnode.storage.StaticStorage"},
}
# Where hosts find what one of them has built; nowhere: each builds its own.
if SHARED_STORAGE := os.environ.get("SHARED_STORAGE", "").strip():
    STORAGES["shared"] = storage_at(SHARED_STORAGE)
MEDIA_ROOT = DATA / "media"

# Mail goes out by SMTP once EMAIL_HOST is named; until then messages are files that reach nobody.
EMAIL_HOST = os.environ.get("EMAIL_HOST", "").strip()
EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND") or (
    f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'filebased'}.EmailBackend"
)
EMAIL_FILE_PATH = DATA / "mail"
EMAIL_HOST_USER = os.environ.get("EMAIL_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_PASSWORD", "")
EMAIL_PORT, EMAIL_USE_TLS, EMAIL_USE_SSL = mail_security(
    EMAIL_HOST, has_password=bool(EMAIL_HOST_PASSWORD)
)
EMAIL_TIMEOUT = 10
# In which zone messages say times beside the candidate's own, unless the sender chose another.
ORGANISATION_TIME_ZONE = time_zone("ORGANISATION_TIME_ZONE", "UTC")
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", CONTACT_EMAIL)

# Nothing here depends on a proxy in front: cookies and headers are strict by default.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "headnode.errors.csrf_failure"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS and flag("HSTS_SUBDOMAINS")
X_FRAME_OPTIONS = "DENY"
BEHIND_PROXY = flag("BEHIND_PROXY")
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
# Where browsers tell of what this policy stopped; nowhere until an address is named.
if CSP_REPORT_URL := web_address("CSP_REPORT_URL"):
    CONTENT_SECURITY_POLICY["DIRECTIVES"]["report-uri"] = [CSP_REPORT_URL]
# A draft is at most MAX_BODY bytes of text; JSON escaping can make it up to six times as long.
MAX_BODY = 400_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * MAX_BODY
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000  # a company profile with every row that it may have

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["assessments.link.CandidateAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["headnode.parsing.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "integrations.api.schema.ApiSchema",  # describes /api/v1/ alone
    "EXCEPTION_HANDLER": "headnode.errors.api_exception",
    "UNAUTHENTICATED_USER": None,
}

# Other systems: the API under /api/v1/, webhooks and applicant-tracking systems.
API_PER_MINUTE = max(1, integer("API_PER_MINUTE", 600))  # requests of one token and web process
# Whether requests go to addresses of the own network and by plain http, as to a webhook beside the site.
INTEGRATIONS_PRIVATE_ADDRESSES = flag("INTEGRATIONS_PRIVATE_ADDRESSES")
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Headnode",
    "DESCRIPTION": "Work-sample assessments: openings, candidates, invitations, what came of them.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    "PATH_CONVERTER_OVERRIDES": {"row": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}},
    "PREPROCESSING_HOOKS": ["integrations.api.schema.only_ours"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "integrations.api.schema.linked",
    ],
    "ENUM_NAME_OVERRIDES": {
        "Seniority": "library.models.Seniority",
        "Kind": "scenarios.kinds.CHOICES",
    },
}

CELERY_BROKER_URL = os.environ.get("BROKER_URL", "headnode-files://localhost")
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "data_folder_in": str(DATA / "broker/queue"),
        "data_folder_out": str(DATA / "broker/queue"),
        "processed_folder": str(DATA / "broker/claimed"),
        "control_folder": str(DATA / "broker/control"),
        "polling_interval": 0.1,
    }
    if CELERY_BROKER_URL.startswith("headnode-files")
    # kombu's Redis transport redelivers after the visibility timeout; it must exceed the time limit.
    # A broker that is down must not hold up a candidate's request: the sweep repeats what it misses.
    else {
        "global_keyprefix": os.environ.get("BROKER_PREFIX", ""),  # several sites on one Redis
        "visibility_timeout": 7200,
        "socket_connect_timeout": 1,
        "socket_timeout": 30,
    }
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_LOST_WAIT = (
    0.5  # s until what a killed process had is put back; its row is claimed once
)
CELERY_BROKER_CONNECTION_TIMEOUT = 1
# Fifty hidden days of a minute each, and room; the sandbox's own limits end a program long before.
CELERY_TASK_TIME_LIMIT = 3900
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "headnode.schedule.Scheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "assessments.tasks.sweep",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "sweep_sandbox": {
        "task": "assessments.tasks.sweep_sandbox",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "sweep_practice": {
        "task": "assessments.tasks.sweep_practice",
        "schedule": 600.0,
        "options": {"expires": 600},
    },
    "prune_variants": {
        "task": "assessments.tasks.prune_variants",
        "schedule": 24 * 3600.0,
        "options": {"expires": 3600},
    },
    "compare_answers": {
        "task": "reviews.tasks.compare_answers",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "look_after_pdf_files": {
        "task": "reviews.tasks.look_after_pdf_files",
        "schedule": 15.0,
        "options": {"expires": 15},
    },
    "send_messages": {
        "task": "hiring.tasks.send_messages",
        "schedule": 15.0,
        "options": {"expires": 15},
    },
    "remind_candidates": {
        "task": "hiring.tasks.remind_candidates",
        "schedule": 600.0,
        "options": {"expires": 600},
    },
    "write_digests": {
        "task": "hiring.tasks.write_digests",
        "schedule": 600.0,
        "options": {"expires": 600},
    },
    "remind_evaluators": {
        "task": "reviews.tasks.remind_evaluators",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "speak_with_others": {
        "task": "integrations.tasks.speak_with_others",
        "schedule": 15.0,
        "options": {"expires": 15},
    },
    "forget_old_deliveries": {
        "task": "integrations.tasks.forget_old",
        "schedule": 24 * 3600.0,
        "options": {"expires": 3600},
    },
    "retention": {
        "task": "reviews.tasks.carry_out_retention",
        "schedule": 6 * 3600.0,
        "options": {"expires": 3600},
    },
}

# How programs are run. SANDBOX_* say which fence; the rest bounds how much is run at once.
SANDBOX_BACKEND = os.environ.get("SANDBOX_BACKEND", "namespace")
SANDBOX_ALLOW_REDUCED = flag("SANDBOX_ALLOW_REDUCED")
SANDBOX_DOCKER_URL = os.environ.get("SANDBOX_DOCKER_URL") or None
SANDBOX_RUNTIME = os.environ.get("SANDBOX_RUNTIME") or None
SANDBOX_STATE = Path(os.environ.get("SANDBOX_STATE") or DATA / "sandbox").resolve()
VARIANTS = DATA / "variants"
# How many candidates' materials one host builds at once, each on a core for some seconds.
VARIANT_BUILDS = max(1, integer("VARIANT_BUILDS", 1))
SANDBOX_SPARES = integer("SANDBOX_SPARES", 1)
# Gradings follow the processors; one is left to candidates' runs, which have processes of their own.
PROCESSORS = len(os.sched_getaffinity(0))
GRADING_SLOTS = integer("GRADING_SLOTS", max(1, PROCESSORS - 1))
CELERY_WORKER_CONCURRENCY = GRADING_SLOTS + max(2, PROCESSORS // 4)
# Threads of a web process: what takes long holds all but three of them at most (assessments/places.py).
WEB_THREADS = integer("WEB_THREADS", 8)
# Candidates' terminals that one `manage.py terminals` hosts at once, each with up to 512 MiB.
TERMINALS = integer("TERMINALS", 8)

# The assistant that exercises may provide: any address that speaks as OpenAI's does, and no other is asked.
ASSISTANT_URL, ASSISTANT_MODEL, ASSISTANT_KEY = assistant()
# Tokens of questions and answers together that one attempt may use.
ASSISTANT_TOKENS = integer("ASSISTANT_TOKENS", 200_000)

# What processes count for Prometheus, and who may ask: whoever brings the token, else this machine alone.
METRICS = open_metrics_folder(DATA)
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")

LOG_FORMAT = choice("LOG_FORMAT", ("plain", "json"))
LOGGING = configuration(LOG_FORMAT, os.environ.get("LOG_LEVEL", "INFO").upper())
# Where a span of each request and job is sent (OTLP over HTTP); nowhere until an address is named.
TRACES_URL = web_address("TRACES_URL")
# The files that the launcher writes: kept so many, each so large.
LOG_FILE_MB, LOG_FILES = integer("LOG_FILE_MB", 20), integer("LOG_FILES", 5)
