"""A monitor that cites true facts of the right kind about something else: none may count."""

from __future__ import annotations

from functools import cache

import pytest

from graders.anchors import anchor_figures
from graders.inprocess import run_trusted
from graders.measures import Measured, measure_workloads
from graders.session import EpisodeSession
from graders.workloads import hidden_workloads
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

PACK, SEED = load_pack("automation/gpu-idle-alerts"), 31
ELSEWHERE = '''

class Elsewhere:
    """Files each finding with facts about other GPUs and jobs, as true as the right ones."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.file = cluster.finding
        self.logs = {}

    def finding(self, alert, cause, evidence):
        mine = {fact.subject for fact in evidence}
        self.processes = {p.gpu: p for p in self.cluster.processes()}
        self.samples = {s.gpu: s for s in self.cluster.samples() if s.at == self.cluster.now}
        self.names = [g.name for g in self.cluster.gpus() if g.takes_jobs and g.name not in mine]
        return self.file(alert, cause, [self.moved(cause, fact) for fact in evidence])

    def moved(self, cause, fact):
        source, subject, value = fact
        if source == "log":
            known = self.logs.setdefault(cause, {})
            other = next((one for one in known.items() if one[0] != subject), (subject, value))
            known[subject] = value
            return Evidence("log", *other)
        if source == "process":
            for name in self.names:
                found = self.processes.get(name)
                if (found is None) == (value == "none"):
                    return Evidence("process", name, str(found.pid) if found else "none")
        if source in ("memory", "power", "util"):
            for name in self.names:
                sample = self.samples.get(name)
                if sample is not None and getattr(sample, source) is not None:
                    return Evidence(source, name, str(getattr(sample, source)))
        return fact


honest = control


def control(cluster):
    cluster.finding = Elsewhere(cluster).finding
    honest(cluster)
'''


@cache
def played(level: str, added: str = "") -> tuple[Measured, ...]:
    """The expert golden on one stretch without API faults, with something added."""
    on = hidden_workloads(PACK, level, SEED)[0]
    episode = on.open(DEFAULT, faults=False)
    source = PACK.golden(level, "expert").split("\nif __name__")[0]
    run_trusted(source + added, EpisodeSession(episode, PACK.world.methods))
    assert episode.complete
    naive, reference = anchor_figures(PACK, level, on, DEFAULT)
    figures = episode.figures()
    return tuple(
        measure_workloads(
            PACK.measures(level), PACK.world.measures, [figures], [naive], [reference]
        )
    )


def scores(level: str, added: str = "") -> dict[str, float]:
    return {one.measure.key: one.score for one in played(level, added)}


@pytest.mark.parametrize("level", ["junior", "mid"])
@pytest.mark.by_day(but=["mid"])
def test_true_facts_about_something_else_show_nothing(level: str) -> None:
    honest, moved = scores(level), scores(level, ELSEWHERE)
    assert honest["evidence"] > 0.95
    assert moved["evidence"] < 0.3
    assert moved["causes"] == honest["causes"]
    assert moved["found"] == honest["found"]
