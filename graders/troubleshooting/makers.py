"""Writes the reference answers of a variant: what they say follows from its truth, the words are the pack's."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from graders.troubleshooting.places import Spot
from graders.troubleshooting.truth import Truth, truth_of
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import Pack
from scenarios.troubleshooting.faults import CATALOGUE, Fault
from scenarios.troubleshooting.herrings import Herring
from scenarios.troubleshooting.key import Chart, Lines
from scenarios.troubleshooting.levels import LEVELS, Settings
from scenarios.troubleshooting.physics import STEPS
from scenarios.troubleshooting.truth import make_incident

Json = dict[str, Any]
SENTENCES, NOTES = 0, 1
"""The two engineers whose words the pack holds."""


@dataclass(frozen=True)
class Maker:
    """What a golden is made from: the truth, the faults and herrings with their facts, and the words."""

    truth: Truth
    faults: Mapping[str, Fault]
    herrings: Mapping[str, Herring]
    words: Mapping[str, Any]
    generic: str

    def facts(self, key: str) -> dict[str, Any]:
        """What the words of a cause of this variant may name."""
        cause = self.truth.causes[key]
        hours = {"hours": f"{cause.hours:.1f}", "seconds": f"{cause.seconds:.2f}"}
        return {**self.faults[key].facts(), **hours}

    def say(self, key: str, part: str, style: int) -> str:
        """One engineer's words about a cause of this variant."""
        said: str = self.words[key][part][style].format(**self.facts(key))
        return said

    def at_once(self, key: str, style: int, *, careful: bool = True) -> str:
        """What is done against a cause now: within what may be done, unless somebody is careless."""
        rule = self.truth.key.constraint
        if rule is None or rule.cause != key:
            return self.say(key, "mitigation", style)
        place = _place(self.truth.spots[key]) or self.say(key, "issue", NOTES).partition(". ")[0]
        return f"{place}: {rule.keeps if careful else rule.breaks}"

    def of_herring(self, key: str, part: str, style: int = 0) -> str:
        """One engineer's words about a herring of this variant; `blame` puts two hours on it."""
        found = self.words[key][part]
        text = found if isinstance(found, str) else found[style]
        herring = self.herrings[key]
        facts = {name: getattr(herring, name) for name in herring.__dataclass_fields__}
        said: str = text.format(**facts, hours="2.0")
        return said


class _Vague(dict[str, str]):
    """Facts of somebody who has not looked: every machine is the one given, every number is missing."""

    def __init__(self, machine: str, hours: float) -> None:
        super().__init__(hours=f"{hours:.1f}", seconds=f"{hours * 3_600 / STEPS:.2f}")
        self.machine = machine

    def __missing__(self, name: str) -> str:
        if name in ("node", "nodes", "rack", "leaf", "ost", "oss"):
            return self.machine
        return {"fan": "FAN3", "every": "50"}.get(name, "some")


@cache
def _words(folder: Path) -> Mapping[str, Any]:
    found: Json = {}
    for path in sorted(folder.glob("words-*.toml")):
        found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=4)
def maker_of(
    folder: Path,
    level: str,
    seed: int,
    profile: Profile = DEFAULT,
    settings: Settings | None = None,
) -> Maker:
    """What the goldens in this folder are made from for one variant, drawn as the level is unless told."""
    incident = make_incident(profile, settings or LEVELS[level], seed)
    return Maker(
        truth=truth_of(profile, level, seed, settings),
        faults={cause.key: cause.fault for cause in incident.causes},
        herrings={herring.key: herring for herring in incident.herrings},
        words=_words(folder),
        generic=(folder / "generic.json").read_text(encoding="utf-8"),
    )


def _line_pin(lines: Lines) -> Json:
    kind = "config" if lines.path.startswith("config/") else "log"
    return {"kind": kind, "path": lines.path, "line": lines.spans[0][0], "text": lines.first}


