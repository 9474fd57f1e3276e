"""The program's end of the channel, against a host that answers badly or not at all."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import socket
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from sandbox.tests.conftest import REPO

SOURCE = REPO / "graders" / "sdk" / "headnode_sdk" / "_channel.py"
Load = Callable[[int | None], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Import the module afresh, as if a run had passed it this descriptor."""

    def fresh(fd: int | None) -> ModuleType:
        monkeypatch.delenv("HEADNODE_CHANNEL_FD", raising=False)
        if fd is not None:
            monkeypatch.setenv("HEADNODE_CHANNEL_FD", str(fd))
        spec = importlib.util.spec_from_file_location("sdk_channel", SOURCE)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "sdk_channel", module)
        spec.loader.exec_module(module)
        return module

    return fresh


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, int]]:
    host, program = socket.socketpair()
    yield host, os.dup(program.fileno())
    program.close()
    host.close()


def test_question_is_a_frame_of_json(load: Load, pair: tuple[socket.socket, int]) -> None:
    host, fd = pair
    module = load(fd)
    answer = b'{"id":1,"r":null}'
    host.sendall(len(answer).to_bytes(4, "big") + answer)
    assert module.call("scale", up=2) is None
    sent = host.recv(1000)
    assert int.from_bytes(sent[:4], "big") == len(sent) - 4
    assert json.loads(sent[4:]) == {"id": 1, "m": "scale", "p": {"up": 2}}


def test_error_answer_is_an_api_error(load: Load, pair: tuple[socket.socket, int]) -> None:
    host, fd = pair
    module = load(fd)
    answer = b'{"id":1,"e":{"code":"busy","message":"Try again."}}'
    host.sendall(len(answer).to_bytes(4, "big") + answer)
    with pytest.raises(module.ApiError) as raised:
        module.call("scale")
    assert (raised.value.code, raised.value.message) == ("busy", "Try again.")
    copy = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - just made
    assert copy.code == "busy"


def test_call_without_a_run_says_what_to_do(load: Load) -> None:
    module = load(None)
    with pytest.raises(module.ChannelClosed, match="start it with Run"):
        module.call("ping")


def test_closed_channel_is_said(load: Load, pair: tuple[socket.socket, int]) -> None:
    host, fd = pair
    module = load(fd)
    host.shutdown(socket.SHUT_RDWR)
    with pytest.raises(module.ChannelClosed, match="closed"):
        module.call("ping")


def test_answer_to_another_question_is_not_taken(
    load: Load, pair: tuple[socket.socket, int]
) -> None:
    host, fd = pair
    module = load(fd)
    answer = b'{"id":9,"r":1}'
    host.sendall(len(answer).to_bytes(4, "big") + answer)
    with pytest.raises(module.ChannelClosed, match="out of step"):
        module.call("ping")


def test_value_that_is_not_json_is_refused_before_it_is_sent(
    load: Load, pair: tuple[socket.socket, int]
) -> None:
    host, fd = pair
    module = load(fd)
    with pytest.raises(ValueError, match="JSON"):
        module.call("ping", x=float("nan"))
    host.setblocking(False)
    with pytest.raises(BlockingIOError):
        host.recv(1)
