from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.company.profile import DEFAULT
from scenarios.worlds import load_world
from scenarios.worlds.refusal import Refused
from scenarios.worlds.slurm_fair_partitions.ledger import entitled
from scenarios.worlds.slurm_fair_partitions.paperwork import directives, faults_of, minutes_of
from scenarios.worlds.slurm_fair_partitions.setting import (
    Setting,
    cluster_config,
    open_quarter,
    read_setting,
)
from scenarios.worlds.slurm_fair_partitions.tests.quarters import (
    DAY,
    HOUR,
    Kind,
    Promise,
    calm,
    config,
    job,
    play,
)
from scenarios.worlds.slurm_fair_partitions.workload import FAMILIES

GOOD = """#!/bin/bash
#SBATCH --job-name=x
#SBATCH -p training
#SBATCH --account TEAM
#SBATCH --qos=TEAM --gres=gpu:a100:2
#SBATCH --time=1-12:00:00
#SBATCH --mail-type=END --mail-user=me@example.org
srun python x.py
"""

DEMANDS = st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=6)


@given(DEMANDS, st.integers(0, 200))
def test_fair_division_gives_all_there_is_and_nobody_more_than_asked(
    rows: list[tuple[int, int]], capacity: int
) -> None:
    demand, shares = [float(d) for d, _ in rows], [s for _, s in rows]
    given_out = entitled(demand, shares, capacity)
    assert sum(given_out) == pytest.approx(min(capacity, sum(demand)))
    assert all(g <= d + 1e-6 for g, d in zip(given_out, demand, strict=True))
    level = [g / s for g, d, s in zip(given_out, demand, shares, strict=True) if g < d - 1e-6]
    assert not level or max(level) - min(level) < 1e-6


def test_guarantee_is_missed_only_by_jobs_that_fit_into_it() -> None:
    quarter = play(calm(job(12, 600, at=0), job(4, 60, at=1, user=2), job(8, 60, at=1, user=2)), 2)
    met = quarter.figures()["minimum_met_pct"]
    assert met["red"] == 100.0
    assert met["blue"] < 100.0
    fits_not = play(calm(job(12, 600, at=0), job(8, 60, at=1, user=2)), 2)
    assert fits_not.figures()["minimum_met_pct"]["blue"] == 100.0


def test_idle_session_may_be_ended_after_two_hours_and_not_before() -> None:
    spec = job(1, 600, kind=Kind.SESSION, active=HOUR)
    early, late = play(calm(spec), 2), play(calm(spec), 3.25)
    for quarter in (early, late):
        quarter.cancel(0)
    assert len(early.figures()["broken_rules"]) == 1
    assert early.figures()["thrown_away_gpu_h"] == pytest.approx(5.0)
    assert late.figures()["broken_rules"] == []


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (lambda q: q.requeue(0), "requeued a protected job"),
        (lambda q: q.modify_qos("red", {"grp_gpus": 7}), "a team's cap was below its guarantee"),
        (lambda q: q.hold(1), "held a job for more than 6 hours"),
        (lambda q: None, "a promised window was not kept"),
    ],
)
def test_broken_rules_are_named(spoil: object, rule: str) -> None:
    promise = Promise("show", 1, 0, 2, 10 * HOUR, 4 * HOUR)
    quarter = calm(
        job(8, 1800, protected=True, limit=2000),
        job(12, 60, at=1),
        job(8, 180, at=600, user=2, kind=Kind.DEMO, name="demo-1"),
        promises=(promise,),
    )
    play(quarter, 1)
    spoil(quarter)  # type: ignore[operator]
    play(quarter, 30)
    assert any(found.startswith(rule) for _, found, _ in quarter.figures()["broken_rules"])


def test_limit_changed_again_within_six_hours_is_counted_and_repeating_it_is_not() -> None:
    quarter = calm(job(1, 60))
    for value in (50, 50, 60):
        quarter.modify_qos("red", {"priority": value})
    play(quarter, 7)
    quarter.modify_qos("red", {"priority": 70})
    figures = quarter.figures()
    assert (figures["changes"], figures["reversals"]) == (3, 1)


def test_report_counts_the_part_of_a_run_that_belongs_to_the_day() -> None:
    quarter = play(calm(job(4, 120, at=23 * 60), length=3 * DAY), 24)
    with pytest.raises(Refused, match="not over"):
        quarter.report(2, [])
    quarter.report(1, [["red", "training", 3.0]])
    play(quarter, 10)
    figures = quarter.figures()
    assert (figures["report_rows_right"], figures["report_rows"]) == (0, 1)
    quarter.report(1, [["red", "training", 4.0]])
    assert quarter.figures()["report_rows_right"] == 1
    play(quarter, 15)
    with pytest.raises(Refused, match="closed"):
        quarter.report(1, [])