def _chart_pin(chart: Chart) -> Json:
    return {
        "kind": "chart",
        "metric": chart.metric,
        "labels": dict(chart.labels),
        "from_ms": chart.from_ms,
        "to_ms": chart.to_ms,
    }


def _place(spot: Spot) -> str:
    """The machines of a cause; for one on many of them, what else is its own."""
    return ", ".join(sorted(spot.names)) or ", ".join(spot.tokens[:1])


def _bullets(rows: Sequence[str]) -> str:
    return "\n".join(f"- {row}" for row in rows)


def expert(one: Maker) -> Json:
    """Every cause with its cost, evidence and both actions, largest first; every herring put aside."""
    cards = []
    for number, cause in enumerate(one.truth.key.causes, start=1):
        key = cause.key
        cards.append(
            {
                "id": f"c{number}",
                "claim": one.say(key, "issue", SENTENCES),
                "place": _place(one.truth.spots[key]),
                "status": "supported",
                "hours": round(cause.hours, 1),
                "seconds_per_step": round(cause.seconds, 2),
                "priority": number,
                "mitigation": one.at_once(key, SENTENCES),
                "prevention": one.say(key, "prevention", SENTENCES),
                "reason": "Checked against the run to compare with.",
                "opened_min": 4.0 * number,
                "decided_min": 4.0 * number + 3,
                "pins": [
                    *(_line_pin(lines) for lines in cause.lines[:3]),
                    *(_chart_pin(chart) for chart in cause.charts[:1]),
                ],
            }
        )
    return {"sections": _expert_prose(one), "hypotheses": cards}


def _expert_prose(one: Maker) -> Json:
    keys = [cause.key for cause in one.truth.key.causes]
    issues = _bullets([one.say(key, "issue", NOTES) for key in keys])
    aside = _bullets([one.of_herring(key, "aside", NOTES) for key in one.herrings])
    return {
        "first_look": "I compared the timers of both runs first, since they divide the lost time by part.",
        "issues": f"{issues}\n\nLooked at and put aside:\n\n{aside}",
        "priorities": "By hours given back, as on the board; whatever acts without a restart goes first.",
        "immediate": _bullets([one.at_once(key, NOTES) for key in keys]),
        "long_term": _bullets([one.say(key, "prevention", NOTES) for key in keys]),
    }


def prose(one: Maker) -> Json:
    """The expert without a board: everything in the written sections."""
    keys = [cause.key for cause in one.truth.key.causes]
    issues = []
    for key in keys:
        line = one.truth.causes[key].lines[0]
        cited = f"See {line.path}:{line.spans[0][0]}."
        issues.append(f"{one.say(key, 'issue', SENTENCES)} {cited}")
    aside = [one.of_herring(key, "aside", SENTENCES) for key in one.herrings]
    order = [
        f"{number}. {one.say(key, 'issue', NOTES)}" for number, key in enumerate(keys, start=1)
    ]
    sections = {
        "first_look": "The training log and the timers by rank of both runs.",
        "issues": "\n\n".join(issues) + "\n\n" + "\n".join(aside),
        "priorities": "\n".join(order),
        "immediate": "\n".join(f"{n}. {one.at_once(k, SENTENCES)}" for n, k in enumerate(keys, 1)),
        "long_term": "\n".join(
            f"{n}. {one.say(k, 'prevention', SENTENCES)}" for n, k in enumerate(keys, 1)
        ),
    }
    return {"sections": sections, "hypotheses": []}


