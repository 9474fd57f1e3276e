"""What a finding is, and how rows of a plan are named in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.scaling.tables import table
from scenarios.scaling.facts import RENTS
from scenarios.scaling.plan import Change, Phase, Plan, Purchase, Rented, Retired, Risk
from scenarios.scaling.wording import figure

Json = dict[str, Any]
LONGEST_QUOTE = 200


def findings() -> Mapping[str, Mapping[str, str]]:
    """Key of a finding -> its `title`, and `about`, what it means."""
    return table("findings")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. rows: (part of the plan, id) it is about; figures: (name, value, unit) behind it.

    `where` names the files in which a candidate could have seen it; `subject` what it is about where that is
    no row: a bottleneck, a site, a quarter.
    """

    finding: str
    text: str
    rows: tuple[tuple[str, str], ...] = ()
    month: str = ""
    where: tuple[str, ...] = ()
    figures: tuple[tuple[str, float, str], ...] = ()
    subject: str = ""

    def plain(self, plan: Plan) -> Json:
        """The row of evidence; `id` names it among all of one answer."""
        return {
            "kind": "finding",
            "id": "/".join(self._names()),
            "finding": self.finding,
            "title": findings()[self.finding]["title"],
            "about": findings()[self.finding]["about"],
            "text": self.text,
            "rows": [
                {"part": part, "id": given, "text": described(plan, part, given)}
                for part, given in self.rows
            ],
            "subject": self.subject,
            "month": self.month,
            "where": list(self.where),
            "figures": [[name, round(value, 4), unit] for name, value, unit in self.figures],
            "aside": False,
        }

    def _names(self) -> list[str]:
        names = [self.finding, self.subject, *(given for _, given in self.rows), self.month]
        return [one for one in names if one]


def described(plan: Plan, part: str, given: str) -> str:
    """A row of the plan in a line; "" for one that is not there."""
    if part == "claims":
        return f"Claim: {given.replace('_', ' ')} {plan.claims.get(given, 0):,.12g}"
    rows: Sequence[Any] = getattr(plan, part, ())
    if part == "sheet":
        return next((str(row.get("label", "")) for row in rows if sheet_id(rows, row) == given), "")
    one = next((row for row in rows if row.id == given), None)
    return "" if one is None else _line(one)[:LONGEST_QUOTE]


def sheet_id(rows: Sequence[Mapping[str, object]], row: Mapping[str, object]) -> str:
    """Rows of the money table have no id of their own: their number, from 1."""
    return str(next(n for n, one in enumerate(rows, start=1) if one is row))


def quantity(item: str, count: int) -> str:
    """What a row asks for, such as 3 × H200 node, 40 kW of power, 90 TB of Scratch."""
    kind, _, name = item.partition(":")
    if kind == "storage":
        return f"{count:,} TB of {name}"
    return f"{count:,} kW of power" if item == "power" else f"{count:,} × {name or item}"


def nodes(count: float) -> str:
    """Such as 1 node, 3 nodes."""
    return f"{count:,.0f} node" + ("" if count == 1 else "s")


def _line(one: Purchase | Rented | Retired | Change | Phase | Risk) -> str:
    match one:
        case Purchase():
            asked = quantity(one.item, one.count)
            return f"{asked}, ordered in {one.month}, {one.site}".rstrip(", ")
        case Rented():
            kind = RENTS.get(one.kind, one.kind).lower()
            said = f"{one.gpus:,} GPUs, {kind}, {one.start} to {one.end}, {one.region}"
            return said.rstrip(", ")
        case Retired():
            return f"{one.count:,} × {one.item} retired in {one.month}, {one.site}".rstrip(", ")
        case Change():
            return f"{one.policy}: {figure(one.value)} from {one.month}"
        case Phase():
            return f"{one.name}: {one.start} to {one.end}"
        case Risk():
            return one.risk
