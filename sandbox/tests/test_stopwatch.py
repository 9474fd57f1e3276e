"""What the accounts of waiting for a processor come to, on figures made up for it."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator

import pytest

from sandbox import stopwatch
from sandbox.stopwatch import Stalls, Stopwatch


def stalls(
    monkeypatch: pytest.MonkeyPatch, looks: list[dict[str, float]], pressure: list[float | None]
) -> Stalls:
    """After as many looks as there are figures; the first of each are those at the start."""
    threads: Iterator[dict[str, float]] = iter(looks)
    group = iter(pressure)
    monkeypatch.setattr(stopwatch, "_delays", lambda pids: next(threads))
    found = Stalls(list, lambda: next(group))
    for _ in looks[1:]:
        found.look()
    return found


def test_waits_before_the_start_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stalls(monkeypatch, [{"7": 5.0}, {"7": 5.5}], [9.0, 9.25]).seconds == 0.5


def test_longest_wait_counts_and_not_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [{"7": 0.0}, {"7": 0.1, "8": 0.1, "9": 0.1}, {"7": 0.1, "8": 0.4, "9": 0.2}]
    assert stalls(monkeypatch, looks, [None] * 3).seconds == pytest.approx(0.4)


def test_group_knows_of_processes_that_nobody_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stalls(monkeypatch, [{"7": 0.0}, {"7": 0.0}], [1.0, 3.5]).seconds == 2.5


def test_number_that_was_given_again_takes_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [{"7": 0.0}, {"7": 3.0}, {"7": 0.0}, {"7": 0.5}]
    assert stalls(monkeypatch, looks, [None] * 4).seconds == 3.5


def test_silence_counts_whole() -> None:
    here, there = socket.socketpair()
    with here, there, selectors.DefaultSelector() as selector:
        selector.register(here, selectors.EVENT_READ)
        watch = Stopwatch(selector, Stalls(list, lambda: None))
        began = time.monotonic()
        for _ in range(3):
            assert not watch.wait(0.05)
        took_s = time.monotonic() - began
        watch.close()
    assert 0.15 <= watch.own_s <= took_s
