"""What the world sees of the site: its names, its certificate, its keys, and whether its mail goes out."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection
from django.http.request import validate_host

from headnode.doctor.findings import Finding, failed, warning, well
from hiring.messages.delivery import is_configured
from integrations.models import Connection, Webhook
from integrations.sealed import Unreadable, unseal

SHORTEST_KEY, FEWEST_CHARACTERS = 50, 5
PATIENCE_S = 5.0
SOON = timedelta(days=14)


def secret_key() -> Iterator[Finding]:
    """Long, random, and where it comes from."""
    key = settings.SECRET_KEY
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_CHARACTERS:
        cure = "Set SECRET_KEY to fifty random characters: openssl rand -base64 48"
        yield failed("secret key", f"It has {len(key)} characters and can be guessed.", cure)
        return
    kept = settings.DATA / "secret_key"
    from_file = kept.exists() and kept.read_text().strip() == key
    where = f"Kept in {kept}; keep a copy." if from_file else "Long enough, from SECRET_KEY."
    yield well("secret key", where)


def kept_secrets() -> Iterator[Finding]:
    """The key of now opens what was kept of other systems; nothing is said where nothing is kept."""
    hooks, systems = (
        Webhook.objects.filter(stopped_at=None),
        Connection.objects.filter(ended_at=None),
    )
    kept = [(str(hook), hook.secret) for hook in hooks]
    kept += [(str(one), key) for one in systems for key in (one.outward_key, one.signature_key)]
    lost = sorted({name for name, stored in kept if not is_readable(stored)})
    if lost:
        cure = "Set the SECRET_KEY of before, or make webhooks' secrets anew and connect the systems again."
        said = (
            f"Those of {', '.join(lost)} were kept under another SECRET_KEY: nothing reaches them."
        )
        yield failed("kept secrets", said, cure)
    elif kept:
        yield well("kept secrets", "SECRET_KEY opens those of every webhook and tracking system.")


def is_readable(stored: str) -> bool:
    try:
        unseal(stored)
    except Unreadable:
        return False
    return True


def names() -> Iterator[Finding]:
    """The site answers to the name that stands in its links, and to no other."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    if "*" in settings.ALLOWED_HOSTS:
        cure = f"Write ALLOWED_HOSTS={host}: with * a stranger chooses the name in links of password mails."
        yield failed("allowed hosts", "ALLOWED_HOSTS lets every name in.", cure)
    elif not validate_host(host, settings.ALLOWED_HOSTS):
        cure = f"Add it: ALLOWED_HOSTS={host}"
        said = f"Links lead to {settings.SITE_URL}, and ALLOWED_HOSTS does not name {host}."
        yield failed("allowed hosts", said, cure)
    else:
        yield well("allowed hosts", f"{', '.join(settings.ALLOWED_HOSTS)}; links lead to {host}.")
    local = host in {"localhost", "127.0.0.1", "::1"}
    if settings.DEBUG and not local:
        yield failed("debug", "DEBUG shows settings and code to strangers.", "Remove DEBUG.")


def tls() -> Iterator[Finding]:
    """The certificate at SITE_URL is valid, for this name, and for some time yet."""
    parts = urlsplit(settings.SITE_URL)
    host, port = parts.hostname or "", parts.port or 443
    if parts.scheme != "https":
        if host in {"localhost", "127.0.0.1", "::1"}:
            yield well("TLS", "Not needed on this machine alone.")
        else:
            cure = "Put a proxy with a certificate in front and write SITE_URL=https://…"
            yield failed("TLS", f"{settings.SITE_URL} sends passwords and links in clear.", cure)
        return
    try:
        with socket.create_connection((host, port), PATIENCE_S) as plain:
            context = ssl.create_default_context()
            with context.wrap_socket(plain, server_hostname=host) as link:
                found = link.getpeercert() or {}
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or str(error)
        cure = "Renew the certificate, with its chain, for this name."
        yield failed("TLS", f"Browsers refuse {host}: {why}.", cure)
        return
    except OSError as error:
        cure = "Start the proxy; if only others can reach that name, look from there."
        said = f"{host}:{port} does not answer from here: {error.strerror or error}."
        yield warning("TLS", said, cure)
        return
    yield certificate(host, str(found["notAfter"]), datetime.now(UTC))


def certificate(host: str, ends: str, now: datetime) -> Finding:
    """`ends` as OpenSSL writes it."""
    left = datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC) - now
    said = f"The certificate of {host} ends in {left.days} days."
    if left < SOON:
        return warning("TLS", said, "Renew it; look whether its renewal runs by itself.")
    return well("TLS", said)


def mail() -> Iterator[Finding]:
    """The server takes the sign-in; no message is sent."""
    if not is_configured():
        cure = "Set EMAIL_HOST, EMAIL_PORT, EMAIL_USER and EMAIL_PASSWORD."
        yield warning("mail", f"Messages are written to {settings.EMAIL_FILE_PATH} only.", cure)
        return
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    link = get_connection(timeout=PATIENCE_S)
    try:
        link.open()
    except smtplib.SMTPAuthenticationError as error:
        cure = "Correct EMAIL_USER and EMAIL_PASSWORD."
        yield failed("mail", f"{where} refuses the sign-in ({error.smtp_code}).", cure)
        return
    except (OSError, smtplib.SMTPException) as error:
        cure = "Correct EMAIL_HOST, EMAIL_PORT and EMAIL_TLS, and let this host reach the server."
        yield failed("mail", f"{where} cannot be used: {error}", cure)
        return
    link.close()
    how = "TLS" if settings.EMAIL_USE_SSL else "STARTTLS" if settings.EMAIL_USE_TLS else "no TLS"
    yield well("mail", f"{where} takes messages, with {how}.")
