"""The report: all that is known, nothing that is hidden, on the screen and on paper (S5, E9, E16, E17)."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import Stage
from reviews import pdf, pdf_files, pdf_process, typesetter
from reviews.decisions.decisions import decide
from reviews.evidence.lanes_svg import Lane, Mark, drawn
from reviews.interviews import interview_scores
from reviews.models import InterviewScore, PdfFile, QuestionSet
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, SECRET_SCORE, score_all
from reviews.tests.story import NEXT_DAY, PHRASE, whole

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def told(stage: Stage, handed_in: Attempt) -> Attempt:
    return whole(stage, handed_in)


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(user: User, attempt: Attempt) -> Any:
    return browser(user).get(reverse("admin:report", args=[attempt.pk]))


def printed(client: Client, url: str) -> Any:
    """The PDF file of a page: asked for, set by a worker, fetched."""
    waiting = client.get(f"{url}?pdf")
    assert (waiting.status_code, waiting["Refresh"]) == (202, "1")
    assert "is being made" in words_of(waiting)
    for pk in PdfFile.objects.filter(finished_at=None).values_list("pk", flat=True):
        assert pdf_files.make(pk)
    return client.get(f"{url}?pdf")


def on_paper(user: User, attempt: Attempt) -> Any:
    return printed(browser(user), reverse("admin:report", args=[attempt.pk]))


def tags_of(reader: PdfReader) -> list[str]:
    """The names of all structure elements, walking the tree."""
    found: list[str] = []
    queue: list[Any] = [reader.root_object["/StructTreeRoot"]]
    while queue:
        node = queue.pop().get_object()
        if isinstance(node, list):
            queue += list(node)
        elif isinstance(node, dict):
            if "/S" in node:
                found.append(node["/S"])
            if "/K" in node:
                queue.append(node["/K"])
    return found


def test_report_has_everything_that_was_made_of_the_candidate(stage: Stage, told: Attempt) -> None:
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Sound in the revision.",
        by=stage.hana,
        now=NEXT_DAY,
    )
    text = words_of(page(stage.hana, told))
    for part in (
        "Ada Fontaine",
        "Explained and defended",
        "Why three replicas?",
        "Strength",
        "Fair sharing",
        "Work in a team",
        "Sound in the revision.",
        "Make an offer",
        "Hana",
        "overridden",
        "Who saw what before the decision",
        "What the revision changed",
        "The trace was cut short",
        "After a discussion",
        "Both had missed that",
    ):
        assert part in text, part
    assert text.count("<svg") == 6  # ratings, measures, changes, a replay in three pieces
    assert text.count("<title") == 7  # the page and its pictures


def test_combination_is_mechanical_and_its_formula_is_shown(stage: Stage, told: Attempt) -> None:
    """Work: Ines 3s with a 4 in the revision, Otto 4s with a 5; interviews 3.5 and 4."""
    answer = page(stage.hana, told)
    candidate_score = answer.context["report"].candidate_score
    work, talks = candidate_score.work.value, candidate_score.interviews.value
    assert 3.5 < work < 4.0
    assert talks == pytest.approx(3.75)
    assert candidate_score.combined.value == pytest.approx(0.5 * work + 0.5 * talks)
    assert f"0.50 × {work:.2f} + 0.50 × 3.75" in words_of(answer)
    stage.opening.work_sample_weight = 80
    stage.opening.save()
    changed = page(stage.hana, told)
    assert "40 to 60 % is advised" in words_of(changed)
    again = changed.context["report"].candidate_score.combined.value
    assert again == pytest.approx(0.8 * work + 0.2 * talks)


def test_who_owes_a_scorecard_reads_none_of_it(stage: Stage, handed_in: Attempt) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    score_all(handed_in, stage.otto, level=2)
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hold",
        reasons="Wait for Ines.",
        by=stage.hana,
        now=LATER,
    )
    text = words_of(page(stage.ines, handed_in))
    assert stage.ada.name not in text
    assert "Wait for Ines." not in text
    assert f"{SECRET_SCORE:.2f}" not in text
    assert "Make an offer" not in text
    assert "1 scorecard of round 1 is in that you may not read until your own is" in text
    assert "<svg" not in text
    score_all(handed_in, stage.ines, level=4)
    text = words_of(page(stage.ines, handed_in))
    assert f"{SECRET_SCORE:.2f}" in text
    assert "Wait for Ines." in text
    assert stage.ada.name not in text  # "Hold" ends nothing
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Now.",
        by=stage.hana,
        now=NEXT_DAY,
    )
    assert stage.ada.name in words_of(page(stage.ines, handed_in))


def test_recruiter_reads_the_decision_and_no_answer_rating_or_measure(
    stage: Stage, told: Attempt
) -> None:
    text = words_of(page(stage.rhea, told))
    assert "Why three replicas?" not in text
    assert "Ratings, round" not in text
    assert "Measures, round" not in text


def test_otto_of_another_panel_finds_no_report(stage: Stage, handed_in: Attempt) -> None:
    assert page(stage.otto, handed_in).status_code == 404


@pytest.mark.nightly
def test_pdf_is_tagged_says_its_language_and_describes_its_charts(
    stage: Stage, told: Attempt
) -> None:
    answer = on_paper(stage.hana, told)
    assert answer["Content-Type"] == "application/pdf"
    assert stage.ada.pseudonym.lower() in answer["Content-Disposition"]
    reader = PdfReader(io.BytesIO(answer.content))
    root: Any = reader.root_object
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en-GB"
    metadata = root["/Metadata"].get_data().decode()
    assert re.search(r"pdfuaid:part[^>]*>\s*1|pdfuaid:part=\"1\"", metadata)
    tags = tags_of(reader)
    assert tags.count("/Figure") == 6
    assert {"/H1", "/H2", "/H3", "/Table", "/TH", "/TD", "/L"} <= set(tags)
    text = "".join(one.extract_text() for one in reader.pages)
    assert "Ada Fontaine" in text
    assert "High priority wait" in text
    box = reader.pages[0].mediabox
    assert (round(box.width), round(box.height)) == (595, 842)


@pytest.mark.nightly
def test_nothing_is_fetched_for_a_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    fetcher = pdf_process.fetcher_of({})
    for url in ("http://127.0.0.1/x.png", "file:///etc/passwd", "data:text/plain,x", "font:../x"):
        with pytest.raises(ValueError, match="Nothing is fetched"):
            fetcher.fetch(url)
    made = pdf.pdf(
        '<html lang="en"><title>t</title><img src="file:///etc/passwd" alt="x">A word</html>',
        base="http://127.0.0.1/",
    )
    assert made.startswith(b"%PDF-1.7")


@pytest.mark.parametrize("error", [ModuleNotFoundError("weasyprint"), OSError("no libpango")])
def test_a_typesetter_without_the_library_says_so(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def missing(name: str) -> Any:
        raise error

    monkeypatch.setattr(pdf_process, "import_module", missing)
    monkeypatch.setattr("reviews.pdf_process.os.nice", lambda _: None)
    asked, tell = os.pipe()
    said = json.dumps({"sheets": [], "fonts": {}}).encode()
    os.write(tell, pdf_process.LENGTH.pack(len(said)) + said)
    os.close(tell)
    assert pdf_process.main(asked) == pdf_process.MISSING
    os.close(asked)


@pytest.mark.parametrize(
    ("error", "said"),
    [(typesetter.Missing(), "libpango-1.0-0"), (typesetter.Failed("-9"), "print the page itself")],
)
@pytest.mark.by_day(every=2)
def test_where_no_pdf_is_made_the_page_says_why(
    stage: Stage, told: Attempt, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def none(*_: Any, **__: Any) -> bytes:
        raise error

    monkeypatch.setattr(typesetter.TYPESETTER, "page", none)
    answer = on_paper(stage.hana, told)
    text = words_of(answer)
    assert answer.status_code == 503
    assert said in text
    assert "Explained and defended" in text  # the page itself is all there


@pytest.mark.nightly
def test_a_site_that_prints_nothing_loads_none_of_it() -> None:
    code = (
        "import django, sys; django.setup(); from django.urls import reverse; reverse('admin:index'); "
        "print([name for name in ('weasyprint', 'openpyxl') if name in sys.modules])"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "headnode.settings"}
    env["PYTHONPATH"] = os.pathsep.join(str(path) for path in (ROOT / "platform", ROOT))
    said = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"


@pytest.mark.nightly
def test_printed_pages_are_files_too(stage: Stage, told: Attempt) -> None:
    chosen = QuestionSet.objects.get()
    session = stage.opening.interviews.get()
    for name, key, words in (
        ("opening-guide", stage.opening.pk, "Timetable of the sitting"),
        ("question-set-print", chosen.pk, "Fair sharing"),
        ("interview-print", session.pk, "Fair sharing"),
    ):
        answer = printed(browser(stage.hana), reverse(f"admin:{name}", args=[key]))
        reader = PdfReader(io.BytesIO(answer.content))
        assert words in "".join(one.extract_text() for one in reader.pages), name
        assert "/H2" in tags_of(reader), name


def test_candidates_words_stay_words(stage: Stage, told: Attempt) -> None:
    """What somebody typed is text on the page, in a chart and on paper."""
    stage.ada.name = "<b>Ada</b> & {{ 7 }}"
    stage.ada.save()
    assert "<b>Ada</b>" not in words_of(page(stage.hana, told))
    svg = drawn("<script>", [Lane("a < b & \x01", [Mark(3)])])
    assert "<script>" not in svg
    assert "a &lt; b &amp; \ufffd" in svg


def give(stage: Stage, **more: Any) -> tuple[InterviewScore, bool]:
    from uuid import uuid4

    data: dict[str, Any] = {
        "id": uuid4(),
        "opening": stage.opening,
        "candidate": stage.ada,
        "about": "culture",
        "score": 3,
        "reasons": "Asked good questions.",
        "by": stage.hana,
        "now": LATER,
    }
    return interview_scores.give(**(data | more))


def test_interview_score_is_appended_and_the_newest_counts(
    stage: Stage, handed_in: Attempt
) -> None:
    first, _ = give(stage)
    second, _ = give(stage, score=5)
    assert list(InterviewScore.objects.current()) == [second]
    assert InterviewScore.objects.count() == 2
    assert give(stage, id=first.pk) == (first, False)
    for wrong in (
        {"score": 6},
        {"about": "looks"},
        {"reasons": "  "},
        {"id": first.pk, "by": stage.rhea},
    ):
        with pytest.raises(NotPossible):
            give(stage, **wrong)


def test_who_scores_enters_no_interview_before_the_scorecard(
    stage: Stage, handed_in: Attempt
) -> None:
    url = reverse("admin:interview-score", args=[handed_in.pk])
    data = {
        "id": "c4a0c1f2-0000-4000-8000-000000000001",
        "about": "team",
        "score": "4",
        "reasons": "Calm.",
    }
    client = browser(stage.ines)
    answer = client.post(url, data)
    assert answer.status_code == 409
    assert "submit that scorecard first" in words_of(answer)
    give(stage)
    assert not InterviewScore.objects.visible_to(stage.ines).exists()
    score_all(handed_in, stage.ines)
    assert client.post(url, data).status_code == 302
    assert client.post(url, data).status_code == 302
    assert InterviewScore.objects.filter(given_by=stage.ines).count() == 1
    assert InterviewScore.objects.visible_to(stage.ines).count() == 2
    assert client.post(url, {"score": "9"}).status_code == 400


def test_report_is_seen_and_the_log_of_it_stops_at_the_decision(
    stage: Stage, told: Attempt
) -> None:
    page(stage.hana, told)
    seen = page(stage.hana, told).context["report"].seen
    assert [(row.by, row.page) for row in seen] == [(stage.hana, "the report")]
    decide(
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Sound.",
        by=stage.hana,
        now=LATER,
    )
    assert page(stage.hana, told).context["report"].seen == []  # the sighting came after it
    assert page(stage.ines, told).context["report"].seen is None
    assert PHRASE in words_of(page(stage.hana, told))


def test_evidence_is_offered_to_those_who_may_open_it(stage: Stage, told: Attempt) -> None:
    replays = reverse("admin:compare", args=[told.pk])
    assert replays in page(stage.hana, told).content.decode()
    assert browser(stage.rhea).get(replays).status_code == 403
    assert replays not in page(stage.rhea, told).content.decode()