def competent(one: Maker) -> Json:
    """All causes but the smallest, rough hours, few pins of which one is off, one herring put aside."""
    causes = one.truth.key.causes[:-1]
    cards = []
    for number, cause in enumerate(causes, start=1):
        rough = cause.hours * (1.3 if number % 2 else 0.75)
        stray = {"kind": "log", "path": "people/chat.txt", "line": 1}
        cards.append(
            {
                "id": str(number),
                "claim": one.say(cause.key, "issue", NOTES).partition(". ")[0],
                "status": "supported",
                "hours": round(rough, 1),
                "priority": number,
                "mitigation": one.at_once(cause.key, NOTES, careful=False),
                "pins": [_line_pin(cause.lines[-1]), *([stray] if number == 1 else [])],
            }
        )
    herring = next(iter(one.herrings))
    sections = {
        "first_look": "Training log, then the nodes.",
        "issues": one.of_herring(herring, "aside", SENTENCES),
        "immediate": _bullets([one.at_once(cause.key, NOTES, careful=False) for cause in causes]),
        "long_term": _bullets(
            [one.say(cause.key, "prevention", SENTENCES) for cause in causes[:2]]
        ),
    }
    return {"sections": sections, "hypotheses": cards}


def guesser(one: Maker) -> Json:
    """Every cause of the catalogue, fluently and nowhere, with an equal part of the hours each."""
    return _guess(one, "some node")


def guesser_everywhere(one: Maker) -> Json:
    """Every cause of the catalogue on every node, with every metric of the key pinned to each."""
    nodes = ", ".join(sorted(one.truth.machines["node"]))
    found = _guess(one, nodes)
    pins = [
        {"kind": "chart", "metric": metric, "from_ms": 0, "to_ms": 9e14}
        for metric in one.truth.key.metrics
    ]
    for card in found["hypotheses"]:
        card["pins"] = pins
    return found


def _guess(one: Maker, machine: str) -> Json:
    facts = _Vague(machine, one.truth.gap / len(CATALOGUE))
    cards = []
    for number, fault in enumerate(CATALOGUE, start=1):
        words = one.words[fault.key]
        cards.append(
            {
                "id": str(number),
                "claim": words["issue"][SENTENCES].format_map(facts),
                "place": machine,
                "status": "supported",
                "hours": round(one.truth.gap / len(CATALOGUE), 2),
                "priority": number,
                "mitigation": words["mitigation"][SENTENCES].format_map(facts),
                "prevention": words["prevention"][SENTENCES].format_map(facts),
                "pins": [],
            }
        )
    issues = _bullets([str(card["claim"]) for card in cards])
    return {"sections": {"issues": issues}, "hypotheses": cards}


def herring_chaser(one: Maker) -> Json:
    """Every herring as a cause, with hours, pins on its own lines and actions; no cause at all."""
    cards = [
        {
            "id": str(number),
            "claim": one.of_herring(herring.key, "blame"),
            "place": herring.host,
            "status": "supported",
            "hours": 2.0,
            "priority": number,
            "mitigation": f"Drain {herring.host}.",
            "prevention": f"Alert on this for {herring.host}.",
            "pins": [_line_pin(lines) for lines in herring.lines[:2]],
        }
        for number, herring in enumerate(one.truth.key.herrings, start=1)
    ]
    issues = _bullets([str(card["claim"]) for card in cards])
    return {"sections": {"issues": issues}, "hypotheses": cards}


def silent(one: Maker) -> Json:
    """The template as it is handed out."""
    return {"sections": {}, "hypotheses": []}


def generic(one: Maker) -> Json:
    """Fluent text that fits every variant."""
    found: Json = json.loads(one.generic)
    return found


MAKERS: Mapping[str, Callable[[Maker], Json]] = {
    make.__name__: make
    for make in (
        expert,
        prose,
        competent,
        guesser,
        guesser_everywhere,
        herring_chaser,
        silent,
        generic,
    )
}
"""Name -> what writes the golden's answer."""


def write_golden(
    pack: Pack, level: str, name: str, seed: int, profile: Profile = DEFAULT
) -> dict[str, str]:
    """The files of a golden's answer to one variant. Raises KeyError for an unknown name."""
    answer = MAKERS[name](maker_of(pack.folder / "goldens", level, seed, profile))
    return {pack.entry: json.dumps(answer, indent=1, ensure_ascii=False)}
