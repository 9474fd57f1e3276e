"""From a reading, and what interviewers corrected in it, to measures and evidence. Decides nothing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from graders.cost.challenge import challenges
from graders.cost.filters import placed
from graders.cost.matching import NONE, STATES, VERDICTS, subject, subjects
from graders.cost.tally import Tally, tally, usd
from graders.cost.words import fitting_risk
from graders.written import Assessed, Corrections, Told, by_statement, percentages
from scenarios.cost.catalogue import CATEGORIES, FINDINGS, levers, traps

Json = dict[str, Any]
_TABLE = Path(__file__).with_name("measures.toml")
ENOUGH = 5
"""Opportunities that are asked for."""
NEAR = 1.25
"""Merits closer than this stand in either order."""
_EASE = {"low": 1.0, "medium": 0.8, "high": 0.6}
_STEPS = ("low", "medium", "high")
_SPREAD = 2.0
AIM = 1.5
"""So many rows for each real opportunity are taken as they are; of more, the part."""
NAMED = 0.2
"""What a saving counts that is named and has no figure of the right size."""
WHOLE = 0.15
"""Part by which the sum of all figures may differ from what they save together."""
_STEPS_OF_SIZE = (0.25, 0.5, 0.75, 1.0)
LEAST_AREA = 0.02
"""Part of the achievable saving from which on an area of the bill counts."""


def assess(reading: Json, corrections: Corrections = ()) -> Assessed:
    """Measures and evidence of a reading. Pure: the reading is left as it is. Raises BadCorrection."""
    one = tally(_corrected(reading, corrections))
    found = [
        _found(one),
        _accuracy(one),
        _filters(one),
        _soundness(one),
        _order(one),
        _coverage(one),
        _feasibility(one),
    ]
    rows: list[Json] = [_total(one), *(_opportunity(one, row) for row in one.rows)]
    rows += [finding.plain() for finding in one.findings]
    rows += [_lever(one, key) for key in one.truth["best"]]
    rows += challenges(one)
    rows += [{"kind": "note", "text": note} for note in (*reading["notes"], *_not_read(one))]
    return Assessed(list(found), rows)


def _not_read(one: Tally) -> list[str]:
    """How many rows say nothing that the program knows, and how many propose nothing any more."""
    unread = sum(row["id"] not in one.means for row in one.put_forward)
    aside = len(one.rows) - len(one.put_forward)
    notes = []
    if unread:
        notes.append(f"{unread} of {len(one.rows)} rows were not read; they count neither way.")
    if aside:
        notes.append(
            f"{aside} of {len(one.rows)} rows are put aside or taken back by the answer itself."
        )
    return notes


def _corrected(reading: Json, corrections: Corrections) -> Json:
    """The reading with what interviewers say that rows mean; the last word on a row counts."""
    known = {row["id"] for row in reading["statements"]}
    wanted = by_statement(
        corrections, known, subjects(), VERDICTS, ("opportunity", "lever or trap")
    )
    rows = []
    for row in reading["statements"]:
        mine = wanted.get(row["id"], {})
        kept = [match for match in row["matches"] if mine.get(match["subject"]) != NONE]
        said = [key for key, verdict in mine.items() if verdict == STATES]
        rows.append({**row, "matches": [_by_hand(said[-1])] if said else kept})
    return {**reading, "statements": rows}


def _by_hand(key: str) -> Json:
    return {
        "subject": key,
        "title": subject(key).title,
        "verdict": STATES,
        "words": [],
        "placed": True,
        "weight": 1.0,
        "why": "an interviewer's word",
        "corrected": True,
    }


def _told(key: str, value: float, told: str) -> Told:
    # 0.0 is added because a sum of nothing can come out as minus zero
    return Told(percentages(_TABLE)[key], round(100 * value, 2) + 0.0, 0.0, 100.0, told)


def _enough(count: int) -> float:
    return min(1.0, count / ENOUGH)


def _found(one: Tally) -> Told:
    near = {key: _near(one, key) for key in one.real}
    booked = (1 + _whole(one)) / 2 if one.in_order else 1.0
    reckoned = [key for key in near if near[key] >= _STEPS_OF_SIZE[1]]
    sized = fmean(one.saved([key for key in near if near[key] >= step]) for step in _STEPS_OF_SIZE)
    saved = NAMED * one.saved(one.real) + (1 - NAMED) * booked * sized
    most = one.truth["most_cents"]
    told = (
        f"{one.real_rows} of {len(one.rows)} rows are really there; they are {len(one.real)} opportunities,"
        f" {len(reckoned)} with a figure of the right size, and count {usd(saved)} of {usd(most)}."
    )
    return _told("found", min(1.0, saved / most) * _aim(one) if most else 0.0, told)


def _aim(one: Tally) -> float:
    """1 for tables of which two rows in three are real; the part, squared, for longer lists of anything."""
    return min(1.0, AIM * one.real_rows / max(1, len(one.put_forward))) ** 2


def _counts(one: Tally, key: str) -> float:
    """How far a saving counts: in full with a figure of the right size, in part where it is only named."""
    return NAMED + (1 - NAMED) * _near(one, key)


def _near(one: Tally, key: str) -> float:
    return nearness(one.claim(key), *one.support(key))


def _whole(one: Tally) -> float:
    """How near the sum of all figures is to what these opportunities save together."""
    together = one.saved(one.real)
    claimed = sum(one.claim(key) or 0 for key in one.real)
    return nearness(claimed, together * (1 - WHOLE), together * (1 + WHOLE))


def nearness(claimed: float | None, low: float, high: float) -> float:
    """1 within the range, falling to 0 at twice its end or half its beginning; 0 without a claim."""
    if not claimed:
        return 0.0
    if low <= claimed <= high:
        return 1.0
    ratio = claimed / high if claimed > high else low / claimed
    return max(0.0, 1 - (ratio - 1) / (_SPREAD - 1))


def _accuracy(one: Tally) -> Told:
    size = {key: float(one.lever(key)["alone"]) for key in one.counted()}
    near = {key: _near(one, key) for key in size}
    whole = sum(size.values())
    value = sum(size[key] * near[key] for key in size) / whole if whole else 0.0
    within = sum(one == 1.0 for one in near.values())
    told = f"{within} of {len(near)} real opportunities have a figure within what the data support."
    if one.in_order and near:
        value = (value + _whole(one)) / 2
        told += (
            f" Their figures come to {usd(sum(one.claim(key) or 0 for key in near))};"
            f" together they save {usd(one.saved(one.real))}."
        )
    if one.repeated:
        told += " A figure that stands in more than half of the rows is taken for none."
    return _told("accuracy", value * _enough(len(one.real)) * _aim(one), told)


def _filters(one: Tally) -> Told:
    parts = {key: placed(one, key) for key in one.counted()}
    value = sum(parts[key] * _counts(one, key) for key in parts) / max(1, len(parts))
    right = sum(part >= 1 for part in parts.values())
    told = f"{right} of {len(parts)} real opportunities point at the cost rows on which they act."
    return _told("filters", value * _enough(len(one.real)) * _aim(one), told)


def _soundness(one: Tally) -> Told:
    marked = {given for finding in one.findings for given in finding.opportunities}
    judged = marked | {given for given in one.means if one.certain(given) or _fitting(one, given)}
    sound = {given for given in judged - marked if _sized(one, given)}
    value = len(sound) / len(judged) if judged else 0.0
    kinds = sorted({FINDINGS[finding.finding] for finding in one.findings})
    told = (
        f"{len(marked)} of {len(judged)} rows that the program knows have a finding"
        f"{': ' + ', '.join(kinds) if kinds else ''}; {len(judged - marked - sound)} have no figure"
        " or one far too low."
    )
    return _told("soundness", value * _enough(len(one.put_forward)), told)


def _sized(one: Tally, given: str) -> bool:
    """Whether a row has a figure, and one that is not far too low where there is something to save."""
    key = one.means[given]
    real = key in levers() and one.lever(key)["real"]
    if real and key not in one.counted():
        return True
    return bool(one.figure(given)) and (not real or _near(one, key) > 0)


def _fitting(one: Tally, given: str) -> bool:
    """Whether what a row's filter alone says of it is borne out by its figure."""
    key = one.means[given]
    return key in levers() and one.lever(key)["real"] and _near(one, key) > 0


