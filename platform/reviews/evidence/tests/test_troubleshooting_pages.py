"""Staff pages of a troubleshooting attempt: the key, what was read in the answer, and who may see which."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from assessments import answers, attempts
from assessments.materials import rebuilding, variants
from assessments.models import Attempt, Draft
from assessments.tests.stage import NOW, Stage, enter
from reviews.models import MatchCorrection
from reviews.tests.scene import LATER, score_all
from reviews.tests.troubleshooting_scene import claim_of, key, known_causes

Clients = dict[str, Client]


def page(client: Client, name: str, attempt: Attempt, *more: object) -> str:
    answer = client.get(reverse(f"admin:{name}", args=[attempt.pk, *more]))
    assert answer.status_code == 200, (name, answer.status_code)
    return answer.content.decode()


def test_key_shows_what_was_wrong_and_leads_to_each_place(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    said = page(clients["ines"], "key", troubleshooting_attempt)
    for cause in key()["causes"]:
        for text in (
            cause["title"],
            cause["test"],
            cause["mitigation"],
            cause["fix"],
            cause["risk"],
        ):
            assert escape(text) in said
        for line in cause["lines"]:
            assert line["path"] in said
    for herring in key()["herrings"]:
        assert escape(herring["why"]) in said
    room = reverse("admin:attempt-room", args=[troubleshooting_attempt.pk])
    first = key()["causes"][0]["lines"][0]
    path = first["path"].replace("/", "%2F")
    assert f"{room}#at?path={path}&amp;line={first['spans'][0][0]}" in said
    assert said.count("data-worth=") == len(key()["artefacts"])


def test_key_is_for_whoever_may_read_the_answer_once_it_is_in(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage, client: Client
) -> None:
    url = reverse("admin:key", args=[troubleshooting_attempt.pk])
    got = {name: one.get(url).status_code for name, one in clients.items()}
    assert got == {"adam": 200, "hana": 200, "ines": 200, "rhea": 403, "otto": 404, "nobody": 302}
    enter(client, stage.token)
    assert client.get(url).status_code == 302
    troubleshooting_attempt.submissions.update(superseded_at=NOW)  # reopened: nothing is in
    assert clients["ines"].get(url).status_code == 404


def test_key_that_cannot_be_made_says_so(
    clients: Clients, troubleshooting_attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise variants.NotBuilt("Building failed: no room on the disk")

    monkeypatch.setattr(variants, "key_of", fail)
    answer = clients["ines"].get(reverse("admin:key", args=[troubleshooting_attempt.pk]))
    assert answer.status_code == 503
    assert "could not be made on this server" in answer.content.decode()
    assert "no room on the disk" not in answer.content.decode()


def test_key_that_is_being_built_says_so(
    clients: Clients, troubleshooting_attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(*_: object) -> None:
        raise rebuilding.BeingBuilt("on its way")

    monkeypatch.setattr(rebuilding, "key", wait)
    answer = clients["ines"].get(reverse("admin:key", args=[troubleshooting_attempt.pk]))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(rebuilding.AGAIN_S))
    assert "The key is being prepared on this server." in answer.content.decode()


@pytest.mark.parametrize("name", ["attempt", "score"])
@pytest.mark.by_day(but=["score"])
def test_before_the_own_scorecard_only_quotes_are_shown(
    clients: Clients, troubleshooting_attempt: Attempt, name: str
) -> None:
    more = [1] if name == "score" else []
    said = page(clients["ines"], name, troubleshooting_attempt, *more)
    evidence = said[
        said.index('id="evidence"') : said.index('id="pins"') if 'id="pins"' in said else None
    ]
    assert "What the machine picked out of the answer" in evidence
    assert "Causes found" not in evidence
    for told in (
        "incident-subject",
        "found",
        "not mentioned",
        "claims it",
        "Order of investigation",
    ):
        assert told not in evidence.replace("which cause was found", "")
    assert reverse("admin:key", args=[troubleshooting_attempt.pk]) in said


def test_after_it_causes_herrings_claims_and_pins_are_shown(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    score_all(troubleshooting_attempt, stage.ines)
    said = page(clients["ines"], "attempt", troubleshooting_attempt)
    assert f'id="e1-cause-{known_causes()[0]["key"]}"' in said
    for text in (
        "Causes found",
        "found</span>",
        "not mentioned",
        "shows it",
        "on the board from minute 9",
        "Order of investigation",
        "This says something else",
        "How the answer was read",
        "sentences were not read",
        "Every sentence and what it was taken for",
    ):
        assert text in said, text


def test_prose_has_the_minute_of_the_first_draft_that_says_it(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    """E2 asks for no board: time to each cause is known of those who only write."""
    sections = answers.starting_body(troubleshooting_attempt)["sections"]
    claim = claim_of(known_causes()[1])
    texts = [
        "I look at the timers.",
        f"Notes.\n\n{claim.replace(' ', '  ')}\n",
        f"{claim}\n\nMore.",
    ]
    facts = {
        "attempt": troubleshooting_attempt,
        "round": 1,
        "client": uuid4(),
        "sha256": "",
        "size": 1,
    }
    for number, text in enumerate(texts, start=1):
        Draft.objects.create(
            **facts,
            number=100 + number,
            seq=100 + number,
            body={"sections": sections | {"issues": text}},
            received_at=NOW + timedelta(minutes=10 * number + 2),
        )
    troubleshooting_attempt.drafts.filter(number__lt=100).update(body={"sections": {}})
    score_all(troubleshooting_attempt, stage.ines)
    said = page(clients["ines"], "attempt", troubleshooting_attempt)
    assert said.count("in the text from minute 22") == 1


def test_board_is_read_as_lines_that_can_be_pinned(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    said = page(clients["ines"], "score", troubleshooting_attempt, 1)
    assert "Hypothesis board" in said
    assert "Hypothesis 1: supported" in said
    assert "Written down in minute 9, decided in minute 60" in said
    sent = {
        "id": "7d3b1a52-3a31-4f0d-9d0f-2e5c3c7b1b11",
        "kind": "line",
        "source": "answer",
        "part": "board.json",
        "first": 2,
        "last": 2,
        "text": "Names the place.",
    }
    answer = clients["ines"].post(
        reverse("admin:pin", args=[troubleshooting_attempt.pk, 1]),
        sent,
        content_type="application/json",
    )
    assert answer.json()["place"] == "Hypothesis board, line 2"
    assert answer.json()["quote"].startswith("Claim: ")


@pytest.mark.nightly
def test_other_pages_stand_for_a_written_answer(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    """What was made for programs: replays, the course of the work, reports, tables."""
    score_all(troubleshooting_attempt, stage.ines)
    for name in (
        "compare",
        "work-history",
        "report",
        "decision",
        "feedback",
        "gradings",
        "defence",
    ):
        page(clients["hana"], name, troubleshooting_attempt)
    assert "the key" in page(clients["hana"], "report", troubleshooting_attempt)
    for name in ("comparison", "opening-csv", "opening-xlsx", "opening-guide"):
        assert (
            clients["hana"].get(reverse(f"admin:{name}", args=[stage.opening.pk])).status_code
            == 200
        )


@pytest.mark.nightly
def test_queries_do_not_grow_with_corrections(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    score_all(troubleshooting_attempt, stage.ines)
    run = troubleshooting_attempt.submissions.get().latest_grading()
    assert run is not None

    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            page(clients["ines"], "attempt", troubleshooting_attempt)
        return len(seen)

    count()
    before = count()
    for number in range(12):
        MatchCorrection.objects.create(
            grading=run,
            statement="h:h1",
            subject=key()["causes"][0]["key"],
            quote="x",
            verdict="none",
            reason=str(number),
            measures=[],
            score=0.1,
            by=stage.ines,
            at=LATER,
        )
    assert count() == before


def test_no_candidate_address_says_anything_of_the_key(
    client: Client, stage: Stage, troubleshooting_attempt: Attempt, clients: Clients
) -> None:
    """The sentences of the key, its hours, its words for what a file is worth, and the seed."""
    attempts.open_revision(
        troubleshooting_attempt.pk,
        strength="Clear.",
        improvement="Look at storage.",
        focus="",
        start_now=True,
        by=stage.ines,
        now=timezone.now(),
    )
    enter(client, stage.token)
    truth = key()
    secrets = [
        text for cause in truth["causes"] for text in (cause["story"], cause["fix"], cause["test"])
    ]
    secrets += [herring["why"] for herring in truth["herrings"]] + [
        "misleading",
        '"causal"',
        '"worth"',
    ]
    base = reverse("room-manifest", args=[troubleshooting_attempt.pk]).removesuffix("manifest")
    manifest = client.get(f"{base}manifest")
    assert manifest.status_code == 200
    pages: list[Any] = [
        manifest,
        client.get(reverse("workspace", args=[troubleshooting_attempt.pk])),
    ]
    pages += [
        client.get(f"{base}{name}")
        for name in ("metrics/catalogue", "metrics/panels", "terminal/help")
    ]
    for answer in pages:
        found = [text for text in secrets if text in answer.content.decode()]
        assert found == [], answer.request["PATH_INFO"]
    for name in ("key.json", "../keys/x.json", "manifest.json", "../manifest.json"):
        assert client.get(f"{base}files/{name}").status_code == 404
