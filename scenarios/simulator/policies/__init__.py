"""The scheduling policies by the names of the command line; each is imported when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from scenarios.simulator.engine import Policy

POLICIES: Mapping[str, str] = {
    "fcfs": "scenarios.simulator.policies.fcfs:Fcfs",
    "easy": "scenarios.simulator.policies.easy:Easy",
    "easy-sjbf": "scenarios.simulator.policies.easy_sjbf:EasySjbf",
    "conservative": "scenarios.simulator.policies.conservative:Conservative",
    "sjf": "scenarios.simulator.policies.sjf:Sjf",
    "srtf": "scenarios.simulator.policies.srtf:Srtf",
    "srgf": "scenarios.simulator.policies.srgf:Srgf",
    "las": "scenarios.simulator.policies.las:Las",
    "slurm": "scenarios.simulator.slurm.policy:Slurm",
    "kueue": "scenarios.simulator.kueue.policy:Kueue",
}
"""Name -> module:class. A policy is built with `Class(cluster)` where cluster is the parsed
cluster file (an empty mapping without one): its own table of settings is its to read and check."""


def open_policy(name: str, cluster: Mapping[str, object] | None = None) -> Policy:
    """A new policy by name; ValueError names what is there when the name is unknown."""
    if name not in POLICIES:
        raise ValueError(f"There is no policy {name}; choose one of {', '.join(POLICIES)}.")
    module, _, kind = POLICIES[name].partition(":")
    policy = getattr(import_module(module), kind)(cluster or {})
    assert isinstance(policy, Policy)  # noqa: S101  the table above is ours
    return policy
