"""Staff pages of a scaling attempt: the plan as tables, the key, the years, findings, and who may see which."""

from __future__ import annotations

import json
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.tests.reading import words_of
from assessments.materials import variants
from assessments.models import Attempt, GradingRun, Run
from assessments.tests.stage import NOW, Stage, enter
from graders.kinds import run_public
from reviews.evidence import corrections
from reviews.tests.scaling_scene import LEVEL, PLAN, SEED, YEARS
from reviews.tests.scene import score_all

Clients = dict[str, Client]


def page(client: Client, name: str, attempt: Attempt, *more: object) -> str:
    answer = client.get(reverse(f"admin:{name}", args=[attempt.pk, *more]))
    assert answer.status_code == 200, (name, answer.status_code)
    return words_of(answer)


def grading_of(attempt: Attempt) -> GradingRun:
    run = attempt.submissions.get().latest_grading()
    assert run is not None
    return run


def report_of(attempt: Attempt) -> dict[str, Any]:
    report: dict[str, Any] | None = grading_of(attempt).report
    assert report is not None
    return report


def evidence_of(said: str) -> str:
    part = said[said.index('id="evidence"') :]
    return unescape(part[: part.index('id="pins"')] if 'id="pins"' in part else part)


def test_plan_is_read_as_tables_and_line_by_line(
    clients: Clients, scaling_attempt: Attempt
) -> None:
    said = unescape(page(clients["ines"], "score", scaling_attempt, 1))
    plan = json.loads(scaling_attempt.submissions.get().body["files"]["plan.json"])
    for title in ("by month", "Phases", "Money", "Figures that the plan claims", "Risks"):
        assert title in said, title
    for row in plan["purchases"]:
        assert f"<td>{row['item']}</td>" in said
        assert f"Month: {row['month']}" in said  # and as a line that can be pinned
    for row in plan["risks"]:
        assert row["mitigation"] in said
    assert "2,000 =A1*2" in said
    assert "Structured plan" in said


def test_key_shows_what_holds_work_up_and_both_plans(
    clients: Clients, scaling_attempt: Attempt
) -> None:
    said = unescape(page(clients["ines"], "key", scaling_attempt))
    key = variants.key_of(PLAN, LEVEL, SEED)
    for row in (*key["bottlenecks"], *key["no_bottlenecks"]):
        assert row["title"] in said
    for note in key["notes"]:
        assert note["why"] in said
    for text in key["common_mistakes"]:
        assert text in said
    for row in key["reference"]["plan"]["purchases"]:
        assert row["item"] in said
    path = key["bottlenecks"][0]["shown_in"][0].replace("/", "%2F")
    assert (
        f"{reverse('admin:attempt-room', args=[scaling_attempt.pk])}#at?path={path}&line=1" in said
    )


def test_key_is_for_whoever_may_read_the_answer_once_it_is_in(
    clients: Clients, scaling_attempt: Attempt, stage: Stage, client: Client
) -> None:
    url = reverse("admin:key", args=[scaling_attempt.pk])
    got = {name: one.get(url).status_code for name, one in clients.items()}
    assert got == {"adam": 200, "hana": 200, "ines": 200, "rhea": 403, "otto": 404, "nobody": 302}
    enter(client, stage.token)
    assert client.get(url).status_code == 302
    scaling_attempt.submissions.update(superseded_at=NOW)
    assert clients["ines"].get(url).status_code == 404


@pytest.mark.parametrize("name", ["attempt", "score"])
def test_before_the_own_scorecard_only_arrivals_are_shown(
    clients: Clients, scaling_attempt: Attempt, name: str
) -> None:
    """S2: neither how the year went nor what is wrong with the plan."""
    evidence = evidence_of(
        page(clients["ines"], name, scaling_attempt, *([1] if name == "score" else []))
    )
    assert "When each order arrives" in evidence
    for row in report_of(scaling_attempt)["evidence"]:
        if row["kind"] == "order":
            assert row["id"] in evidence
        if row["kind"] in ("finding", "bottleneck", "claim"):
            assert row["title"] not in evidence, row["kind"]
    assert "Reference plan" not in evidence
    assert 'class="tag warn">late' not in evidence


