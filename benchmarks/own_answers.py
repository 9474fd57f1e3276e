"""What the graders of all four exercises make of answers of the kinds that people write, before and now.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.own_answers [--as before]

Of the plan of growth-year and the program of gpu-idle-alerts the answers are made from the expert's of one
variant: in other words, another order, another language, with figures that are not its own, at a wrong time or
place, denied, doubted or taken back in its written parts, or as words alone. Those of the bill and of the
incident stand in benchmarks/strangers (the seventh set and the fourth), in several languages and styles. Bars:
right; keeps (at least 80 % of the right one of its variant); falls (at most a third of it); lower. Writes
benchmarks/own_answers.json; with --as before only what stands there as the values before, to be run in a
checkout of then. Prints the table.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks import strangers
from benchmarks.commit import commit
from graders.kinds import grade
from graders.scaling.makers import write_golden
from graders.tests.local_backend import LocalBackend
from scenarios.packs import load_pack

TARGET = Path(__file__).with_suffix(".json")
PLAN, ALERTS = "scaling-plan/growth-year", "automation/gpu-idle-alerts"
BILL, INCIDENT = "cost/fleet-bill", "troubleshooting/slow-training"
PACKS = (PLAN, ALERTS, BILL, INCIDENT)
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
SAID = {
    "denied": "None of these orders should be placed; we would not carry out this plan.",
    "denied, German": "Keine der Bestellungen soll aufgegeben werden, nichts davon wird gekauft.",
    "hedged": "I cannot say which of these orders we need, or whether any of them helps.",
    "hedged, French": "Je ne saurais dire lesquelles de ces commandes sont utiles.",
    "retracted": "On second thoughts I take the whole plan back.",
    "retracted, German": "Den ganzen Plan ziehe ich hiermit zurück.",
    "retracted, Spanish": "Retiro todo el plan, me he equivocado.",
}
"""What a written part beside the expert's rows says of them."""
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


def exchanged(plan: Json) -> Json:
    """Each order is for what another orders, each rule for another wait, what is rented for other work."""
    rows = plan.get("purchases", [])
    others = iter(("checkpoint_to_nvme", "cache_on_nvme", "preemption", "share_idle_quota"))
    return {
        "purchases": [
            {**row, "item": rows[(at + 1) % len(rows)]["item"]} for at, row in enumerate(rows)
        ],
        "policies": [{**row, "policy": next(others)} for row in plan.get("policies", [])],
        "cloud": [{**row, "classes": ["notebooks"]} for row in plan.get("cloud", [])],
    }


def all_of_it(plan: Json) -> Json:
    """Every thing that could help, in case it does: a list of maybes as a plan."""
    months = [row["month"] for row in plan.get("purchases", [])] or [load_last_month()]
    items = sorted({"leaf", "spine", "rack", "node:H100 node", "power"})
    more = [
        {"id": f"maybe-{at}", "month": months[0], "item": item, "count": 4, "site": "Site A"}
        for at, item in enumerate(items)
    ]
    return {"purchases": [*plan.get("purchases", []), *more]}


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
    **{name: ("falls", with_sections({"risks": said})) for name, said in SAID.items()},
    "wrong place (everything exchanged)": ("falls", plan_with(exchanged)),
    "everything that could help": ("lower", plan_with(all_of_it)),
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
    "denied (worked out and not raised)": ("falls", called("None")),
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


def by_variant(rows: list[Json]) -> dict[str, Json]:
    """What is graded from files of answers: "mid-8401 denied" -> its row."""
    kept = ("bar", "score", "measures", "findings")
    return {
        f"{row['variant']} {row['answer']}": {key: row[key] for key in kept if key in row}
        for row in rows
    }


def graded() -> dict[str, dict[str, Json]]:
    """Pack -> kind of answer -> its bar, score and measures."""
    return {
        PLAN: {name: {"bar": bar} | of_plan(make) for name, (bar, make) in PLANS.items()},
        ALERTS: {name: {"bar": bar} | of_program(make) for name, (bar, make) in PROGRAMS.items()},
        BILL: by_variant(strangers.bill(strangers.FOLDER / "seventh" / "bill")),
        INCIDENT: by_variant(strangers.incident(strangers.FOLDER / "fourth" / "incident")),
    }


def right_one(rows: Mapping[str, Json], name: str) -> float:
    """The score of the right answer beside which one is held: of the same variant where there are several."""
    variant = name.partition(" ")[0]
    beside = f"{variant} right" if f"{variant} right" in rows else "right"
    return float(rows[beside]["score"])


def shown(kept: Json) -> None:
    """The table, a row for each answer."""
    for pack in PACKS:
        rows = kept[pack]
        for name, row in rows.items():
            before = kept["before"]["scores"].get(pack, {}).get(name)
            part = row["score"] / right_one(rows, name)
            was = "–" if before is None else f"{before:.2f}"
            print(f"{pack:32}{name:52}{row['bar']:7}{was:>6}{row['score']:6.2f}{part:6.0%}")


def main() -> None:
    """Grade, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--as", dest="name", default="now", choices=("now", "before"))
    before = parser.parse_args().name == "before"
    kept: Json = json.loads(TARGET.read_text(encoding="utf-8"))
    found = graded()
    scores = {
        pack: {name: row["score"] for name, row in rows.items()} for pack, rows in found.items()
    }
    if before:
        kept["before"] = {"commit": commit(), "scores": scores}
    else:
        kept = {"commit": commit(), "before": kept["before"], **found}
    TARGET.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if not before:
        shown(kept)


if __name__ == "__main__":
    main()
