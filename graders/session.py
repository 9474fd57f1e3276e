"""The judge's end of the channel: the world's own table of calls, each parameter checked."""

from __future__ import annotations

from sandbox import CallRefused
from scenarios.worlds import Episode
from scenarios.worlds.calls import Methods, answer
from scenarios.worlds.refusal import Refused


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
        try:
            return answer(self._episode, self._methods, method, params)
        except Refused as refusal:
            raise CallRefused(refusal.code, refusal.message) from None
