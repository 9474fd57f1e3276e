"""Slurm's classic fair-share factor, from shares and usage."""

from __future__ import annotations

from scenarios.simulator.slurm.shares import Standing, Tree, norm_usage


def classic(tree: Tree, usage: list[float], damping: float = 1.0) -> Standing:
    """Standing of every association after `usage` (any unit, root first).

    Source: Slurm's page on the classic algorithm. A share is the product of the parts
    down the tree; below the top tier an association answers for a part of what its
    account used beyond it; the factor is 2 to the power of -(effective usage / share),
    the exponent divided by `damping` (FairShareDampeningFactor).
    """
    level, used, holders = tree.norm_at_level(), norm_usage(usage), tree.holders()
    shares, effective = [1.0], [1.0 if usage[0] else 0.0]
    for index in range(1, len(usage)):
        holder = holders[index]
        if tree.shares[index] is None:
            shares.append(shares[holder])
            effective.append(effective[holder] if holder else used[index])
            continue
        shares.append(shares[holder] * level[index])
        own = used[index]
        above = 0.0 if holder == 0 else (effective[holder] - own) * level[index]
        effective.append(own + above)
    factors: list[float | None] = [
        2.0 ** -(part / share / damping) if share else 0.0
        for part, share in zip(effective, shares, strict=True)
    ]
    return Standing(shares, used, effective, factors, [0.0] * len(usage))
