"""One call to an episode by its name, with every parameter checked against the world's own table."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.worlds.episode import Episode, Methods
from scenarios.worlds.refusal import Refused

__all__ = ["Methods", "answer"]


def answer(episode: Episode, methods: Methods, method: str, params: Mapping[str, object]) -> object:
    """What the episode answers. Raises Refused for all that the table does not allow, too."""
    checks = methods.get(method)
    if checks is None:
        raise Refused("invalid", f"There is no call {method[:40]!r}.")
    if params.keys() != checks.keys():
        wanted = ", ".join(checks) or "no parameters"
        raise Refused("invalid", f"{method} takes {wanted}.")
    for name, check in checks.items():
        if not check(params[name]):
            raise Refused("invalid", f"{method}: {name} is of the wrong type or size.")
    result: object = getattr(episode, method)(**params)
    return result
