from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.simulator.slurm.classic import classic
from scenarios.simulator.slurm.priority import Factors, Weights, age_factor, priority, size_factor
from scenarios.simulator.slurm.sshare import read_sheet, rows
from scenarios.simulator.tests.shared import shared

CALCULATED = ("NormShares", "NormUsage", "EffectvUsage", "FairShare", "LevelFS")

DOCUMENTED = """\
Account|User|RawShares|RawUsage
root||1|100
 a||40|45
  b||30|20
   b|one|1|20
  c||10|25
   c|two|1|25
   c|three|1|0
 d||60|25
  e||25|25
   e|four|1|25
  f||35|0
   f|five|1|0
"""


def test_classic_factors_equal_the_real_ones_to_six_decimals() -> None:
    path = shared("reference/slurm/fs_classic.sshare.psv")
    lines = [line.split("|") for line in path.read_text().splitlines()]
    found = rows(read_sheet(path), "classic")
    assert len(found) == len(lines) - 1 == 13
    for row, cells in zip(found, lines[1:], strict=True):
        want = dict(zip(lines[0], cells, strict=True))
        assert (row["Account"], row["User"]) == (want["Account"].strip(), want["User"])
        shown = {name: row[name] for name in CALCULATED if want[name]}
        assert shown == {name: float(want[name]) for name in shown}


def test_classic_factors_equal_the_documented_example(tmp_path: Path) -> None:
    path = tmp_path / "tree.psv"
    path.write_text(DOCUMENTED)
    factors = [row["FairShare"] for row in rows(read_sheet(path), "classic") if row["User"]]
    assert factors == [0.408479, 0.022097, 0.125, 0.5, 0.749154]


def test_factors_in_recorded_priorities_are_those_of_the_usage_at_that_period() -> None:
    """Job 5 holds 256 processors and is charged to `mail`; nothing else runs.

    The four users' factors date from the period that ended 391 s after its start, but
    for one thing: Slurm had renewed the users' own usage, not yet their accounts', one
    period later. Only `man` has usage of its own beside other users of the account.
    """
    sheet = read_sheet(shared("reference/slurm/fs_classic.sshare.psv"))
    want = {
        line.split("|")[1]: float(line.split("|")[4])
        for line in shared("reference/slurm/fs_classic.sprio_norm.psv").read_text().splitlines()
    }
    later = classic(sheet.tree, _with_job(sheet.usage, sheet.tree.user, 691))
    earlier = classic(sheet.tree, _with_job(sheet.usage, sheet.tree.user, 391))
    for index, user in enumerate(sheet.tree.user):
        if user == "man":
            own, account = later.norm_usage[index], earlier.effective_usage[index - 2]
            share = later.norm_shares[index]
            factor = 2.0 ** -((own + (account - own) / 2) / share)
            assert factor == pytest.approx(want[user], abs=1e-6)
        elif user in want:
            assert earlier.fair_share[index] == pytest.approx(want[user], abs=1e-6)


def _with_job(usage: list[float], users: list[str], seconds: int) -> list[float]:
    mail = users.index("mail")
    on_its_path = {0, mail - 2, mail - 1, mail}
    return [u + (256 * seconds if i in on_its_path else 0) for i, u in enumerate(usage)]


def test_priority_of_every_recorded_job_is_the_weighted_sum() -> None:
    totals = {
        int(cells[0]): int(cells[2])
        for cells in _table(shared("reference/slurm/fs_classic.sprio.psv").read_text())
    }
    weights = Weights(fair_share=100_000, age=10_000, job_size=1_000, partition=2_000)
    for cells in _table(shared("reference/slurm/fs_classic.sprio_norm.psv").read_text()):
        age, fair_share, size, partition = (float(cell) for cell in cells[3:])
        factors = Factors(age=age, fair_share=fair_share, job_size=size, partition=partition)
        assert priority(weights, factors) == totals[int(cells[0])]


def _table(text: str) -> list[list[str]]:
    return [line.split("|") for line in text.splitlines()]


def test_age_of_recorded_jobs_is_their_wait_as_a_part_of_the_longest() -> None:
    assert [round(age_factor(s, 86_400), 7) for s in (661, 660, 659, 658)] == [
        0.0076505,
        0.0076389,
        0.0076273,
        0.0076157,
    ]
    assert age_factor(200_000, 86_400) == 1.0


def test_job_size_is_the_mean_of_nodes_and_processors() -> None:
    assert size_factor(1, 4, 64, 256) == 0.25
    assert size_factor(1, 4, 256, 256) == 0.625


def test_priority_counts_the_site_and_nice() -> None:
    assert priority(Weights(qos=10), Factors(qos=0.55), site=100, nice=3) == 102


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  x||1|5", "line 4: 2 leading spaces, but no account stands one level above."),
        (" x||one|5", "line 4: RawShares is 'one'; it should be a whole number or 'parent'."),
        (" x||1|-5", "line 4: RawUsage is '-5'; it should be a number of 0 or more."),
        (" x||1", "line 4: 3 columns where the header has 4."),
        ("x||1|5", "line 4: only the first row, the root, stands without leading spaces."),
        (" |u|1|5", "line 4: the account has no name."),
    ],
)
def test_malformed_sheet_is_refused_by_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "tree.psv"
    path.write_text(f"Account|User|RawShares|RawUsage\nroot|||9\n root|u|1|9\n{line}\n")
    with pytest.raises(ValueError, match=r"tree\.psv, line") as caught:
        read_sheet(path)
    assert str(caught.value).endswith(said)


def test_sheet_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tree.psv"
    path.write_text("Account|User|RawShares\nroot||\n")
    with pytest.raises(ValueError, match="line 1: the header has no column RawUsage"):
        read_sheet(path)


def test_sheet_with_closing_bars_reads_as_one_without(tmp_path: Path) -> None:
    plain, barred = tmp_path / "P.psv", tmp_path / "p.psv"
    plain.write_text(DOCUMENTED)
    barred.write_text("".join(f"{line}|\n" for line in DOCUMENTED.splitlines()))
    assert read_sheet(plain) == read_sheet(barred)


def test_machine_that_nobody_used_leaves_every_factor_at_one(tmp_path: Path) -> None:
    path = tmp_path / "tree.psv"
    path.write_text("Account|User|RawShares|RawUsage\nroot||1|0\n a||1|0\n  a|u|1|0\n")
    assert [row["FairShare"] for row in rows(read_sheet(path), "classic")] == [1.0] * 3
