"""What a scaling plan's and an alert program's grader make of answers of the kinds that people write.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.own_answers

The incident and the bill have their own (incident_reading, bill_readings). Answers are made from the
expert's of one variant: the plan of growth-year in other words, another order, another language, with
figures that are not its own, with its orders at a wrong time, or as words without a plan; the program of
gpu-idle-alerts in other words, with alerts at a wrong place, taken back at once, or raised for everything.
Bars: right; keeps (at least 80 % of the right one); falls (at most a third of it); lower. Writes
benchmarks/own_answers.json.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.kinds import grade
from graders.scaling.makers import write_golden
from graders.tests.local_backend import LocalBackend
from scenarios.packs import load_pack

TARGET = Path(__file__).with_suffix(".json")
PLAN, ALERTS = "scaling-plan/growth-year", "automation/gpu-idle-alerts"
LEVEL, SEED = "junior", 1
KEEPS, FALLS = 0.8, 1 / 3

Json = dict[str, Any]

GERMAN = {
    "current": "160 GPUs. Zu wenige Uplinks zwischen Leaf und Spine bremsen große Trainings; kleine Jobs "
    "liegen verstreut, so dass ganze Knoten nie frei werden.",
    "architecture": "Zuerst die Regeln, weil sie nichts kosten; dann Strom, Ports und Knoten, bemessen an der "
    "Nachfrage am Ende des Jahres. Was nicht rechtzeitig kommt, wird gemietet.",
    "phases": "Januar: Regeln. Bis Juli: bestellen. August bis Oktober: einbauen. Danach messen.",
    "money": "Die Zahlen stehen im Plan; kein Quartal ist bis auf den letzten Dollar verplant.",
    "risks": "Spätere Lieferung: Miete. Mehr Nachfrage: nächste Bestellung vorziehen.",
    "rationale": "GPUs helfen nicht, wo eine Leitung oder eine Regel bremst.",
}
TERSE = {
    "current": "uplinks full, small jobs scattered",
    "architecture": "rules, power, nodes; rent gap",
    "phases": "Jan rules, then orders, then install",
    "money": "see plan",
    "risks": "late delivery: rent",
    "rationale": "wires and rules before GPUs",
}
FALSE_WORDS = (
    "We order 90 nodes in March. We rent 4096 GPUs in the cloud. "
    "Capital comes to 99 million USD in all."
)


def with_sections(said: Mapping[str, str]) -> Callable[[Json], Json]:
    return lambda answer: {**answer, "sections": {**answer["sections"], **said}}


def plan_with(change: Callable[[Json], Json]) -> Callable[[Json], Json]:
    return lambda answer: {**answer, "plan": {**answer["plan"], **change(answer["plan"])}}


def reversed_rows(plan: Json) -> Json:
    return {key: rows[::-1] for key, rows in plan.items() if isinstance(rows, list)}


def all_late(plan: Json) -> Json:
    """The right things at the wrong time: every order and rule in the last month that there is."""
    last = load_last_month()
    moved = [{**row, "month": last} for row in plan.get("purchases", [])]
    rules = [{**row, "month": last} for row in plan.get("policies", [])]
    return {"purchases": moved, "policies": rules, "cloud": []}


def load_last_month() -> str:
    from scenarios.company.profile import DEFAULT
    from scenarios.scaling.draw import scene_of

    return scene_of(DEFAULT, LEVEL, SEED).months[-1].name


def taken_back(plan: Json) -> Json:
    """The words stay, the rows are gone."""
    return {key: [] for key, rows in plan.items() if isinstance(rows, list)}


def copied(answer: Json) -> Json:
    """The brief's own words in every section, and no plan."""
    brief = load_pack(PLAN).brief(LEVEL)
    sections = dict.fromkeys(answer["sections"], brief)
    return {"sections": sections, "plan": taken_back(answer["plan"])}


def better_claims(plan: Json) -> Json:
    """A tenth of the wait, and half of the money, of what is played."""
    claims = dict(plan.get("claims", {}))
    return {
        "claims": {
            key: value * (0.1 if key == "wait_p95_h" else 0.5)
            for key, value in claims.items()
            if isinstance(value, (int, float))
        }
    }


