"""Hosts, jobs, people and devices of a variant: which a text names, and whether they are a cause's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from graders.troubleshooting.places import expanded, machines
from scenarios.troubleshooting.condition import JOB
from scenarios.troubleshooting.key import CauseKey
from scenarios.troubleshooting.truth import Cause, Incident

Named = Mapping[str, frozenset[str]]
"""Kind (node, server, job, user, gpu ...) -> names."""
_OF_JOBS = ("job", "user")
_TOKEN = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*")
_PORTS = re.compile(r"\bswp(\d+)\s*(?:-|–|to|through|bis|à|a|al)\s*(?:swp)?(\d+)\b", re.IGNORECASE)
_SWITCHES = ("leaf", "spine")
_DEVICES = {
    "gpu": re.compile(r"\bGPU\s?#?(\d{1,2})\b", re.IGNORECASE),
    "array": re.compile(r"(?<![\w-])(md\d+)\b", re.IGNORECASE),
    "address": re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.]*\d)"),
    "disk": re.compile(r"\b(nvme\d+n\d+)\b", re.IGNORECASE),
    "port": re.compile(r"\b(swp\d+)\b", re.IGNORECASE),
    "bus": re.compile(r"\b([0-9a-f]{2}:00\.\d)\b", re.IGNORECASE),
}


@dataclass(frozen=True)
class Identities:
    """`known` are all of the variant; `own` those that a cause is about, `near` those where it shows too.

    `ours` are the slow job, the one before and their owner: the place of causes that stand in the job
    itself (`of_job`), and nobody else's.
    """

    known: Mapping[str, tuple[str, str]]
    own: Mapping[str, Named]
    near: Mapping[str, frozenset[str]]
    ours: frozenset[str] = frozenset()
    of_job: frozenset[str] = frozenset()

    def named(self, text: str) -> dict[str, set[str]]:
        """Kind -> names in the text; ranges of machines name each of them."""
        found: dict[str, set[str]] = {}
        for kind, name in _named(self, text):
            found.setdefault(kind, set()).add(name)
        return found

    def elsewhere(self, key: str, text: str) -> tuple[str, ...]:
        """Names in the text that are of a kind by which the cause is placed, if none of them is its own."""
        mentioned = self.named(text)
        if key in self.of_job and any(names & self.ours for names in mentioned.values()):
            mentioned = {k: v for k, v in mentioned.items() if k not in _OF_JOBS}
        wrong: list[str] = []
        for kind, names in self.own.get(key, {}).items():
            said = mentioned.get(kind, set())
            if kind == "switch" and not said:
                said = {name for one in _SWITCHES for name in mentioned.get(one, ())}
            said = said if key in self.of_job else said - self.ours
            if said and not said & names:
                on_its_own = key in self.of_job and kind == "node"
                wrong += sorted(said if on_its_own else said - self.near.get(key, frozenset()))
        return tuple(wrong)


def _named(known: Identities, text: str) -> Iterator[tuple[str, str]]:
    yield from _tokens(known, expanded(text))
    for ports in _PORTS.finditer(text):
        first, last = int(ports[1]), int(ports[2])
        yield from (("port", f"swp{n}") for n in range(first, min(last, first + 99) + 1))
    for kind, pattern in _DEVICES.items():
        for match in pattern.finditer(text):
            yield kind, match.group(1).lower()


def _tokens(known: Identities, text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        token = match.group().lower()
        for part in dict.fromkeys([token, *token.split("-")]):
            if part in known.known:
                yield known.known[part]


def identities(incident: Incident, causes: Iterable[CauseKey]) -> Identities:
    """Those of one variant."""
    known = _known(incident)
    found = Identities(known, {}, {})
    own, near = {}, {}
    owner = incident.training.user
    jobs = frozenset(str(job.id) for job in (incident.slow, incident.before))
    of_job = frozenset(c.key for c in incident.causes if _in_the_job(c, incident))
    keys = {cause.key: cause for cause in causes}
    for cause in incident.causes:
        facts = " , ".join(_texts(cause, incident))
        own[cause.key] = {k: frozenset(v) for k, v in found.named(facts).items()}
        if (gpu := cause.fault.facts().get("gpu")) is not None:
            own[cause.key]["gpu"] = frozenset([str(gpu)])
        if cause.key in of_job:
            own[cause.key] |= {"job": jobs, "user": frozenset([owner])}
        shown = keys[cause.key]
        places = [line.path + " " + line.first for line in shown.lines]
        places += [" ".join(chart.labels.values()) for chart in shown.charts]
        names = found.named(" , ".join(places))
        near[cause.key] = frozenset(name for more in names.values() for name in more)
    return Identities(known, own, near, jobs | {owner}, of_job)


def _in_the_job(cause: Cause, incident: Incident) -> bool:
    """Whether the cause stands in the job itself or on all of its nodes alike."""
    places = set(cause.fault.places())
    return JOB in places or places >= {node.name for node in incident.training.nodes}


def _texts(cause: Cause, incident: Incident) -> list[str]:
    fault = cause.fault
    texts = [value for value in fault.facts().values() if isinstance(value, str)]
    texts += [place.replace("/", " ") for place in fault.places()]
    for job in incident.past.neighbours(fault.key):
        texts += [str(job.id), job.user]
    return texts


def _known(incident: Incident) -> dict[str, tuple[str, str]]:
    plant = incident.plant
    found = {
        name.lower(): (kind, name) for kind, names in machines(incident).items() for name in names
    }
    for ost in plant.storage.osts:
        found[ost.name.rpartition("-")[2].lower()] = ("target", ost.name)
    for name in plant.storage_switches:
        found[name.lower()] = ("switch", name)
    for job in (*incident.jobs, incident.slow, incident.before):
        found[str(job.id)] = ("job", str(job.id))
        found[job.user.lower()] = ("user", job.user)
    return found
