"""Which recommendation an interviewer may challenge, and with which question: ranked by side effects."""

from __future__ import annotations

from typing import Any

from graders.cost.matching import subject
from graders.cost.tally import Tally, usd
from graders.cost.words import fitting_risk
from scenarios.cost.catalogue import FINDINGS, levers

Json = dict[str, Any]
MOST = 5
_WEIGHT = {
    "availability": 3.0,
    "waste_commitment": 2.5,
    "sunk": 2.0,
    "moved": 1.8,
    "double_count": 1.4,
    "over_claim": 1.3,
    "below_effort": 1.0,
}
_UNSAID = 0.8
"""Added where the answer does not name a risk that this measure has."""


def challenges(one: Tally) -> list[Json]:
    """At most five opportunities, the one with most to talk about first, each with reasons and a question."""
    rows = [_row(one, row) for row in one.rows if row["id"] in one.means]
    rows.sort(key=lambda row: (-row["weight"], row["opportunity"]))
    return [{**row, "rank": rank} for rank, row in enumerate(rows[:MOST], start=1)]


def _row(one: Tally, row: Json) -> Json:
    key = one.means[row["id"]]
    about, kinds = subject(key), [f.finding for f in one.findings if row["id"] in f.opportunities]
    reasons, weight = [], float(about.severity)
    for kind in dict.fromkeys(kinds):
        weight += _WEIGHT[kind]
        reasons.append(f"{FINDINGS[kind]}.")
    if key in levers() and not fitting_risk(key, row["risk"]):
        weight += _UNSAID
        reasons.append(f"Its main side effect is not named: {levers()[key].risk}")
    elif key in levers():
        reasons.append(f"Side effect: {levers()[key].risk}")
    claimed = row["claimed_cents"] or 0
    weight += min(1.0, claimed / max(1, one.truth["most_cents"]))
    if claimed:
        reasons.append(f"{usd(claimed)} a year hang on it.")
    return {
        "kind": "challenge",
        "opportunity": row["id"],
        "what": row["text"],
        "title": about.title,
        "weight": round(weight, 3),
        "reasons": reasons,
        "question": about.question,
    }
