"""What a monitor may do, what it must not, and what its findings are worth."""

from __future__ import annotations

import pytest

from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.measures import MEASURES
from scenarios.worlds.gpu_idle_alerts.rules import Case
from scenarios.worlds.gpu_idle_alerts.setting import HOUR
from scenarios.worlds.gpu_idle_alerts.tests.stretches import (
    ONE,
    TEN,
    THREE,
    names,
    opened,
    raise_for,
    until_case,
)
from scenarios.worlds.refusal import Refused


def texts(days: Episode) -> list[str]:
    return [text for _, text in days.controls.broken_rules]


def silent(days: Episode, cause: str, team: str = "") -> Case:
    """A case of the cause whose owner will not answer, of the team if one is named."""
    while True:
        case = until_case(days, cause)
        if not team or case.team == team:
            days.world.jobs[case.job].reaction = "silent"
            return case


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("melted", ["gpu-01/0"], "ticket", "ops", ""), "invalid"),
        (("idle", [], "ticket", "ops", ""), "invalid"),
        (("idle", ["gpu-01/0"], "ticket", "nobody", ""), "invalid"),
        (("idle", ["gpu-77/0"], "ticket", "ops", ""), "not_found"),
        (("idle", ["gpu-03/0"], "ticket", "ops", ""), "not_found"),
    ],
)
def test_wrong_alerts_are_refused(
    arguments: tuple[str, list[str], str, str, str], code: str
) -> None:
    days = opened(THREE)
    days.tick()
    with pytest.raises(Refused) as refusal:
        days.alert(*arguments)
    assert refusal.value.code == code


def test_an_open_alert_of_the_same_rule_is_a_conflict_until_it_is_resolved() -> None:
    days = opened(THREE)
    days.tick()
    made = days.alert("idle", ["gpu-01/0", "gpu-01/1"], "ticket", "ops", "")
    assert made == {"id": 1}
    with pytest.raises(Refused) as refusal:
        days.alert("idle", ["gpu-01/1"], "ticket", "ops", "")
    assert refusal.value.code == "conflict"
    days.resolve(1)
    days.resolve(1)
    assert days.alert("idle", ["gpu-01/1"], "ticket", "ops", "") == {"id": 2}


def test_a_dead_job_may_be_cancelled_after_a_warning_and_four_hours() -> None:
    days = opened(THREE, "steady", "cancel")
    case = silent(days, "crashed_job")
    days.warn(case.job, "it ends in four hours")
    for _ in range(4 * HOUR):
        days.tick()
    days.cancel(case.job)
    days.tick()
    assert texts(days) == []
    assert days.controls.lost_gpu_h == 0
    assert case.over >= 0


def test_cancelling_too_early_breaks_a_rule_and_is_done() -> None:
    days = opened(THREE, "steady", "cancel")
    case = silent(days, "crashed_job")
    days.warn(case.job, "now")
    for _ in range(4 * HOUR - 1):
        days.tick()
    days.cancel(case.job)
    assert texts(days) == [f"cancelled job {case.job} without four hours' warning"]
    assert case.job not in days.world.jobs


def test_cancelling_a_living_job_destroys_its_work() -> None:
    days = opened(THREE, "steady", "cancel")
    for _ in range(3 * HOUR):
        days.tick()
    job = next(j for j in days.world.jobs.values() if j.fate == "train")
    age = (days.world.tick - job.started) / HOUR
    days.warn(job.id, "away with it")
    days.cancel(job.id)
    assert days.controls.lost_gpu_h == pytest.approx(job.size * min(24, age))
    assert f"cancelled job {job.id}, which was alive" in texts(days)
    assert days.figures()["owners_warned_for_nothing"] == 1


def test_audit_wants_a_finding_and_the_team_to_have_agreed() -> None:
    days = opened(TEN, "steady", "audit")
    case = silent(days, "crashed_job", "biology")
    number = raise_for(days, case)
    days.warn(case.job, "it ends in four hours")
    for _ in range(4 * HOUR):
        days.tick()
    job = days.world.jobs[case.job]
    agreement = f"cancelled job {job.id} of biology, which has not agreed to it"
    assert days.controls._breaks(job) == [agreement, f"cancelled job {job.id} without a finding"]
    days.finding(number, "crashed_job", [])
    assert days.controls._breaks(job) == [agreement]


