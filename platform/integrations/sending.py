"""One HTTP request to another system's address, which somebody typed: to the checked address and no other.

An address of a form could name the database, the cloud's metadata service or the site itself. So the name
is resolved here, once; every address that it has must be a public one; the connection goes to one of those,
under the name for TLS; and an answer that leads elsewhere is an answer, not a direction.
INTEGRATIONS_PRIVATE_ADDRESSES lets requests into the own network, where that is wanted.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

import certifi
from django.conf import settings
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util import Timeout

CONNECT_S, READ_S, WHOLE_S = 5.0, 10.0, 20.0
"""Patience with a connection, with one answer of the network, and with all of it together."""
MOST_READ = 2000
"""Bytes of an answer that are looked at."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotAllowed(Exception):
    """No request is sent there; the text says why and what to do."""


class NoAnswer(Exception):
    """The request got no answer; the text is what the network said."""


@dataclass(frozen=True)
class Outgoing:
    """A request as it is to be sent; the body is sent as it is, byte for byte."""

    method: str
    url: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    took_ms: int


def parted(url: str) -> SplitResult:
    """The address in its parts. Raises NotAllowed where it is none that could be asked."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotAllowed("This is no web address: write it as https://host/path.") from None
    private = settings.INTEGRATIONS_PRIVATE_ADDRESSES
    if parts.scheme not in ({"https", "http"} if private else {"https"}):
        raise NotAllowed("Write an address that begins with https://.")
    if not parts.hostname or parts.username or parts.password or port == 0:
        raise NotAllowed(
            "Write the address as https://host/path, without a name or password in it."
        )
    if any(ord(char) <= 32 or ord(char) == 127 for char in url):
        raise NotAllowed("The address holds a blank or a control character: write it again.")
    return parts


def _inner(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for; itself otherwise."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo or address


def is_public(text: str) -> bool:
    """Whether it is an address of the public internet, and stands for no other one."""
    address = _inner(ipaddress.ip_address(text.partition("%")[0]))
    return address.is_global and not (address.is_multicast or address.is_reserved)


def resolved(host: str, port: int) -> str:
    """The address to connect to. Raises NotAllowed unless every address of the name may be asked."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoAnswer(f"The name {host} could not be resolved: {error}") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not settings.INTEGRATIONS_PRIVATE_ADDRESSES:
        for address in addresses:
            if not is_public(address):
                raise NotAllowed(
                    f"{host} leads to {address}, which is no public address. If it is meant, whoever runs "
                    "the site sets INTEGRATIONS_PRIVATE_ADDRESSES=1."
                )
    return addresses[0]


def check(url: str) -> None:
    """Raise NotAllowed for an address that no request would be sent to; a name may not resolve yet."""
    parts = parted(url)
    with suppress(NoAnswer):
        resolved(parts.hostname or "", _port(parts))


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _connection(parts: SplitResult) -> HTTPConnection:
    host, port = parts.hostname or "", _port(parts)
    address, patience = resolved(host, port), Timeout(connect=CONNECT_S, read=READ_S)
    if parts.scheme == "http":
        return HTTPConnection(address, port, timeout=patience.connect_timeout)
    trusted = os.environ.get("SSL_CERT_FILE") or certifi.where()
    return HTTPSConnection(
        address,
        port,
        timeout=patience.connect_timeout,
        ssl_context=ssl.create_default_context(cafile=trusted),
        server_hostname=host,
        assert_hostname=host,
    )


def send(what: Outgoing, *, most: int = MOST_READ) -> Answer:
    """Send it and read the beginning of the answer, `most` bytes. Raises NotAllowed, NoAnswer."""
    parts, began = parted(what.url), time.monotonic()
    connection = _connection(parts)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"Host": parts.netloc, "User-Agent": "Headnode", **what.headers}
    try:
        with _Watch(connection, WHOLE_S):
            connection.request(
                what.method, target, body=what.body, headers=headers, preload_content=False
            )
            if connection.sock:
                connection.sock.settimeout(READ_S)
            answer = connection.getresponse()
            text = answer.read(most, decode_content=False)
    except (HTTPError, OSError, ValueError) as error:
        raise NoAnswer(f"{type(error).__name__}: {error}"[:300]) from error
    finally:
        connection.close()
    took = round((time.monotonic() - began) * 1000)
    return Answer(answer.status, text.decode(errors="replace"), took)


class _Watch:
    """Breaks the connection off after so many seconds, however slowly bytes keep dripping in."""

    def __init__(self, connection: HTTPConnection, seconds: float) -> None:
        self._connection = connection
        self._timer = threading.Timer(seconds, self._break)
        self._timer.daemon = True

    def _break(self) -> None:
        if sock := self._connection.sock:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *args: object) -> None:
        self._timer.cancel()
