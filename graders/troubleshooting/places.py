"""Where something is: names of this variant's machines, and what locates each of its causes and herrings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graders.troubleshooting.patterns import LETTERS, Hit
from scenarios.troubleshooting.faults import Fault, Past
from scenarios.troubleshooting.herrings import Herring
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

SPREAD = 3
"""So many machines of a kind may be named beside the right ones; who names more has located nothing."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What locates one cause or herring: `tokens` as they are written, `kind` and `names` of its machines.

    `kind` is "" for what stands on no single machine; `limits` are those of the tokens that somebody set
    ("425 W") and that are no symptom, as a clock or a wait is.
    """

    tokens: tuple[str, ...]
    kind: str
    names: frozenset[str]
    limits: tuple[str, ...] = ()


def machines(incident: Incident) -> dict[str, frozenset[str]]:
    """Kind -> names of everything of the plant that a statement can point at."""
    plant = incident.plant
    storage = plant.storage
    return {
        "node": frozenset(node.name for node in plant.nodes),
        "leaf": frozenset(switch.name for switch in plant.leaves),
        "spine": frozenset(switch.name for switch in plant.spines),
        "target": frozenset(ost.name for ost in storage.osts),
        "server": frozenset((*storage.oss, storage.mds, storage.nfs_server)),
        "rack": frozenset(rack.name for rack in plant.racks),
        "cooler": frozenset(rack.cooler for rack in plant.racks),
    }


Tickets = Mapping[str, Sequence[str]]
"""Key of a cause or herring -> numbers of the change tickets that tell of it."""


def tickets(incident: Incident) -> Tickets:
    """The numbers of all change tickets by whose trace they are."""
    found: dict[str, list[str]] = {}
    for trace in incident.traces():
        if trace.kind == "ticket.change":
            found.setdefault(trace.tag, []).append(str(trace.fields["id"]))
    return found


def spot_of_fault(fault: Fault, incident: Incident, numbers: Tickets) -> Spot:
    """What locates a cause: its machines, values of its own, tickets, settings, jobs of others."""
    past, known = incident.past, machines(incident)
    named = [place.split("/")[0] for place in fault.places()]
    kind = next((k for k, names in known.items() if named and named[0] in names), "")
    own = tuple(dict.fromkeys(name for name in named if name in known.get(kind, ())))
    if len(own) > max(4, len(known.get(kind, ())) // 3) or (kind == "leaf" and len(own) > 2):
        kind, own = "", ()
    tokens = [*own, *_other_machines(named, known, kind), *_values(fault)]
    traces = list(fault.traces(past))
    tokens += [*_settings(traces), *_people(fault, past)]
    tokens += numbers.get(fault.key, ())
    limits = tuple(_figures(fault.facts(), _LIMITS))
    return Spot(tuple(dict.fromkeys(tokens)), kind, frozenset(own), limits)


def spot_of_herring(herring: Herring, incident: Incident, numbers: Tickets) -> Spot:
    """What locates a herring: its host, the tickets that tell of it, and values of its own."""
    kind = next((k for k, names in machines(incident).items() if herring.host in names), "")
    return Spot(
        tuple(dict.fromkeys([herring.host, *numbers.get(herring.key, ())])),
        kind,
        frozenset([herring.host]) if kind else frozenset(),
    )


def _other_machines(
    named: Sequence[str], known: Mapping[str, frozenset[str]], kind: str
) -> list[str]:
    """Machines of other kinds on which it stands too, where they are few."""
    found: list[str] = []
    for other, names in known.items():
        own = [name for name in dict.fromkeys(named) if name in names]
        if other != kind and 0 < len(own) <= 4:
            found += own
    return found


_TEXT_FACTS = (
    "bus_id",
    "cable",
    "ost",
    "oss",
    "disk",
    "cooler",
    "rack",
    "switch",
    "ports",
    "server",
    "dataset",
    "index",
    "directory",
    "mds",
    "driver",
    "bios",
    "spine",
)
_UNITS = {
    "clock_mhz": "{} MHz",
    "limit_w": "{} W",
    "brake_mhz": "{} MHz",
    "mhz": "{} MHz",
    "every": "every {}",
    "exe_ms": "{} ms",
    "await_ms": "{} ms",
    "stall_s": "{} s",
    "percent": "{} %",
    "rank": "rank {}",
}


_BUS = len("4f:00.0")
"""People leave out the domain, which is the same for every device of a node."""
_LIMITS = {"limit_w": _UNITS["limit_w"]}


def _values(fault: Fault) -> list[str]:
    """What is this variant's own in the fault's facts, as one would write it."""
    facts, found = fault.facts(), []
    for name in _TEXT_FACTS:
        value = facts.get(name)
        if isinstance(value, str) and len(value) > 2:
            found.append(value)
            if name == "bus_id":
                found.append(value[-_BUS:])
            if name == "ost":
                found.append(value.rpartition("-")[2])
    found += _figures(facts, _UNITS)
    if isinstance(facts.get("path"), str) and "/projects/" in str(facts["path"]):
        found.append(str(facts["path"]))
    if "mhz" in facts:
        found += [f"{int(str(facts['mhz'])) / 1000:{form}} GHz" for form in (".1f", "g")]
    if "span" in facts:
        first, _, last = str(facts["span"]).partition(" to ")
        found += [f"rank {first}", f"ranks {first}", f"rank {last}"]
    return found


def _figures(facts: Mapping[str, object], units: Mapping[str, str]) -> Iterator[str]:
    """Values with their units."""
    for name, form in units.items():
        if name in facts:
            value = facts[name]
            yield form.format(int(value) if isinstance(value, float) else value)


def _settings(traces: Iterable[Trace]) -> list[str]:
    """The file and the key of every setting that changed, where their names say something."""
    found = []
    for trace in traces:
        if trace.kind != "config.setting":
            continue
        path, key, after = (str(trace.fields[name]) for name in ("path", "key", "after"))
        base = path.rpartition("/")[2]
        found += [base] if base not in ("interfaces",) and len(base) >= 5 else []
        found += [key] if len(key) >= 9 and " " not in key else []
        found += [part for part in after.split() if len(part) >= 9]
    return list(dict.fromkeys(found))


def _people(fault: Fault, past: Past) -> list[str]:
    """Jobs and users of others whom the cause is about."""
    jobs = past.neighbours(fault.key)
    user = fault.facts().get("user")
    others = [user] if isinstance(user, str) and user != past.training.user else []
    return [*(str(job.id) for job in jobs), *others]


@lru_cache(maxsize=4096)
def _pattern(token: str) -> re.Pattern[str]:
    body = re.escape(token).replace(r"\ ", r"[\s-]*")
    return re.compile(rf"(?<![{LETTERS}.]){body}(?![{LETTERS}])", re.IGNORECASE)


def limits_in(spot: Spot, text: str) -> list[Hit]:
    """Where the spot's limits stand in the text."""
    found = [_pattern(one).search(text) for one in spot.limits]
    return [Hit(m.start(), m.end(), m.group()) for m in found if m is not None]