def merit(one: Tally, given: str) -> float:
    """What an opportunity is worth doing early: net saving weighed with effort, side effects and time."""
    key = one.means.get(given)
    if key is None or key in traps():
        return 0.0
    lever, figures = levers()[key], one.lever(key)
    time = 1 - min(11.0, sum(lever.months) / 2) / 12
    net = max(0, figures["alone"] - figures["effort"])
    return float(net) * _EASE[lever.complexity] * (1 - 0.08 * lever.severity) * time


def _order(one: Tally) -> Told:
    ranked = [
        (row["priority"], merit(one, row["id"]), _reckoned(one, row["id"]))
        for row in one.rows
        if row["id"] in one.means
    ]
    right = wrong = pairs = 0
    earned = 0.0
    for (first, a, mine), (second, b, theirs) in combinations(ranked, 2):
        if a == b == 0:
            continue
        pairs += 1
        if first is None or second is None or first == second or not (mine and theirs):
            continue
        if max(a, b) < NEAR * min(a, b) or (first < second) == (a > b):
            right += 1
            earned += min(mine, theirs)
        else:
            wrong += 1
    value = (earned - wrong) / pairs if pairs else 0.0
    return _told(
        "order", value * _enough(len(ranked)), f"{right} pairs of {pairs} right, {wrong} wrong."
    )


