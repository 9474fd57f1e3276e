"""The judge's end of the channel: a fixed table of calls, each parameter checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from sandbox import CallRefused
from scenarios.worlds.refusal import Refused

Checks = Mapping[str, Callable[[object], bool]]


class Controlled(Protocol):
    """A world in which time passes only through its controller's calls."""

    def tick(self) -> object:
        """Let a step of time pass."""

    @property
    def complete(self) -> bool:
        """Whether the episode is over."""


def is_name(value: object) -> bool:
    """A short string, as names of pools and nodes are."""
    return type(value) is str and 0 < len(value) <= 64


def is_line(value: object) -> bool:
    """A log line; the SDK cuts it to 200 characters."""
    return type(value) is str and len(value) <= 400


def is_count(value: object) -> bool:
    """A whole number that nothing overflows on. True and False are not numbers."""
    return type(value) is int and -1_000_000 <= value <= 1_000_000


METHODS: Mapping[str, Checks] = {
    "tick": {},
    "jobs": {},
    "nodes": {},
    "pools": {},
    "metrics": {},
    "scale": {"pool": is_name, "size": is_count},
    "release": {"node": is_name},
    "cordon": {"node": is_name},
    "uncordon": {"node": is_name},
    "drain": {"node": is_name},
    "preempt": {"job": is_count},
    "log": {"text": is_line},
}


class EpisodeSession:
    """Answers a program's calls from an episode; satisfies `sandbox.Session`.

    Raises CallRefused for everything the table does not allow and whatever the episode
    refuses; the program then goes on.
    """

    def __init__(self, episode: Controlled) -> None:
        self._episode = episode

    @property
    def complete(self) -> bool:
        return self._episode.complete

    def call(self, method: str, params: dict[str, object]) -> object:
        checks = METHODS.get(method)
        if checks is None:
            raise CallRefused("invalid", f"There is no call {method[:40]!r}.")
        if params.keys() != checks.keys():
            wanted = ", ".join(checks) or "no parameters"
            raise CallRefused("invalid", f"{method} takes {wanted}.")
        for name, check in checks.items():
            if not check(params[name]):
                raise CallRefused("invalid", f"{method}: {name} is of the wrong type or size.")
        try:
            return getattr(self._episode, method)(**params)
        except Refused as refusal:
            raise CallRefused(refusal.code, refusal.message) from None
