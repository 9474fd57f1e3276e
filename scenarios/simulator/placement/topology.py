"""Where a gang's GPUs are to each other: NUMA domains, leaf switches, rails.

GPUs of a node are bits of a mask. In a rail-optimised network the GPUs of one number on
all nodes hang on one rail, so workers that use the same numbers everywhere stay on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

MOST_GPUS = 16
"""Of one node: all sets of its GPUs are looked at."""

Shares = list[tuple[int, int]]
"""(node, mask of its GPUs) for every worker of a gang."""


@dataclass(frozen=True)
class Topology:
    """`leaf[node]` is the leaf switch of a node, `numa[gpu]` the NUMA domain of a GPU number."""

    leaf: Sequence[int]
    numa: Sequence[int]

    def __post_init__(self) -> None:
        if len(self.numa) > MOST_GPUS:
            raise ValueError(f"A node has at most {MOST_GPUS} GPUs, not {len(self.numa)}.")

    @cached_property
    def domains(self) -> tuple[int, ...]:
        """A mask of GPUs per NUMA domain."""
        masks: dict[int, int] = {}
        for gpu, domain in enumerate(self.numa):
            masks[domain] = masks.get(domain, 0) | 1 << gpu
        return tuple(masks.values())

    def numa_used(self, mask: int) -> int:
        """How many NUMA domains the GPUs of the mask lie in."""
        return sum(bool(mask & domain) for domain in self.domains)

    def locality(self, shares: Shares) -> Locality:
        """How near to each other the GPUs of a gang are."""
        return Locality(
            nodes=len({node for node, _ in shares}),
            leaves=len({self.leaf[node] for node, _ in shares}),
            numa=max((self.numa_used(mask) for _, mask in shares), default=0),
            on_rail=len({mask for _, mask in shares}) <= 1,
        )

    def room(self, free: Sequence[int]) -> int:
        """The most GPUs that are free under one leaf; `free[node]` is the mask of a node's."""
        counts: dict[int, int] = {}
        for leaf, mask in zip(self.leaf, free, strict=True):
            counts[leaf] = counts.get(leaf, 0) + mask.bit_count()
        return max(counts.values(), default=0)

    def place_gang(self, free: Sequence[int], workers: int, gpus: int) -> Shares | None:
        """Nodes and GPUs for `workers` nodes of `gpus` each; None where not all find room.

        `free[node]` is the mask of its free GPUs. In this order of weight: as few leaves as
        can be, the leaf with least to spare, the same GPU numbers on every node, few NUMA
        domains, nodes with least to spare, low numbers.
        """
        if not 0 < gpus <= len(self.numa) or workers < 1:
            return None
        leaves: dict[int, list[int]] = {}
        for node, mask in enumerate(free):
            if mask.bit_count() >= gpus:
                leaves.setdefault(self.leaf[node], []).append(node)
        if sum(map(len, leaves.values())) < workers:
            return None
        return self._pick(free, _fewest(leaves, workers), workers, gpus)

    def _pick(
        self, free: Sequence[int], leaves: list[list[int]], workers: int, gpus: int
    ) -> Shares:
        full, last = leaves[:-1], leaves[-1]
        fixed = [node for nodes in full for node in nodes]
        wanted = workers - len(fixed)
        for mask in self._masks(gpus):
            if all(free[node] & mask == mask for node in fixed):
                fitting = [node for node in last if free[node] & mask == mask]
                if len(fitting) >= wanted:
                    chosen = fixed + self._tightest(free, fitting, wanted)
                    return [(node, mask) for node in sorted(chosen)]
        chosen = sorted(fixed + self._tightest(free, last, wanted))
        return [(node, self._best_mask(free[node], gpus)) for node in chosen]

    def _tightest(self, free: Sequence[int], nodes: list[int], count: int) -> list[int]:
        return sorted(nodes, key=lambda node: (free[node].bit_count(), node))[:count]

    def _best_mask(self, free: int, gpus: int) -> int:
        return next(mask for mask in self._masks(gpus) if free & mask == mask)

    def _masks(self, gpus: int) -> tuple[int, ...]:
        return _masks(self.domains, len(self.numa), gpus)


@dataclass(frozen=True, slots=True)
class Locality:
    """Nodes and leaf switches a gang spans, NUMA domains of its widest worker, one set of rails or not."""

    nodes: int
    leaves: int
    numa: int
    on_rail: bool


@lru_cache(maxsize=256)
def _masks(domains: tuple[int, ...], count: int, gpus: int) -> tuple[int, ...]:
    """All sets of `gpus` GPUs out of `count`, those in few NUMA domains first, then low numbers."""
    masks = [sum(1 << gpu for gpu in chosen) for chosen in combinations(range(count), gpus)]
    return tuple(sorted(masks, key=lambda mask: (sum(bool(mask & d) for d in domains), mask)))


def _fewest(leaves: dict[int, list[int]], workers: int) -> list[list[int]]:
    """As few leaves as hold the workers: the largest ones, and the smallest that does at last."""
    chosen: list[list[int]] = []
    left = sorted(leaves.values(), key=lambda nodes: (-len(nodes), nodes[0]))
    while workers > 0:
        enough = [nodes for nodes in left if len(nodes) >= workers]
        pick = min(enough, key=lambda nodes: (len(nodes), nodes[0])) if enough else left[0]
        left.remove(pick)
        chosen.append(pick)
        workers -= len(pick)
    return chosen
