"""From a reading, and the findings that interviewers set aside, to measures and evidence. Plays nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graders.measures import Measured
from graders.scaling.measuring import measured, nothing, work_done
from graders.scaling.promises import promised
from graders.scaling.withdrawn import TAKEN_BACK
from graders.written import Assessed, BadCorrection, Corrections

Json = dict[str, Any]
ACTS = ("purchases", "cloud", "retire", "policies")
"""The rows of a plan that change something of the year."""
VERDICTS = ("none", "states")
"""What people say of a finding: that it is set aside, or that it holds."""


def assess(reading: Json, corrections: Corrections = ()) -> Assessed:
    """Measures and evidence of a reading. Pure: the reading is left as it is. Raises BadCorrection."""
    played = reading["played"]
    per_usd = reading.get("per_usd", 1.0)
    level = str(reading.get("level", ""))
    found = measured(played["plan"], played["naive"], played["reference"], per_usd, level)
    aside = _aside(reading, corrections)
    if any(one["finding"] == TAKEN_BACK and one["id"] not in aside for one in reading["findings"]):
        found = nothing(found, "the text takes the plan back")
    elif "plan" in reading and not any(reading["plan"].get(key) for key in ACTS):
        found = nothing(found, "the plan changes nothing")
    found += promised(_held(reading, aside), work_done(found))
    rows: list[Json] = [_total(reading, found)]
    rows += reading["orders"]
    rows += reading["claims"]
    rows += reading["bottlenecks"]
    rows += [{**one, "aside": one["id"] in aside} for one in reading["findings"]]
    rows += reading["checks"]
    rows += [{"kind": "note", "text": note} for note in reading["notes"]]
    return Assessed(found, rows)


def _held(reading: Json, aside: set[str]) -> list[Json]:
    """The claims, without those whose finding an interviewer set aside."""
    return [
        row
        for row in reading["claims"]
        if not any(one["id"] in aside and _about(one, row) for one in reading["findings"])
    ]


def _about(finding: Json, claim: Json) -> bool:
    """Whether a finding is the one that this claim is too good."""
    return finding["finding"] == "over_claim" and str(finding["id"]).split("/")[1:2] == [
        claim["id"]
    ]


def _aside(reading: Json, corrections: Corrections) -> set[str]:
    """Ids of findings that are set aside; the last word on one counts."""
    known = {one["id"]: one["finding"] for one in reading["findings"]}
    last: dict[str, str] = {}
    for one in corrections:
        if known.get(one["statement"]) != one["subject"]:
            raise BadCorrection(f"The answer has no finding {one['statement'][:80]!r}.")
        if one["verdict"] not in VERDICTS:
            raise BadCorrection(f"A verdict is one of {', '.join(VERDICTS)}.")
        last[one["statement"]] = one["verdict"]
    return {given for given, verdict in last.items() if verdict == "none"}


def _total(reading: Json, found: Sequence[Measured]) -> Json:
    """One line over everything, for the head of a page."""
    above = [one.measure.label for one in found if one.score >= 1]
    below = [one.measure.label for one in found if one.score <= 0]
    count = len(reading["played"]["plan"])
    text = f"Played over {count} hidden year{'s' if count != 1 else ''}."
    if above:
        text += f" As good as the reference plan or better: {', '.join(above)}."
    if below:
        text += f" No better than buying evenly: {', '.join(below)}."
    return {
        "kind": "total",
        "text": text,
        "draws": count,
        **{key: reading[key] for key in ("changes", "capex_usd")},
        "findings": len(reading["findings"]),
    }
