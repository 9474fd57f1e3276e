"""Facts show a cause only where they are about the alert's own GPUs, job or server."""

from __future__ import annotations

from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.logs import job_lines, node_lines
from scenarios.worlds.gpu_idle_alerts.rules import Case
from scenarios.worlds.gpu_idle_alerts.setting import HOUR
from scenarios.worlds.gpu_idle_alerts.tests.stretches import TEN, names, opened, raise_for
from scenarios.worlds.gpu_idle_alerts.world import load_pid

Facts = list[list[str]]


def until_two(cause: str, *, one_server: bool = False) -> tuple[Episode, Case, Case]:
    """A stretch at a moment at which two cases of a cause are open."""
    for family in ("steady", "diurnal", "failure-heavy"):
        for seed in ("a", "b", "c", "d"):
            days = opened(TEN, family, seed)
            while not days.complete:
                days.tick()
                found = [case for case in days.truth.open.values() if case.cause == cause]
                for case in found[1:]:
                    if not one_server or case.server == found[0].server:
                        return days, found[0], case
    raise AssertionError(f"never two cases of {cause}")


def shows(days: Episode, case: Case, facts: Facts) -> bool:
    """Whether a finding with these facts counts for the case; all of them must be true."""
    open_now = [a for a in days.register.open() if set(a.units) <= set(case.members)]
    number = open_now[0].id if open_now else raise_for(days, case)
    days.finding(number, case.cause, facts)
    alert = days.register.get(number)
    assert alert is not None
    assert alert.findings[-1].untrue == 0
    rows = days.figures()["cases"]
    due = [case.due for case in days.truth.cases]
    assert len(rows) <= len(due)
    row = next(r for r in rows if r["alerted_s"] == days.now and r["due_s"] == case.due * 600)
    assert row["cause_right"]
    return bool(row["evidence_right"])


def telling(days: Episode, case: Case) -> str:
    """The last line of the job's log that tells what is wrong."""
    lines = job_lines(days.world, days.world.jobs[case.job])
    return [text for text, tells in lines if tells][-1]


def pid(days: Episode, case: Case) -> str:
    return str(load_pid(days.world.jobs[case.job], 0))


def test_another_crash_does_not_show_this_one() -> None:
    days, case, other = until_two("crashed_job")
    mine = [["process", names(days, case)[0], "none"], ["log", str(case.job), telling(days, case)]]
    theirs = [
        ["process", names(days, other)[0], "none"],
        ["log", str(other.job), telling(days, other)],
    ]
    assert not shows(days, case, theirs)
    assert not shows(days, case, [mine[0], theirs[1]])
    assert not shows(days, case, [theirs[0], mine[1]])
    assert shows(days, case, [*mine, *theirs])


def test_another_process_does_not_show_the_forgotten_one() -> None:
    days, case, other = until_two("idle_process")
    rows = {}
    for one in (case, other):
        unit = days.world.fleet.units[one.members[0]]
        rows[one.key] = [
            ["process", unit.name, pid(days, one)],
            ["memory", unit.name, str(days.scrape.reading(unit)[3])],
        ]
    assert not shows(days, case, rows[other.key])
    assert shows(days, case, rows[case.key])


def test_the_state_of_another_job_does_not_show_what_outlived_this_one() -> None:
    days, case, other = until_two("zombie_process")
    held = ["process", names(days, case)[0], pid(days, case)]
    assert not shows(days, case, [held, ["job", str(other.job), "completing"]])
    assert shows(days, case, [held, ["job", str(case.job), "completing"]])


def test_a_kernels_line_has_to_name_the_lost_gpu() -> None:
    days = opened(TEN, "steady", "lost")
    for _ in range(3 * HOUR):
        days.tick()
    units = [unit for unit in days.world.fleet.units if unit.server == 2][:2]
    for unit in units:
        days.world._lose(unit.number)
    for _ in range(3 * HOUR):
        days.tick()
    case, other = (days.truth.open["gpu", unit.number] for unit in units)
    lines = [text for text, tells in node_lines(days.world, case.server) if tells]
    assert len(lines) == 2
    name = days.world.fleet.servers[case.server].name
    seen = ["last_sample", names(days, case)[0], str(days.world.lost_at[case.members[0]] * 600)]
    assert not shows(days, case, [seen, ["log", name, lines[1]]])
    assert shows(days, case, [seen, ["log", name, lines[0]]])
    assert shows(
        days, other, [["last_sample", names(days, other)[0], seen[2]], ["log", name, lines[1]]]
    )


def test_a_forgotten_server_is_shown_by_its_own_window() -> None:
    for seed in ("a", "b", "c", "d", "e"):
        days = opened(TEN, "steady", seed)
        while not days.complete:
            days.tick()
            case = next((c for c in days.truth.open.values() if c.cause == "forgotten_drain"), None)
            ended = [w for w in days.world.plan.windows if w.end <= days.world.tick]
            elsewhere = [w for w in ended if case is not None and w.server != case.server]
            if case is not None and elsewhere:
                server = days.world.fleet.servers[case.server].name
                own = [w for w in ended if w.server == case.server and w.kind == "maintenance"]
                node = ["node", server, "cordoned"]
                assert not shows(days, case, [node, ["window", str(elsewhere[0].id), "ended"]])
                assert shows(days, case, [node, ["window", str(own[-1].id), "ended"]])
                return
    raise AssertionError("no forgotten server beside another window that is over")
