"""The tree of accounts and users that share a machine; knows neither jobs nor time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tree:
    """Associations as parallel lists, parents before their children; index 0 is the root.

    `shares` None means that the association has its parent's shares (`parent` in
    Slurm's words). `user` is empty for an account.
    """

    account: list[str] = field(default_factory=list)
    user: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    shares: list[int | None] = field(default_factory=list)
    priority: list[int] = field(default_factory=list)

    def add(
        self, account: str, user: str, parent: int, shares: int | None, priority: int = 0
    ) -> int:
        """Append one association and return its index; `parent` is -1 for the root."""
        self.account.append(account)
        self.user.append(user)
        self.parent.append(parent)
        self.shares.append(shares)
        self.priority.append(priority)
        return len(self.parent) - 1

    def holders(self) -> list[int]:
        """For each association the nearest ancestor that has shares of its own; -1 for the root."""
        found: list[int] = []
        for parent in self.parent:
            above = parent
            if above > 0 and self.shares[above] is None:
                above = found[above]
            found.append(above)
        return found

    def norm_at_level(self) -> list[float]:
        """Shares as a part (0 to 1) of what the siblings hold together."""
        holders = self.holders()
        total = [0] * len(holders)
        for holder, own in zip(holders[1:], self.shares[1:], strict=True):
            total[holder] += own or 0
        return [1.0] + [
            (own or 0) / total[holder] if total[holder] else 0.0
            for holder, own in zip(holders[1:], self.shares[1:], strict=True)
        ]


@dataclass(frozen=True)
class Standing:
    """What `sshare` prints, one value per association; None where it prints nothing."""

    norm_shares: list[float]
    norm_usage: list[float]
    effective_usage: list[float]
    fair_share: list[float | None]
    level_fs: list[float | None]


def norm_usage(usage: list[float]) -> list[float]:
    """Usage as a part of all that was used (the root's), not of the machine."""
    return [each / usage[0] if usage[0] else 0.0 for each in usage]
