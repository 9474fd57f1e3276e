"""Staff pages of a cost attempt: the table, the key, the evidence, corrections, and who may see which."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.tests.reading import words_of
from assessments.cost.workplace import OPPORTUNITIES
from assessments.materials import variants
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, enter
from reviews.evidence import corrections, readings
from reviews.tests.cost_scene import COST, LEVEL, SEED
from reviews.tests.scene import score_all

Clients = dict[str, Client]


def page(client: Client, name: str, attempt: Attempt, *more: object) -> str:
    answer = client.get(reverse(f"admin:{name}", args=[attempt.pk, *more]))
    assert answer.status_code == 200, (name, answer.status_code)
    return words_of(answer)


def evidence_of(said: str) -> str:
    part = said[said.index('id="evidence"') :]
    return part[: part.index('id="pins"')] if 'id="pins"' in part else part


def test_answer_is_read_as_a_table_and_line_by_line(
    clients: Clients, cost_attempt: Attempt
) -> None:
    said = page(clients["ines"], "score", cost_attempt, 1)
    table = said[said.index('class="answer-table"') :]
    table = table[: table.index("</table>")]
    assert table.count("<tr>") == 1 + len(rows_of(cost_attempt))
    assert " a year" in table
    assert escape("Ask the finance team for ideas.") in table
    assert "Opportunity 1 (id 1)" in said
    assert "Opportunity table</h4>" in re.sub(r"\s*<span.*?</span>", "", said)


def report_of(attempt: Attempt) -> dict[str, Any]:
    run = attempt.submissions.get().latest_grading()
    assert run is not None
    report: dict[str, Any] | None = run.report
    assert report is not None
    return report


def rows_of(attempt: Attempt) -> list[Any]:
    reading = readings.reading_of(report_of(attempt))
    assert reading is not None
    return list(reading["statements"])


def test_key_shows_savings_traps_and_lines(clients: Clients, cost_attempt: Attempt) -> None:
    """E12 for cost: what is true of this bill, with the way to where it shows."""
    said = unescape(page(clients["ines"], "key", cost_attempt))
    key = variants.key_of(COST, LEVEL, SEED)
    for lever in key["levers"]:
        for text in (lever["title"], lever["how"], lever["risk"], lever["question"]):
            assert text in said
    for trap in key["traps"]:
        assert trap["why"] in said
    for line in key["lines"]:
        assert line in said
    shown = key["levers"][0]["shown_in"][0].replace("/", "%2F")
    room = reverse("admin:attempt-room", args=[cost_attempt.pk])
    assert f"{room}#at?path={shown}&line=1" in said


def test_key_is_for_whoever_may_read_the_answer_once_it_is_in(
    clients: Clients, cost_attempt: Attempt, stage: Stage, client: Client
) -> None:
    url = reverse("admin:key", args=[cost_attempt.pk])
    got = {name: one.get(url).status_code for name, one in clients.items()}
    assert got == {"adam": 200, "hana": 200, "ines": 200, "rhea": 403, "otto": 404, "nobody": 302}
    enter(client, stage.token)
    assert client.get(url).status_code == 302
    cost_attempt.submissions.update(superseded_at=NOW)
    assert clients["ines"].get(url).status_code == 404


@pytest.mark.nightly
def test_half_an_emoji_in_the_table_does_not_close_the_pages(
    clients: Clients, cost_attempt: Attempt, stage: Stage
) -> None:
    """A browser writes one where a text was cut; no page can be written with it, and it is graded as U+FFFD."""
    answer = cost_attempt.submissions.get()
    files = answer.body["files"]
    files[OPPORTUNITIES] = files[OPPORTUNITIES].replace('"odd"', r'"odd \ud83d"')
    answer.save()
    run = answer.latest_grading()
    assert run is not None
    run.report = json.loads(json.dumps(run.report).replace('"odd"', r'"odd \ufffd"'))
    run.save()
    for scored in (False, True):
        if scored:
            score_all(cost_attempt, stage.ines)
        for name, more in (("attempt", ()), ("score", (1,)), ("feedback", ())):
            assert "odd " in page(clients["ines"], name, cost_attempt, *more)


@pytest.mark.parametrize("name", ["attempt", "score"])
def test_before_the_own_scorecard_only_what_rows_point_at_is_shown(
    clients: Clients, cost_attempt: Attempt, name: str
) -> None:
    """S2: neither what a row was taken to mean nor whether it holds."""
    said = page(clients["ines"], name, cost_attempt, *([1] if name == "score" else []))
    evidence = evidence_of(said)
    assert "Where each row points" in evidence
    assert "cost row" in evidence
    report = report_of(cost_attempt)
    for row in report["evidence"]:
        if row["kind"] in ("lever", "finding", "challenge"):
            assert escape(row["title"]) not in evidence, row["kind"]
    assert "Over-claim" not in said
    assert "supported by the data" not in said


def test_after_it_ranges_findings_total_and_levers_are_shown(
    clients: Clients, cost_attempt: Attempt, stage: Stage
) -> None:
    score_all(cost_attempt, stage.ines)
    evidence = unescape(evidence_of(page(clients["ines"], "attempt", cost_attempt)))
    report = report_of(cost_attempt)
    kinds: dict[str, list[Any]] = {}
    for row in report["evidence"]:
        kinds.setdefault(row["kind"], []).append(row)
    total = kinds["total"][0]
    for key in ("claimed_usd", "supported_usd", "achievable_usd", "bill_usd"):
        assert f"{total[key]:,}" in evidence
    low, high = kinds["opportunity"][0]["supported_usd"]
    assert f"{low:,} to {high:,} USD a year" in evidence
    for row in kinds["finding"]:
        assert row["text"] in evidence
    shown = kinds["finding"][0]["rows"][0]
    assert shown["meter"] in evidence
    assert f"{shown['usd']:,.2f}" in evidence
    for row in kinds["lever"]:
        assert row["title"] in evidence


def correct(client: Client, attempt: Attempt, **sent: str) -> Any:
    run = attempt.submissions.get().latest_grading()
    assert run is not None
    return client.post(reverse("admin:match", args=[attempt.pk, run.pk]), sent, follow=True)


def test_row_can_be_given_its_meaning_and_measures_follow(
    clients: Clients, cost_attempt: Attempt, stage: Stage
) -> None:
    score_all(cost_attempt, stage.ines)
    run = cost_attempt.submissions.get().latest_grading()
    assert run is not None
    url = reverse("admin:match", args=[cost_attempt.pk, run.pk])
    asked = words_of(clients["ines"].get(url, {"statement": "odd"}))
    assert "row odd of the table" in asked
    assert "It fits none of the savings" in asked
    assert "harmless" not in asked
    first = rows_of(cost_attempt)[0]["matches"][0]["subject"]
    said = correct(
        clients["ines"],
        cost_attempt,
        statement="1",
        subject=first,
        verdict="none",
        reason="It is about something else.",
    )
    assert "does not mean" in unescape(words_of(said))
    held = corrections.of(run)
    assert held.measures["found"]["value"] < next(
        row["value"] for row in report_of(cost_attempt)["measures"] if row["key"] == "found"
    )
    again = unescape(page(clients["ines"], "attempt", cost_attempt))
    assert "It is about something else." in again
    correct(clients["ines"], cost_attempt, statement="1", subject=first, verdict="withdrawn")
    assert corrections.of(run).newest == {}


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"statement": "1", "subject": "nothing-such", "verdict": "states"}, "no lever or trap"),
        ({"statement": "77", "subject": "licences", "verdict": "states"}, "no opportunity"),
        ({"statement": "1", "subject": "licences", "verdict": "dismisses"}, "verdict is one of"),
    ],
)
def test_correction_that_cannot_be_is_refused_in_a_sentence(
    clients: Clients, cost_attempt: Attempt, stage: Stage, sent: dict[str, str], sentence: str
) -> None:
    score_all(cost_attempt, stage.ines)
    answer = correct(clients["ines"], cost_attempt, **sent)
    assert answer.status_code == 409
    assert sentence in unescape(words_of(answer))


@pytest.mark.nightly
def test_other_pages_stand_for_a_cost_answer(
    clients: Clients, cost_attempt: Attempt, stage: Stage
) -> None:
    score_all(cost_attempt, stage.ines)
    for name in (
        "compare",
        "work-history",
        "report",
        "decision",
        "feedback",
        "gradings",
        "defence",
    ):
        page(clients["hana"], name, cost_attempt)
    said = page(clients["hana"], "attempt", cost_attempt)
    assert 'id="terminal"' not in said
    assert 'id="runs"' not in said
    for name in ("comparison", "opening-csv", "opening-xlsx", "opening-guide"):
        url = reverse(f"admin:{name}", args=[stage.opening.pk])
        assert clients["hana"].get(url).status_code == 200


def test_materials_are_listed_for_staff_without_a_terminal(
    clients: Clients, cost_attempt: Attempt
) -> None:
    said = page(clients["ines"], "attempt-room", cost_attempt)
    assert '"workplace": "cost"' in said
    manifest = clients["ines"].get(reverse("admin:attempt-room-manifest", args=[cost_attempt.pk]))
    assert "costs/focus.csv" in [row["path"] for row in manifest.json()["files"]]
