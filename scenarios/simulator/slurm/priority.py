"""Slurm's multifactor priority: weights times factors, and the order jobs are looked at."""

from __future__ import annotations

from typing import NamedTuple


class Factors(NamedTuple):
    """What counts for a job's priority, each between 0 and 1."""

    age: float = 0.0
    association: float = 0.0
    fair_share: float = 0.0
    job_size: float = 0.0
    partition: float = 0.0
    qos: float = 0.0
    tres: float = 0.0


class Weights(NamedTuple):
    """PriorityWeight... of slurm.conf, in the order of Factors."""

    age: int = 0
    association: int = 0
    fair_share: int = 0
    job_size: int = 0
    partition: int = 0
    qos: int = 0
    tres: int = 0


def priority(weights: Weights, factors: Factors, site: int = 0, nice: int = 0) -> int:
    """Sum of weight x factor with the site's own term, less `nice`; cut to a whole number.

    The sum is cut, not each product: four of the five priorities in the recorded
    `sprio` of slurmctld 22.05.8 show no difference, the fifth does.
    """
    total = sum(weight * factor for weight, factor in zip(weights, factors, strict=True))
    return site + int(total) - nice


def age_factor(waited: float, max_age: float) -> float:
    """Waiting time since a job became eligible as a part of PriorityMaxAge (same unit)."""
    return min(1.0, waited / max_age)


def size_factor(nodes: int, all_nodes: int, cpus: int, all_cpus: int) -> float:
    """Job size where large jobs are favoured: the mean of the parts of nodes and processors."""
    return (nodes / all_nodes + cpus / all_cpus) / 2