def test_report_that_claims_what_nobody_used_is_wrong() -> None:
    quarter = play(calm(job(4, 60), length=3 * DAY), 24)
    quarter.report(1, [["red", "training", 4.0], ["blue", "training", 9.0]])
    figures = quarter.figures()
    assert (figures["report_rows_right"], figures["report_rows"]) == (1, 2)


def test_good_template_has_no_fault_and_every_spoilt_one_has() -> None:
    assert faults_of(config(), "training", GOOD) == []
    lines = GOOD.splitlines(keepends=True)
    for number in range(len(lines)):
        assert faults_of(config(), "training", "".join(lines[:number] + lines[number + 1 :]))
    assert faults_of(config(), "inference", GOOD)


def test_directives_after_the_first_command_are_ignored_as_sbatch_does() -> None:
    text = "#!/bin/bash\n#SBATCH -t 10\n\n# a remark\ncd /tmp\n#SBATCH --qos=x\n"
    assert directives(text) == {"time": "10"}


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("90", 90),
        ("30:00", 30),
        ("02:30:00", 150),
        ("1-12", 2160),
        ("2-00:00:00", 2880),
        ("soon", None),
    ],
)
def test_time_limits_are_read_as_sbatch_reads_them(text: str, minutes: int | None) -> None:
    assert minutes_of(text) == minutes


def test_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="days"):
        read_setting({"depth": "usual", "days": 1})
    with pytest.raises(ValueError, match="colour"):
        read_setting({"depth": "usual", "colour": "red"})


def test_nobodys_work_is_put_last_while_the_budget_lasts() -> None:
    teams = config().teams
    rich, poor = replace(teams[0], budget=1000.0), replace(teams[1], budget=4.0)
    quarter = calm(
        job(8, 600, at=0),
        job(4, 600, at=0, user=2),
        job(8, 60, at=1),
        job(4, 60, at=1, user=2),
        scavenge=True,
        teams=(rich, poor),
    )
    play(quarter, 2)
    with pytest.raises(Refused, match="95 %"):
        quarter.set_job_qos(2, "scavenge")
    quarter.set_job_qos(3, "scavenge")
    play(quarter, 23)
    rules = [rule for _, rule, _ in quarter.figures()["broken_rules"]]
    assert rules == ["a team was above its budget at midnight"]


def test_agreement_is_revised_on_its_day_and_announced() -> None:
    quarter = open_quarter(DEFAULT, Setting("usual", 4), "steady", "1", faults=False)
    before = [team.guaranteed for team in quarter.config.teams]
    kinds = set()
    while quarter.now < 2 * DAY // 1000:
        kinds |= {kind for _, kind, _ in quarter.tick()["events"]}  # type: ignore[attr-defined]
    assert "agreement_revised" in kinds
    assert sum(quarter.world.guaranteed) == sum(before)
    assert quarter.world.guaranteed != before


@pytest.mark.parametrize("depth", ["gentle", "usual", "deep"])
@pytest.mark.by_day(but=["usual"])
def test_documents_speak_of_the_levels_own_cluster(depth: str) -> None:
    world, setting = load_world("slurm_fair_partitions"), Setting(depth, 5)
    texts = {name: make(DEFAULT, setting, "5") for name, make in world.documents.items()}
    again = {name: make(DEFAULT, setting, "5") for name, make in world.documents.items()}
    assert texts == again
    for row in texts["sshare.txt"].splitlines()[2:]:
        assert row.count("|") == 10
    for row in texts["sacct.txt"].splitlines()[1:]:
        assert row.count("|") == 9
    assert ("scavenge" in texts["sacctmgr.txt"]) == (depth == "deep")
    assert "ReservationName=workshop" in texts["squeue.txt"]


@pytest.mark.parametrize("seed", [f"{number}" for number in range(12)])
def test_faults_stay_within_the_bounds_that_the_api_states(seed: str) -> None:
    for family in FAMILIES:
        for depth in ("gentle", "usual", "deep"):
            setting = Setting(depth, 10)
            api = cluster_config(DEFAULT, setting, FAMILIES[family], seed).trouble.api
            assert api.write_timeout <= 1 / 12
            assert api.read_timeout <= 1 / 50
            for spells in (api.throttled, api.stale):
                assert all(end - begin <= HOUR for begin, end in spells)
                pairs = pairwise(spells)
                assert all(second[0] > first[1] for first, second in pairs)