def tokens_at(spot: Spot, text: str) -> list[Hit]:
    """Where tokens of the spot stand in the text, the longest of those that meet and each token once."""
    found: list[Hit] = []
    for token in sorted(spot.tokens, key=len, reverse=True):
        match = _pattern(token).search(text)
        hit = Hit(match.start(), match.end(), match.group()) if match else None
        if hit is not None and not any(hit.meets(other) for other in found):
            found.append(hit)
    return found


def tokens_in(spot: Spot, text: str) -> list[str]:
    """Which of the spot's tokens stand in the text."""
    return [token for token in spot.tokens if _pattern(token).search(text)]


_RANGE = re.compile(
    r"([a-z][a-z-]*?)(\d{2,3})\s*(?:-|–|to|\.\.|through)\s*(?:\1)?(\d{2,3})\b", re.IGNORECASE
)
_BRACKET = re.compile(r"([a-z][a-z-]*)\[([\d,\-]+)\]", re.IGNORECASE)


def machines_in(names: frozenset[str], text: str) -> set[str]:
    """Which machines of a kind the text names; `n001-n004` and `n[001-004,7]` name every one of them."""
    low = expanded(text).lower()
    return {name for name in names if name.lower() in low and _pattern(name.lower()).search(low)}


def expanded(text: str) -> str:
    """The text and, after it, the name of every machine of the ranges in it."""
    found = [text]
    for match in _BRACKET.finditer(text):
        for part in match.group(2).split(","):
            first, _, last = part.partition("-")
            found += _between(match.group(1), first, last or first)
    for match in _RANGE.finditer(text):
        found += _between(match.group(1), match.group(2), match.group(3))
    return " ".join(found)


def _between(stem: str, first: str, last: str) -> list[str]:
    if not first.isdigit() or not last.isdigit() or not 0 <= int(last) - int(first) <= 200:
        return []
    return [f"{stem}{number:0{len(first)}d}" for number in range(int(first), int(last) + 1)]