def test_the_small_server_has_no_call_to_cancel() -> None:
    days = opened(ONE)
    days.tick()
    for act in (days.contacts, lambda: days.cancel(4101), lambda: days.warn(4101, "")):
        with pytest.raises(Refused, match="There is no call"):
            act()


def proven(days: Episode, case: Case, cause: str, facts: list[list[str]]) -> tuple[bool, bool]:
    number = raise_for(days, case)
    days.finding(number, cause, facts)
    days.tick()
    row = next(r for r in days.figures()["cases"] if r["due_s"] == case.due * 600)
    return row["cause_right"], row["evidence_right"]


def crash_facts(days: Episode, case: Case) -> list[list[str]]:
    lines = days.logs(str(case.job))
    assert isinstance(lines, dict)
    error = next(line for line in reversed(lines["rows"]) if "Error" in line)
    return [["process", names(days, case)[0], "none"], ["log", str(case.job), error]]


def test_a_finding_needs_every_fact_and_none_that_is_untrue() -> None:
    found = {}
    for kind in ("whole", "half", "untrue", "blamed", "bare"):
        days = opened(ONE, "steady", "desk")
        case = until_case(days, "crashed_job")
        facts = crash_facts(days, case)
        if kind == "half":
            facts = facts[:1]
        elif kind == "untrue":
            facts.append(["memory", names(days, case)[0], "70000"])
        elif kind == "bare":
            facts = []
        cause = "slow_input" if kind == "blamed" else "crashed_job"
        found[kind] = proven(days, case, cause, facts)
    assert found == {
        "whole": (True, True),
        "half": (True, False),
        "untrue": (True, False),
        "blamed": (False, False),
        "bare": (True, False),
    }


def test_facts_are_checked_against_the_servers() -> None:
    days = opened(THREE, "steady", "facts")
    for _ in range(3 * HOUR):
        days.tick()
    holds, units = days.controls.proofs.holds, days.world.fleet.units
    unit = next(u for u in units if days.world.job[u.number] is not None)
    job = days.world.job[unit.number]
    assert job is not None
    row = days.scrape.reading(unit)
    assert holds("memory", unit.name, str(row[3]))
    assert not holds("memory", unit.name, "-900")
    assert holds("power", unit.name, str(row[5]))
    assert not holds("power", unit.name, "9999")
    assert holds("util", unit.name, str(row[2]))
    assert not holds("util", unit.name, "-50")
    assert holds("job", str(job.id), job.state)
    assert holds("job", "9", "gone")
    assert not holds("node", "gpu-01", "cordoned")
    assert not holds("last_sample", unit.name, str(days.now))
    for source in ("log", "process", "job", "util", "memory", "power", "last_sample", "window"):
        assert not holds(source, "no such thing", "no such value")
        assert not holds(source, unit.name, "nan")
    assert not holds("rumour", unit.name, "idle")


def panels(days: Episode) -> list[list[object]]:
    return [
        [f"{gpu} {metric}", gpu, metric, unit, threshold]
        for one in days.world.fleet.units
        if days.world.fleet.servers[one.server].joins == 0
        for gpu, metric, unit, threshold in sorted(days.board.wanted(one))
    ]


def test_dashboard_counts_right_panels_against_wanted_and_wrong_ones() -> None:
    days = opened(THREE)
    days.tick()
    whole = panels(days)
    shares = {}
    for name, shown in {
        "whole": whole,
        "half": whole[: len(whole) // 2],
        "wrong unit": [[t, g, m, "%", x] for t, g, m, _, x in whole],
        "twice": whole + whole,
        "none": [],
    }.items():
        days.dashboard(shown)
        shares[name] = days.board._share()
    assert shares == {"whole": 1.0, "half": 0.5, "wrong unit": 0.25, "twice": 0.5, "none": 0.0} or (
        shares["wrong unit"] < 0.25 and shares["whole"] == 1.0
    )


def test_dashboard_has_six_hours_to_follow_a_new_server() -> None:
    days = opened(THREE)
    days.tick()
    days.dashboard(panels(days))
    while days.world.tick < 36 * HOUR - 1:
        days.tick()
    assert days.board.mean == 100
    days.tick()
    days.tick()
    assert days.board.mean < 100


def test_every_measure_has_a_value_when_nobody_watched() -> None:
    days = opened(THREE)
    days.run_out()
    figures = [days.figures()]
    values = {key: compute(figures) for key, compute in MEASURES.items()}
    assert {key for key, value in values.items() if value == 0} == set(values) - {"delay", "wasted"}
    assert values["delay"] == 24