def _reckoned(one: Tally, given: str) -> float:
    """How far an order by value can rest on a row's figure: 0 without one, a fifth on one that is far off.

    Of what is no saving there is no right figure; its place at the end is.
    """
    key = one.means[given]
    if not one.figure(given):
        return 0.0
    return _counts(one, key) if key in levers() and one.lever(key)["real"] else 1.0


def _coverage(one: Tally) -> Told:
    wanted = set(_areas(one))
    there: dict[str, float] = {}
    for key in one.real:
        area = levers()[key].category
        there[area] = max(there.get(area, 0.0), _counts(one, key))
    names = ", ".join(CATEGORIES[key] for key in CATEGORIES if key in wanted - set(there))
    told = (
        f"{len(wanted & set(there))} of {len(wanted)} areas{'; without ' + names if names else ''}."
    )
    value = sum(there.get(area, 0.0) for area in wanted) / max(1, len(wanted))
    return _told("coverage", value * _aim(one), told)


def _areas(one: Tally) -> list[str]:
    """Categories in which this bill has more than a trifle to save; with a least sum, to save still."""
    if one.in_order:
        return _still(one)
    sums: dict[str, int] = {}
    for key in one.truth["best"]:
        category = levers()[key].category
        sums[category] = sums.get(category, 0) + one.lever(key)["alone"]
    return [key for key, cents in sums.items() if cents >= LEAST_AREA * one.truth["most_cents"]]


def _still(one: Tally) -> list[str]:
    """Categories of the table's own savings, and those in which more than a trifle is left beside them."""
    areas = {levers()[key].category for key in one.counted()}
    least = one.saved(one.real) + LEAST_AREA * one.truth["most_cents"]
    for category in CATEGORIES:
        more = [key for key in one.truth["best"] if levers()[key].category == category]
        if one.saved([*one.real, *more]) >= least:
            areas.add(category)
    return sorted(areas)


def _feasibility(one: Tally) -> Told:
    parts = {key: _fits(one, key) for key in one.counted()}
    value = sum(parts[key] * _counts(one, key) for key in parts) / max(1, len(parts))
    fitting = sum(part >= 0.75 for part in parts.values())
    told = f"{fitting} of {len(parts)} real opportunities are stated fittingly."
    return _told("feasibility", value * _enough(len(one.real)) * _aim(one), told)


