"""Read settings from the environment; a value that cannot be used stops the start with one sentence."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

BAD_DATABASE = (
    "DATABASE_URL must look like postgres://user:password@host:5432/name or sqlite:///path/to/file."
)
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA mmap_size=134217728;"
    "PRAGMA journal_size_limit=27103364;PRAGMA cache_size=2000;"
)


# A server that is gone is noticed within seconds, so that a request is answered in words.
POSTGRES_GIVES_UP = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}


def flag(name: str) -> bool:
    """True for 1, true, yes, on; False for 0, false, no, off or nothing."""
    value = os.environ.get(name, "").strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"", "0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}: write 1 or 0.")


def integer(name: str, default: int) -> int:
    """A whole number, or `default` where the variable is not set."""
    value = os.environ.get(name, "")
    try:
        return int(value) if value else default
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is {value!r}: write a whole number.") from error


def number(name: str, default: float) -> float:
    """A number, or `default` where the variable is not set."""
    value = os.environ.get(name, "")
    try:
        return float(value) if value else default
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is {value!r}: write a number.") from error


def choice(name: str, values: tuple[str, ...]) -> str:
    """One of the values; the first where the variable is not set."""
    value = os.environ.get(name, "").strip().lower() or values[0]
    if value not in values:
        raise ImproperlyConfigured(f"{name} is {value!r}: write {' or '.join(values)}.")
    return value


def web_address(name: str) -> str:
    """An https address without a final slash, or ""; plain http only to this machine."""
    value = os.environ.get(name, "").strip().rstrip("/")
    parts = urlsplit(value)
    is_here = parts.scheme == "http" and parts.hostname in {"localhost", "127.0.0.1"}
    if value and not (parts.hostname and (parts.scheme == "https" or is_here)):
        raise ImproperlyConfigured(f"{name} is {value!r}: write an address that begins with https.")
    return value


def assistant() -> tuple[str, str, str]:
    """(address, model, key) of the assistant, all empty where none is provided.

    ASSISTANT_URL is the part before /chat/completions, mostly https://host/v1. Plain http is for models
    that run in the own network; a key is sent by it to this machine alone.
    """
    address = os.environ.get("ASSISTANT_URL", "").strip().rstrip("/")
    model, key = (os.environ.get(f"ASSISTANT_{name}", "").strip() for name in ("MODEL", "KEY"))
    if not address:
        return "", "", ""
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query:
        raise ImproperlyConfigured(
            f"ASSISTANT_URL is {address!r}: write the address before /chat/completions, as "
            "https://host/v1, without a key in it."
        )
    if not model:
        raise ImproperlyConfigured("ASSISTANT_URL is set: name the model in ASSISTANT_MODEL too.")
    if key and parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
        raise ImproperlyConfigured(
            "ASSISTANT_KEY would cross the network in clear: write ASSISTANT_URL with https."
        )
    return address, model, key


def time_zone(name: str, default: str) -> str:
    """The name of a time zone, as Europe/Berlin."""
    value = os.environ.get(name, "").strip() or default
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise ImproperlyConfigured(
            f"{name} is {value!r}: write a time zone as region and city, for example Europe/Berlin."
        ) from None
    return value


def mail_security(host: str, *, has_password: bool) -> tuple[int, bool, bool]:
    """(port, STARTTLS, TLS from the first byte) for EMAIL_PORT and EMAIL_TLS.

    Port 587 and 465 say by themselves how they are secured. A password never crosses a network in clear.
    """
    port = integer("EMAIL_PORT", 25)
    usual = {587: "starttls", 465: "tls"}.get(port, "none")
    others = tuple(name for name in ("starttls", "tls", "none") if name != usual)
    how = choice("EMAIL_TLS", (usual, *others))
    if has_password and how == "none" and host not in {"localhost", "127.0.0.1", "::1"}:
        raise ImproperlyConfigured(
            "EMAIL_PASSWORD would cross the network in clear: write EMAIL_TLS=starttls (usually with "
            "EMAIL_PORT=587) or EMAIL_TLS=tls (with 465)."
        )
    return port, how == "starttls", how == "tls"


def storage_at(url: str) -> dict[str, Any]:
    """Django's storage for file:///a/folder or s3://bucket/prefix.

    An S3-compatible store is asked at S3_ENDPOINT_URL, with the credentials that AWS's libraries find. Raises
    ImproperlyConfigured.
    """
    parts = urlsplit(url)
    if parts.scheme == "file" and not parts.netloc and parts.path.strip("/"):
        where = {"location": unquote(parts.path)}
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": where}
    if parts.scheme == "s3" and parts.netloc:
        options = {
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            "endpoint_url": os.environ.get("S3_ENDPOINT_URL") or None,
            "default_acl": None,
        }
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    raise ImproperlyConfigured(
        f"SHARED_STORAGE is {url!r}: write file:///a/folder that all hosts see, or s3://bucket/prefix."
    )


def words(name: str, default: str) -> list[str]:
    """A list separated by spaces or commas."""
    return os.environ.get(name, default).replace(",", " ").split()


def secret_key(data: Path) -> str:
    """SECRET_KEY, else the one kept in the data folder, made on the first start (mode 0600)."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    path = data / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key


def database(data: Path) -> dict[str, Any]:
    """Django's settings for DATABASE_URL (postgres://...), or for SQLite in the data folder."""
    url = os.environ.get("DATABASE_URL", "")
    if not url:
        return sqlite(data / "headnode.sqlite3")
    try:
        parts = urlsplit(url)
        port = str(parts.port or "")
    except ValueError:
        raise ImproperlyConfigured(BAD_DATABASE) from None
    if parts.scheme == "sqlite" and parts.path.strip("/"):
        return sqlite(Path(unquote(parts.path)))
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(BAD_DATABASE)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": port,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": POSTGRES_GIVES_UP,
    }


def sqlite(path: Path) -> dict[str, Any]:
    """SQLite that survives many autosaves at once: WAL, the write lock taken at BEGIN, and in turn.

    Connections are kept: whoever closes the last one brings the whole log into the file first.
    """
    return {
        "ENGINE": "headnode.sqlite",
        "NAME": path,
        "CONN_MAX_AGE": 60,
        "TEST": {
            "NAME": ":memory:"
        },  # one for each process of tests, as Django's own SQLite has it
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": SQLITE_PRAGMAS,
        },
    }