PLANS: Mapping[str, tuple[str, Callable[[Json], Json]]] = {
    "right": ("right", lambda answer: answer),
    "terse": ("keeps", with_sections(TERSE)),
    "German": ("keeps", with_sections(GERMAN)),
    "reordered": ("keeps", plan_with(reversed_rows)),
    "without words": ("keeps", lambda answer: {**answer, "sections": {}}),
    "claims far too good": ("lower", plan_with(better_claims)),
    "other figures in the words": ("named", with_sections({"money": FALSE_WORDS})),
    "everything ordered too late": ("falls", plan_with(all_late)),
    "the words without the plan": ("falls", plan_with(taken_back)),
    "copied from the brief": ("falls", copied),
}


def of_plan(make: Callable[[Json], Json]) -> Json:
    pack = load_pack(PLAN)
    answer = json.loads(write_golden(pack, LEVEL, "expert", SEED)[pack.entry])
    report = grade(PLAN, LEVEL, SEED, {pack.entry: json.dumps(make(answer))})
    found = Counter(row["finding"] for row in report.evidence if row["kind"] == "finding")
    measures = {one.measure.key: round(one.score, 3) for one in report.measures}
    return {"score": report.score, "measures": measures, "findings": dict(sorted(found.items()))}


CALL = "self.cluster.alert(rule, names, text, severity, team)"
NEXT = "[(a := sorted(self.inventory))[(a.index(n) + 1) % len(a)] for n in names]"
ALL = "sorted(self.inventory)"


def called(instead: str) -> Callable[[str], str]:
    def changed(source: str) -> str:
        if CALL not in source:
            raise LookupError("The expert does not raise its alerts where it did.")
        return source.replace(CALL, instead)

    return changed


def bare(source: str) -> str:
    """Without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and len(body) > 1 else None
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if isinstance(body, list) and is_text:
            body.remove(first)
    return ast.unparse(tree)


def other_order(source: str) -> str:
    """The methods of every class from the last to the first."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            at = [n for n, one in enumerate(node.body) if isinstance(one, ast.FunctionDef)]
            turned = [node.body[n] for n in reversed(at)]
            for n, one in zip(at, turned, strict=True):
                node.body[n] = one
    return ast.unparse(tree)


def as_handed_out(_: str) -> str:
    return load_pack(ALERTS).template("mid")["controller.py"]


def boasting(_: str) -> str:
    """The program as it is handed out, with the brief's sentences as its own."""
    brief = re.sub(r'["\\]', "", load_pack(ALERTS).brief("mid"))
    return as_handed_out("").replace('"""', f'"""All of this is done:\n{brief}\n', 1)


PROGRAMS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "right": ("right", lambda source: source),
    "terse (no comments)": ("keeps", bare),
    "reordered": ("keeps", other_order),
    "German texts": (
        "keeps",
        called('self.cluster.alert(rule, names, "Bitte ansehen: " + text, severity, team)'),
    ),
    "wrong place (the next GPU)": (
        "falls",
        called(f"self.cluster.alert(rule, {NEXT}, text, severity, team)"),
    ),
    "everything at once": (
        "falls",
        called(f"self.cluster.alert(rule, {ALL}, text, severity, team)"),
    ),
    "taken back at once": (
        "falls",
        called(f"(lambda one: (self.cluster.resolve(one), one)[1])({CALL})"),
    ),
    "as handed out": ("falls", as_handed_out),
    "as handed out, with the brief's words": ("falls", boasting),
}


def of_program(make: Callable[[str], str]) -> Json:
    pack = load_pack(ALERTS)
    files = pack.template("mid") | {pack.entry: make(pack.golden("mid", "expert"))}
    report = grade(ALERTS, "mid", SEED, files, LocalBackend(), hidden=2)
    measures = {one.measure.key: round(one.score, 3) for one in report.measures}
    return {"score": report.score, "measures": measures, "status": report.status}


def _keep(kept: Json, pack: str, name: str, row: Json) -> None:
    kept.setdefault(pack, {})[name] = row
    print(f"{pack:28}{name:40}{row['bar']:7}{row['score']}", row.get("findings", ""), flush=True)


def main() -> None:
    """Grade, keep and print."""
    kept: Json = {"commit": commit()}
    for name, (bar, change) in PLANS.items():
        _keep(kept, PLAN, name, {"bar": bar} | of_plan(change))
    for name, (bar, make) in PROGRAMS.items():
        _keep(kept, ALERTS, name, {"bar": bar} | of_program(make))
    TARGET.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