def _fits(one: Tally, key: str) -> float:
    lever, row = levers()[key], one.row(one.named[key][0])
    points = [
        _complexity(row["complexity"], lever.complexity),
        float(fitting_risk(key, row["risk"])),
    ]
    points.append(_in_time(row["months"], lever.months))
    if _depends(one, key):
        points.append(float(bool(row["dependency"].strip())))
    return sum(points) / len(points)


def _complexity(said: str, true: str) -> float:
    return 0.0 if not said else max(0.0, 1 - 0.5 * abs(_STEPS.index(said) - _STEPS.index(true)))


def _in_time(said: float | None, true: tuple[float, float]) -> float:
    if said is None:
        return 0.0
    return 1.0 if true[0] / 2 <= said <= true[1] * 2 else 0.0


def _depends(one: Tally, key: str) -> bool:
    """Whether other real levers of this bill act on the same money, or a contract's date decides."""
    mine = set(levers()[key].lines)
    others = [other for other in one.truth["levers"] if other != key and one.lever(other)["real"]]
    return any(mine & set(levers()[other].lines) for other in others)


def _total(one: Tally) -> Json:
    claims = [row["claimed_cents"] or 0 for row in one.put_forward]
    return {
        "kind": "total",
        "bill_usd": round(one.truth["total_cents"] / 100),
        "achievable_usd": round(one.truth["most_cents"] / 100),
        "claimed_usd": round(sum(claims) / 100),
        "supported_usd": round(one.saved(one.real) / 100),
        "text": (
            f"{usd(sum(claims))} are claimed. What is really there of it saves {usd(one.saved(one.real))}"
            f" together;"
            f" {usd(one.truth['most_cents'])} of {usd(one.truth['total_cents'])} can be saved."
        ),
    }


def _opportunity(one: Tally, row: Json) -> Json:
    key = one.means.get(row["id"])
    figures = one.lever(key) if key in levers() and key else None
    said = next((match for match in row["matches"] if match["subject"] == key), None)
    return {
        "kind": "opportunity",
        "id": row["id"],
        "what": row["text"],
        "where": row["where"],
        "subject": key or "",
        "title": subject(key).title if key else "",
        "why": said["why"]
        if said
        else row.get("doubt")
        or "It fits none of the levers that the program knows; judge it yourself.",
        "corrected": bool(said and said.get("corrected")),
        "placed": bool(said and said["placed"]),
        "claimed_usd": None if row["claimed_cents"] is None else round(row["claimed_cents"] / 100),
        "claimed_of": row["claimed_of"],
        "selected_usd": round(row["selected_cents"] / 100, 2),
        "selected_rows": row["selected_rows"],
        "rows": row["rows"],
        "supported_usd": [round(cents / 100) for cents in one.support(str(key))]
        if figures
        else None,
        "how": figures["how"] if figures else "",
        "shows": figures["shows"] if figures else [],
        "real": bool(figures and figures["real"]),
        "findings": [
            finding.finding for finding in one.findings if row["id"] in finding.opportunities
        ],
        "priority": row["priority"],
    }


def _lever(one: Tally, key: str) -> Json:
    figures, lever = one.lever(key), levers()[key]
    ids = one.named.get(key, [])
    state = "missed" if not ids else "found" if one.claim(key) else "named"
    rows = [shown for line in lever.lines for shown in one.truth["line_rows"].get(line, [])]
    return {
        "kind": "lever",
        "key": key,
        "title": lever.title,
        "category": CATEGORIES[lever.category],
        "state": state,
        "opportunities": ids,
        "saving_usd": round(figures["alone"] / 100),
        "left_when_all_else_is_done_usd": round(figures["last"] / 100),
        "how": figures["how"],
        "shows": figures["shows"],
        "rows": rows,
    }
