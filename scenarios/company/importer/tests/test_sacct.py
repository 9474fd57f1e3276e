"""Accounting of many shapes: what is read from it, and which rows are refused with their line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from scenarios.company.importer import ImportRefused
from scenarios.company.importer.hostlist import expand
from scenarios.company.importer.tests.exports import FIELDS, export, imported, job, sacct, year
from scenarios.company.profile import Profile, read_profile


def profile(text: str | bytes, **options: object) -> Profile:
    found = imported(text, **options)  # type: ignore[arg-type]
    assert found.profile is not None, found.bad
    return found.profile


def test_half_a_year_tells_teams_their_work_rhythm_growth_and_nodes() -> None:
    found = imported(year(growth=1.6))
    assert found.profile is not None
    company = found.profile
    teams = {team.name: team for team in company.teams}
    assert list(teams) == ["foundation", "serving", "students"]
    assert sum(team.gpu_share for team in company.teams) == pytest.approx(1)
    assert (teams["foundation"].training, teams["serving"].inference) == (1.0, 1.0)
    assert (teams["students"].interactive, teams["students"].headcount) == (1.0, 12)
    assert teams["students"].weekend < 0.4 < 0.8 < teams["foundation"].weekend
    assert teams["students"].night < 0.35 < 0.8 < teams["serving"].night
    growth = {one.job_class: one.monthly_percent for one in company.growth.classes}
    assert growth["training"] > 5
    assert (company.cluster, company.gpu, company.nodes) == ("Aurora", "H200", 24)
    assert read_profile(found.toml) == company
    assert any("Growth of fine-tuning, batch" in one for one in found.missing)
    assert "# From sacct: 24 different nodes ran GPU jobs" in found.toml


def test_growth_is_that_of_the_jobs() -> None:
    steady = profile(year())
    rates = {one.job_class: one.monthly_percent for one in steady.growth.classes}
    assert abs(rates["training"]) < 6


@pytest.mark.parametrize(
    ("fields", "values", "hours"),
    [
        (FIELDS, {}, 16),
        ("JobID|Account|State|Start|End|AllocTRES", {}, 16),
        (
            "JobID|User|State|Start|ElapsedRaw|ReqTRES",
            {"ReqTRES": "gres/gpu=2", "ElapsedRaw": "1800"},
            1,
        ),
        (
            "JobID|User|State|Start|Elapsed|AllocGRES",
            {"Elapsed": "1-2:0:0", "AllocGRES": "gpu:a100:4"},
            104,
        ),
        (
            "JobID|Account|State|Start|End|AllocTRES|",
            {"AllocTRES": "cpu=1K,gres/gpu=4,mem=1.50T"},
            8,
        ),
        ("jobid|account|state|start|end|alloctres", {}, None),
        (FIELDS, {"Start": "1767603600", "End": "1767610800"}, 16),
        (FIELDS, {"End": "Unknown", "State": "RUNNING"}, 16),
    ],
)
def test_field_sets_and_formats_that_sacct_has(
    fields: str, values: dict[str, str], hours: float | None
) -> None:
    if hours is None:  # the header in another case
        text = sacct(job("JobID|Account|State|Start|End|AllocTRES"), fields=fields)
    else:
        text = sacct(job(fields, **values), fields=fields)
    found = imported(text)
    assert found.profile is not None, found.bad
    assert f"{hours or 16:,.0f} GPU-hours" in found.sources[0]


def test_steps_waiting_jobs_and_jobs_without_gpus_are_counted_and_left_out() -> None:
    text = sacct(
        job(),
        job(JobID="4711.batch"),
        job(JobID="4711.0"),
        job(JobID="4712_[3-9%2]", State="PENDING", Start="Unknown", End="Unknown", NodeList=""),
        job(JobID="4712_3", State="CANCELLED by 1007"),
        job(JobID="4713+1", State="OUT_OF_ME+"),
        job(JobID="4714", AllocTRES="cpu=4,mem=8G,node=1"),
    )
    said = imported(text).sources[0]
    assert "4 jobs that started, 48 GPU-hours" in said
    assert "1 that had not started, 1 without GPUs and 2 steps" in said


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (job(State="EXPLODED"), "State is 'EXPLODED'"),
        (job(State=""), "State is ''"),
        (job(JobID="=HYPERLINK(1)"), "JobID is"),
        (job(Account="=2+5"), "Account begins with =, as a formula does."),
        (job(Account=""), "Nobody is named"),
        (job(Start="05/01/2026 09:00"), "Start is '05/01/2026 09:00'"),
        (job(Start="1970-01-01T00:00:00"), "between the years 2000 and 2100"),
        (job(End="2026-01-05T08:59:59"), "before it starts"),
        (job(End="Unknown", Elapsed="soon"), "Elapsed is 'soon'"),
        (job(End="Unknown", Elapsed="99999999999-00:00:00"), "after the year 2100"),
        (job(AllocTRES="gres/gpu=999999999"), "100,000 are believed at most"),
        (job(AllocTRES="gres/gpu=lots"), "of its TRES cannot be read"),
        (job(NodeList="", NNodes="-1"), "NNodes is '-1'"),
        (job(JobName="a|b"), "It has 14 values, the header 13."),
        (job(JobName="a\0b"), "It is not UTF-8 text"),
        ("4711|cut", "It has 2 values"),
        (job(JobName="x" * 1_100_000), "longer than 1,000,000 characters"),
    ],
)
def test_bad_row_is_named_by_line_and_nothing_is_imported(line: str, reason: str) -> None:
    text = sacct(job(JobID="1"), line, job(JobID="2"))
    found = imported(text)
    assert (found.profile, found.toml, found.bad_count) == (None, "", 1)
    assert found.bad[0].line == 3
    assert reason in found.bad[0].reason
    assert found.bad[0].reason.endswith(".")
    kept = imported(text, skip_bad=True)
    assert kept.profile is not None
    assert "1 bad rows were skipped" in kept.sources[0]
    assert "2 jobs that started" in kept.sources[1]


def test_the_same_job_twice_is_a_bad_row_but_a_requeued_one_is_not() -> None:
    again = job(Start="2026-01-06T09:00:00", End="2026-01-06T11:00:00")
    assert imported(sacct(job(), again)).bad_count == 0
    assert "stands in the export already" in imported(sacct(job(), job())).bad[0].reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (job() + "\n", "no column JobID, State, Start: the first line must be the header"),
        (sacct(job()).replace("|", ","), "separated by commas; export it with the sign |"),
        (sacct(job()).replace("|", ";"), "separated by semicolons"),
        (
            sacct(job("JobID|State|Start|End|Account"), fields="JobID|State|Start|End|Account"),
            "AllocTRES",
        ),
        (sacct(job(AllocTRES="cpu=1")), "has no job that ran on a GPU"),
        (b"\xff\xfeJ\x00o", "is not text in utf-16-le"),
    ],
)
def test_file_that_is_no_accounting_is_refused_with_what_to_do(
    text: str | bytes, said: str
) -> None:
    with pytest.raises(ImportRefused, match=said.replace("|", r"\|")):
        imported(text)


def test_marks_line_ends_and_encodings_make_no_difference() -> None:
    text = sacct(job(Account="Forschung-Süd"), job(JobID="2"))
    plain = profile(text)
    assert profile(b"\xef\xbb\xbf" + text.encode()) == plain
    assert profile(text.replace("\n", "\r\n")) == plain
    assert profile(text.encode("utf-16")) == plain
    assert profile(text.encode("cp1252"), encoding="cp1252") == plain
    refused = imported(text.encode("cp1252"))
    assert refused.bad[0].line == 2
    with pytest.raises(ImportRefused, match="no encoding called"):
        imported(text, encoding="klingon")


def test_many_accounts_become_eleven_teams_and_the_others() -> None:
    lines = [job(JobID=str(n), Account=f"team{n % 30:02d}") for n in range(1, 300)]
    teams = profile(sacct(*lines)).teams
    assert (len(teams), teams[-1].name) == (12, "Others")
    assert sum(team.gpu_share for team in teams) == pytest.approx(1)


def test_host_lists() -> None:
    assert expand("gpu[08-10,12],login") == ("gpu08", "gpu09", "gpu10", "gpu12", "login")
    assert expand("rack[1-2]-n") == ("rack1-n", "rack2-n")
    assert expand("None assigned") == expand("n[1-9999999]") == expand("n[a-b]") == ()


@pytest.mark.parametrize(
    "text",
    [
        "n[" + "1" * 5_000 + "]",
        "n[1-" + "9" * 5_000 + "]",
        "n[" + "0" * 5_000 + "1-20000]",
        "n" * 100_000 + "[1-20000]",
        "n[" + ",".join(["1-20000"] * 120_000) + "]",
    ],
)
def test_host_lists_that_would_take_the_memory_are_none(text: str) -> None:
    began = time.monotonic()
    assert expand(text) == ()
    assert time.monotonic() - began < 5
    assert imported(sacct(job(NodeList=text))).bad_count == 0


def test_reading_takes_memory_by_the_line_and_not_by_the_file(tmp_path: Path) -> None:
    lines = "".join(job(JobID=f"{n}.batch") + "\n" for n in range(60_000))
    stream = export("sacct", sacct(job()) + lines).stream
    assert stream.seek(0, 2) > 8_000_000
    stream.seek(0)
    assert "60,000 steps" in imported(stream.read()).sources[0]