def test_after_it_years_findings_claims_and_bottlenecks_are_shown(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    score_all(scaling_attempt, stage.ines)
    evidence = evidence_of(page(clients["ines"], "attempt", scaling_attempt))
    rows = report_of(scaling_attempt)["evidence"]
    for row in rows:
        if row["kind"] == "finding":
            assert row["text"] in evidence
        if row["kind"] in ("bottleneck", "claim"):
            assert row["title"] in evidence
    for position in range(1, YEARS + 1):
        url = reverse(
            "admin:evidence-year",
            args=[scaling_attempt.pk, grading_of(scaling_attempt).pk, position],
        )
        assert url in evidence
    assert "better than what was played" in evidence


def year_url(attempt: Attempt, position: int) -> str:
    return reverse("admin:evidence-year", args=[attempt.pk, grading_of(attempt).pk, position])


def test_what_cannot_be_seen_in_a_check_is_spelt_out(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    """A check names what the plan wrote; what turns a line around stands on the page as its number."""
    run = grading_of(scaling_attempt)
    assert run.report is not None
    check = {"kind": "check", "tone": "bad", "text": "No site is called Hall \u202e.", "month": ""}
    claim = {
        "kind": "claim",
        "part": "sheet",
        "id": "cut \u202e",
        "title": "Money",
        "state": "within",
        "claimed": 1,
        "low": 1,
        "high": 1,
        "unit": "USD",
    }
    finding = next(row for row in run.report["evidence"] if row["kind"] == "finding")
    cut = finding | {"id": "rule_broken/cut \u202e/2026-01"}
    run.report = run.report | {"evidence": [*run.report["evidence"], check, claim, cut]}
    run.save()
    score_all(scaling_attempt, stage.ines)
    for name, more in (("attempt", ()), ("score", (1,))):
        said = page(clients["ines"], name, scaling_attempt, *more)
        assert "Hall [U+202E]." in said
        assert "money table, row cut [U+202E]" in said


def test_every_figure_can_be_opened_by_year_month_and_kind(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    """Issue 8, part 4: each figure can be opened to see why."""
    score_all(scaling_attempt, stage.ines)
    row = next(row for row in report_of(scaling_attempt)["evidence"] if row["kind"] == "year")
    said = unescape(words_of(clients["ines"].get(year_url(scaling_attempt, 1))))
    assert [month["month"] for month in row["months"] if month["month"] not in said] == []
    for key, one in row["classes"].items():
        assert one["title"] in said
        waits = row["months"][4]["classes"][key]["wait_p95_h"]
        assert f"{waits:,.1f}" in said
    for site in row["months"][0]["sites"]:
        assert site in said
    assert row["why"]
    for one in row["why"]:
        assert one["text"] in said
        for name, _, _ in one["parts"]:
            assert name in said
    assert f"{row['measures']['usd_per_gpu_hour']:,.2f}" in said
    assert "Next year" in said
    assert clients["ines"].get(year_url(scaling_attempt, YEARS + 1)).status_code == 404


def test_year_is_closed_until_the_own_scorecard_is_in(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    url = year_url(scaling_attempt, 1)
    got = {name: one.get(url).status_code for name, one in clients.items()}
    assert got == {"adam": 200, "hana": 200, "ines": 404, "rhea": 403, "otto": 404, "nobody": 302}
    score_all(scaling_attempt, stage.ines)
    assert clients["ines"].get(url).status_code == 200


@pytest.mark.nightly
def test_finding_can_be_set_aside_and_taken_up_again(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    score_all(scaling_attempt, stage.ines)
    run = grading_of(scaling_attempt)
    row = next(row for row in report_of(scaling_attempt)["evidence"] if row["kind"] == "finding")
    url = reverse("admin:match", args=[scaling_attempt.pk, run.pk])
    sent = {
        "statement": row["id"],
        "subject": row["finding"],
        "verdict": "none",
        "at": "e1-finding-1",
    }
    said = clients["ines"].post(url, sent, follow=True)
    assert said.redirect_chain[-1][0].endswith("#e1-finding-1")
    assert "is set aside" in unescape(words_of(said))
    assert "set aside</span> by" in page(clients["ines"], "attempt", scaling_attempt)
    clients["ines"].post(url, sent | {"verdict": "withdrawn"})
    assert corrections.of(run).newest == {}
    wrong = clients["ines"].post(url, sent | {"statement": "nothing/such/"})
    assert wrong.status_code == 409
    assert "no finding" in unescape(words_of(wrong))


@pytest.mark.nightly
def test_what_if_of_the_candidate_is_shown_once_measures_are(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    draft = scaling_attempt.drafts.get()
    report = run_public(PLAN, LEVEL, SEED, draft.body["files"]).to_dict()
    run = Run.objects.create(
        attempt=scaling_attempt,
        round=1,
        draft=draft,
        workload="median",
        created_at=NOW,
        finished_at=NOW,
        result="done",
        report=report,
    )
    before = page(clients["ines"], "run", scaling_attempt, run.pk)
    assert "Buying evenly" not in before
    score_all(scaling_attempt, stage.ines)
    said = unescape(page(clients["ines"], "run", scaling_attempt, run.pk))
    assert "Buying evenly" in said
    assert "Reference plan" not in said
    assert report["timeline"]["months"][3]["month"] in said
    assert "What-ifs" in page(clients["ines"], "attempt", scaling_attempt)


@pytest.mark.nightly
def test_other_pages_stand_for_a_plan(
    clients: Clients, scaling_attempt: Attempt, stage: Stage
) -> None:
    score_all(scaling_attempt, stage.ines)
    for name in (
        "compare",
        "work-history",
        "report",
        "decision",
        "feedback",
        "gradings",
        "defence",
    ):
        page(clients["hana"], name, scaling_attempt)
    said = page(clients["hana"], "attempt", scaling_attempt)
    assert 'id="terminal"' not in said
    for name in ("comparison", "opening-csv", "opening-xlsx", "opening-guide"):
        url = reverse(f"admin:{name}", args=[stage.opening.pk])
        assert clients["hana"].get(url).status_code == 200


def test_materials_are_there_for_staff(clients: Clients, scaling_attempt: Attempt) -> None:
    said = page(clients["ines"], "attempt-room", scaling_attempt)
    assert '"workplace": "scaling"' in said
    manifest = clients["ines"].get(
        reverse("admin:attempt-room-manifest", args=[scaling_attempt.pk])
    )
    paths = [row["path"] for row in manifest.json()["files"]]
    assert "diagrams/network.svg" in paths
