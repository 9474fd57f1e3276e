"""The judge's end of the channel: the world's own table of calls, each parameter checked."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox import CallRefused
from scenarios.worlds import Episode
from scenarios.worlds.checks import Check
from scenarios.worlds.refusal import Refused

Methods = Mapping[str, Mapping[str, Check]]


class EpisodeSession:
    """Answers a program's calls from an episode; satisfies `sandbox.Session`.

    Raises CallRefused for everything the table does not allow and whatever the episode
    refuses; the program then goes on.
    """

    def __init__(self, episode: Episode, methods: Methods) -> None:
        self._episode = episode
        self._methods = methods

    @property
    def complete(self) -> bool:
        return self._episode.complete

    def call(self, method: str, params: dict[str, object]) -> object:
        checks = self._methods.get(method)
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
