"""The answer of the scaling plan: written sections and the plan, checked and bounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graders.written import BadAnswer, parts_of, sections_of
from scenarios.scaling.plan import BadPlan, Plan
from scenarios.scaling.reading import parse as parse_plan
from scenarios.scaling.reading import parse_object

LONGEST = 2_000_000
"""Characters of a whole answer."""
SECTIONS = (
    "current",
    "architecture",
    "phases",
    "money",
    "risks",
    "rationale",
    "strategy",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer; `notes` say what was in it that nobody reads."""

    sections: Mapping[str, str]
    plan: Plan
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> int:
        """Rows of the plan that change something."""
        plan = self.plan
        return sum(map(len, (plan.purchases, plan.cloud, plan.retire, plan.policies)))


def parse(text: str) -> Answer:
    """The answer in `answer.json`. Raises BadAnswer; keys that nobody knows become a note."""
    if len(text) > LONGEST:
        raise BadAnswer(f"answer.json is longer than {LONGEST:,} characters.")
    data, notes = parts_of(text, "plan")
    sections = sections_of(data.get("sections") or {}, SECTIONS, notes)
    return Answer(sections, _plan(data.get("plan")), tuple(notes))


def plan_of(files: Mapping[str, str]) -> Plan:
    """The plan among the files of a draft: plan.json, else the one in answer.json. Raises BadAnswer."""
    if "plan.json" not in files:
        return parse(files.get("answer.json", "")).plan
    try:
        return parse_plan(files["plan.json"])
    except BadPlan as error:
        raise BadAnswer(str(error)) from None


def _plan(data: Any) -> Plan:
    try:
        return parse_object(data)
    except BadPlan as error:
        raise BadAnswer(str(error)) from None
