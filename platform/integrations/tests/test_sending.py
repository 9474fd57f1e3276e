"""Requests go to the checked, public address of a name and nowhere else, however the address is spelled."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest
from django.conf import LazySettings

from integrations import sending
from integrations.sending import NoAnswer, NotAllowed, Outgoing, check, is_public, send
from integrations.tests.world import Receiver

PRIVATE = [
    "127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0",  # noqa: S104
    "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
    "2001:db8::1", "240.0.0.1",
]  # fmt: skip


def lookup(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Every name leads to those addresses; the names that were asked for."""
    asked: list[str] = []

    def found(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return asked


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::1111", "64:ff9b::808:808"])
def test_addresses_that_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/", "ftp://example.com/", "https://", "https:///x", "javascript:alert(1)", "x",
        "https://user:secret@example.com/", "https://example.com:0/", "https://example.com:99999/",
        "https://exa mple.com/", "https://example.com/\r\nX: y", "https://[::1", "",
    ],
)  # fmt: skip
def test_what_is_no_address_to_send_to(url: str) -> None:
    with pytest.raises(NotAllowed):
        check(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://localhost/",
    ],
)
def test_this_machine_is_not_asked_however_it_is_spelled(url: str) -> None:
    with pytest.raises(NotAllowed, match="no public address"):
        check(url)


def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    lookup(monkeypatch, "93.184.215.14", "10.0.0.1")
    with pytest.raises(NotAllowed, match=r"10\.0\.0\.1"):
        send(Outgoing("POST", "https://example.com/"))


def test_the_name_is_asked_once_and_the_checked_address_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that leads elsewhere when it is asked again is not asked again."""
    asked = lookup(monkeypatch, "93.184.215.14")
    used: list[str] = []

    def connect(address: tuple[str, int], *_: Any, **__: Any) -> socket.socket:
        used.append(address[0])
        raise OSError("refused")

    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)
    with pytest.raises(NoAnswer):
        send(Outgoing("POST", "https://rebinding.example.com/"))
    assert asked == ["rebinding.example.com"]
    assert used == ["93.184.215.14"]


def test_what_is_sent_arrives_as_it_is(receiver: Receiver) -> None:
    url = receiver.url.replace("127.0.0.1", "localhost") + "/hook?a=1"
    answer = send(Outgoing("POST", url, b'{"x":1}', {"Content-Type": "application/json"}))
    assert answer.status == 200
    (got,) = receiver.got
    assert (got.method, got.path, got.body) == ("POST", "/hook?a=1", b'{"x":1}')
    assert got.headers["Host"].startswith("localhost:")


def test_a_redirect_is_an_answer_and_no_direction(receiver: Receiver) -> None:
    receiver.reply = lambda _: (302, receiver.url + "/inside")
    assert send(Outgoing("POST", receiver.url + "/")).status == 302
    assert len(receiver.got) == 1


def test_a_long_answer_is_cut(receiver: Receiver) -> None:
    receiver.reply = lambda _: (500, "x" * 100_000)
    assert len(send(Outgoing("POST", receiver.url)).text) == sending.MOST_READ


def test_who_drips_is_left(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "WHOLE_S", 0.3)
    receiver.reply = lambda _: (time.sleep(1), (200, {}))[1]  # type: ignore[func-returns-value]
    began = time.monotonic()
    with pytest.raises(NoAnswer):
        send(Outgoing("POST", receiver.url))
    assert time.monotonic() - began < 0.9


def test_nobody_listens(settings: LazySettings) -> None:
    settings.INTEGRATIONS_PRIVATE_ADDRESSES = True
    with pytest.raises(NoAnswer):
        send(Outgoing("POST", "http://127.0.0.1:9/"))
    with pytest.raises(NoAnswer, match="could not be resolved"):
        send(Outgoing("POST", "https://no-such-name.invalid/"))
