"""A link shows what its maker may read, to whoever has it, until it ends; each opening is on record."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import Stage
from assessments.throttle import Buckets
from reviews import pdf_files
from reviews.decisions.pages import shared_report
from reviews.models import PdfFile, ReportLink, ReportLinkOpening
from reviews.scoring import evaluations
from reviews.tests.scene import LATER
from reviews.tests.story import whole

ENDED = "This link opens nothing"


@pytest.fixture
def told(stage: Stage, handed_in: Attempt) -> Attempt:
    return whole(stage, handed_in)


def shared_by(user: Any, attempt: Attempt) -> str:
    """The path of a link that the form made."""
    client = Client()
    client.force_login(user)
    url = reverse("admin:report-link", args=[attempt.pk])
    assert "reads this report as you may read it" in words_of(client.get(url))
    answer = client.post(url, {"reader": "Dr Voss", "days": "3"})
    assert answer.status_code == 200, answer.content
    address = str(answer.context["address"])
    assert address in words_of(answer)
    return "/" + address.split("/", 3)[3]


def test_a_reader_without_an_account_reads_the_report_and_nothing_else(
    stage: Stage, told: Attempt
) -> None:
    path = shared_by(stage.hana, told)
    token = path.rstrip("/").rpartition("/")[2]
    assert not ReportLink.objects.filter(token_hash=token).exists()
    answer = Client().get(path)
    text = words_of(answer)
    for words in ("Ada Fontaine", "Strength", "Fair sharing", "Dr Voss", "confidential"):
        assert words in text, words
    assert "/admin/" not in text
    assert "Who saw what" not in text
    assert "noindex" in answer["X-Robots-Tag"]
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer["Cache-Control"] == "no-store"
    assert ReportLinkOpening.objects.count() == 1
    assert Client().post(path).status_code == 405


@pytest.mark.nightly
def test_its_file_is_made_for_it_and_names_no_address_of_it(stage: Stage, told: Attempt) -> None:
    path = shared_by(stage.hana, told)
    assert Client().get(path + "?pdf").status_code == 202
    row = PdfFile.objects.get()
    assert path not in row.html + row.base
    pdf_files.make(row.pk)
    answer = Client().get(path + "?pdf")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Referrer-Policy"] == "no-referrer"
    assert [row.as_file for row in ReportLinkOpening.objects.all()] == [True]


@pytest.mark.nightly
def test_it_ends_by_time_by_revoking_and_with_its_makers_access(
    stage: Stage, told: Attempt
) -> None:
    path, client = shared_by(stage.hana, told), Client()
    link, now = ReportLink.objects.get(), timezone.now()
    for model, change, back in (
        (
            link,
            {"expires_at": now - timedelta(seconds=1), "made_at": now - timedelta(days=2)},
            {"expires_at": link.expires_at, "made_at": link.made_at},
        ),
        (stage.hana, {"is_active": False}, {"is_active": True}),
        (stage.hana, {"access_ends_at": now - timedelta(days=1)}, {"access_ends_at": None}),
        (stage.opening, {"hiring_manager": stage.otto}, {"hiring_manager": stage.hana}),
    ):
        rows = type(model)._base_manager.filter(pk=model.pk)
        rows.update(**change)
        answer = client.get(path)
        assert answer.status_code == 404, change
        assert ENDED in words_of(answer)
        rows.update(**back)
        assert client.get(path).status_code == 200, change
    staff = Client()
    staff.force_login(stage.hana)
    listed = words_of(staff.get(reverse("admin:report-links")))
    assert "Dr Voss" in listed
    assert "Ada Fontaine" in listed
    revoke = reverse("admin:report-link-revoke", args=[link.pk])
    assert "it cannot be brought back" in words_of(staff.get(revoke))
    staff.post(revoke)
    assert client.get(path).status_code == 404
    assert "No report is shared" in words_of(staff.get(reverse("admin:report-links")))
    assert client.get("/report/nonsense/").status_code == 404


def test_it_shows_no_more_than_its_maker_may_read_at_that_moment(
    stage: Stage, told: Attempt
) -> None:
    path = shared_by(stage.rhea, told)  # recruiters read no ratings
    text = words_of(Client().get(path))
    assert "Ratings, round" not in text
    assert "not open to your role" in text
    path = shared_by(stage.hana, told)
    evaluations.assign(attempt=told, evaluator=stage.hana, by=stage.rhea, now=LATER)
    text = words_of(Client().get(path))
    assert "Ada Fontaine" not in text
    assert "has a scorecard to send first" in text
    assert "Ratings, round" not in text


def test_who_owes_a_scorecard_and_who_does_not_lead_shares_nothing(
    stage: Stage, told: Attempt
) -> None:
    url = reverse("admin:report-link", args=[told.pk])
    ines, hana = Client(), Client()
    ines.force_login(stage.ines)
    hana.force_login(stage.hana)
    assert ines.get(url).status_code == 403
    evaluations.assign(attempt=told, evaluator=stage.hana, by=stage.rhea, now=LATER)
    answer = hana.post(url, {"reader": "Dr Voss", "days": "3"})
    assert answer.status_code == 409
    assert "Submit it first" in words_of(answer)
    assert not ReportLink.objects.exists()


def test_somebody_elses_opening_is_nobodys_list(stage: Stage, told: Attempt) -> None:
    shared_by(stage.hana, told)
    otto = Client()
    otto.force_login(stage.otto)
    assert otto.get(reverse("admin:report-links")).status_code == 403
    link = ReportLink.objects.get()
    stage.opening.hiring_manager = stage.otto
    stage.opening.save()
    hana = Client()
    hana.force_login(stage.hana)
    assert "Dr Voss" not in words_of(hana.get(reverse("admin:report-links")))
    assert hana.get(reverse("admin:report-link-revoke", args=[link.pk])).status_code == 404


def test_who_guesses_is_slowed_down(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_report, "GUESSED", Buckets(3, 0.0))
    codes = [Client().get(f"/report/guess-{at}/").status_code for at in range(5)]
    assert codes == [404, 404, 404, 429, 429]
    monkeypatch.setattr(shared_report, "OPENED", Buckets(1, 0.0))
    assert [Client().get("/report/same/").status_code for _ in range(2)][1] == 429
