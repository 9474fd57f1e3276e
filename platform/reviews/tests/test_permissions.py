"""Every role at every address: who gets a page, who is told no, who learns nothing."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from assessments.models import Attempt, Run
from assessments.tests.stage import NOW, Stage, save
from reviews.models import Assignment
from reviews.tests.scene import SECRET_SCORE

PEOPLE = ("adam", "rhea", "hana", "ines", "otto", "nobody")
# address -> the status for each of PEOPLE; Ines is on the panel, Otto is not, 302 is the sign-in.
LISTS = {
    "admin:index": (200, 200, 200, 200, 200, 302),
    "admin:settings": (200, 200, 200, 200, 200, 302),
    "admin:hiring_opening_changelist": (200, 200, 200, 200, 200, 302),
    "admin:hiring_opening_add": (200, 200, 403, 403, 403, 302),
    "admin:hiring_candidate_changelist": (200, 200, 200, 403, 403, 302),
    "admin:hiring_candidate_add": (200, 200, 403, 403, 403, 302),
    "admin:hiring_invitation_changelist": (200, 200, 403, 403, 403, 302),
    "admin:hiring_invitation_add": (200, 200, 403, 403, 403, 302),
    "admin:assessments_attempt_changelist": (200, 200, 200, 200, 200, 302),
    "admin:assessments_attempt_add": (403, 403, 403, 403, 403, 302),
    "admin:library_question_changelist": (200, 200, 200, 200, 200, 302),
    "admin:library_question_add": (200, 403, 403, 200, 200, 302),
    "admin:library_rubric_changelist": (200, 403, 200, 200, 200, 302),
    "admin:library_rubric_add": (403, 403, 403, 403, 403, 302),
    "admin:library_packversion_changelist": (200, 200, 200, 200, 200, 302),
    "admin:accounts_user_changelist": (200, 403, 403, 403, 403, 302),
    "admin:accounts_user_add": (200, 403, 403, 403, 403, 302),
    "admin:auth_group_changelist": (200, 403, 403, 403, 403, 302),
    "admin:admin_logentry_changelist": (200, 403, 403, 403, 403, 302),
}
ATTEMPT = {
    "admin:attempt": (200, 200, 200, 200, 404, 302),
    "admin:feedback": (200, 403, 200, 200, 404, 302),
    "admin:decision": (200, 200, 200, 200, 404, 302),
    "admin:assign": (200, 200, 200, 403, 403, 302),
    "admin:extend": (200, 200, 403, 403, 403, 302),
    "admin:reopen": (200, 200, 403, 403, 403, 302),
    "admin:regrade": (200, 403, 200, 403, 403, 302),
}
ROWS = {
    "admin:hiring_opening_change": (200, 200, 200, 200, 302, 302),
    "admin:hiring_candidate_change": (200, 200, 200, 403, 403, 302),
    "admin:hiring_invitation_change": (200, 200, 403, 403, 403, 302),
    "admin:invitation-send": (200, 200, 403, 403, 403, 302),
    "admin:invitation-replace": (200, 200, 403, 403, 403, 302),
    "admin:invitation-revoke": (200, 200, 403, 403, 403, 302),
    "admin:opening-close": (200, 200, 403, 403, 403, 302),
}


def answers(clients: dict[str, Client], url: str) -> tuple[int, ...]:
    return tuple(clients[name].get(url).status_code for name in PEOPLE)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.by_day(every=3)
def test_list_is_for_those_whose_role_allows_it(clients: dict[str, Client], name: str) -> None:
    assert answers(clients, reverse(name)) == LISTS[name]


@pytest.mark.parametrize("name", ATTEMPT)
@pytest.mark.by_day(but=["admin:attempt", "admin:decision", "admin:feedback"])
def test_page_about_an_attempt_knows_the_panel(
    clients: dict[str, Client], handed_in: Attempt, name: str
) -> None:
    assert answers(clients, reverse(name, args=[handed_in.pk])) == ATTEMPT[name]


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.by_day(every=2)
def test_row_is_for_those_whose_role_allows_it(
    clients: dict[str, Client], stage: Stage, handed_in: Attempt, name: str
) -> None:
    pks = {"opening": stage.opening.pk, "candidate": stage.ada.pk}
    kind = next((key for key in pks if key in name), "")
    pk = pks.get(kind, stage.invitation.pk)
    assert answers(clients, reverse(name, args=[pk])) == ROWS[name]


def test_scoring_is_for_the_assigned_only(clients: dict[str, Client], handed_in: Attempt) -> None:
    url = reverse("admin:score", args=[handed_in.pk, 1])
    assert answers(clients, url) == (403, 403, 302, 200, 404, 302)


def test_charts_are_for_the_panel(clients: dict[str, Client], handed_in: Attempt) -> None:
    run = handed_in.submissions.get().latest_grading()
    assert run is not None
    url = reverse("admin:evidence-chart", args=[handed_in.pk, run.pk, 0])
    assert answers(clients, url) == (200, 403, 200, 200, 404, 403)
    answer = clients["ines"].get(url)
    assert answer.json()["t"] == [0, 300, 600]
    assert str(SECRET_SCORE) not in answer.content.decode()


@pytest.mark.nightly
def test_run_is_shown_without_measures_before_the_own_scorecard(
    clients: dict[str, Client], stage: Stage, handed_in: Attempt
) -> None:
    draft = handed_in.drafts.get()
    report = {"stdout": "scaled \x1b[31m", "measures": [{"key": "cost", "score": SECRET_SCORE}]}
    run = Run.objects.create(
        attempt=handed_in,
        round=1,
        draft=draft,
        workload="public-1",
        created_at=NOW,
        finished_at=NOW,
        result="done",
        report=report,
    )
    url = reverse("admin:run", args=[handed_in.pk, run.pk])
    assert answers(clients, url) == (200, 403, 200, 200, 404, 302)
    page = clients["ines"].get(url).content.decode()
    assert str(SECRET_SCORE) not in page
    assert "[U+001B]" in page
    chart = reverse("admin:run-chart", args=[handed_in.pk, run.pk])
    assert clients["ines"].get(chart).json() == {"detail": "There is nothing here."}


@pytest.mark.parametrize("name", [*ATTEMPT, "admin:note"])
def test_unknown_attempt_is_not_found(clients: dict[str, Client], name: str) -> None:
    url = reverse(name, args=[uuid4()])
    allowed = {"admin:attempt": (404, 405), "admin:note": (405, 404)}.get(name, (404, 404))
    assert clients["adam"].get(url).status_code == allowed[0]
    assert clients["adam"].post(url, {}).status_code == allowed[1]


def test_rubbish_in_an_address_is_not_found(clients: dict[str, Client]) -> None:
    for path in ("attempts/rubbish/", "hiring/invitation/x/change/"):
        assert clients["adam"].get(f"/admin/{path}").status_code == 404
    sent_home = clients["adam"].get("/admin/hiring/opening/x/change/", follow=True)
    assert "doesn’t exist" in sent_home.content.decode()


def test_unknown_things_of_an_attempt_are_not_found(
    clients: dict[str, Client], handed_in: Attempt
) -> None:
    base = f"/admin/attempts/{handed_in.pk}/"
    for path in ("evidence/999999/0/", f"runs/{uuid4()}/", "assign/999999/withdraw/"):
        assert clients["adam"].get(base + path).status_code == 404
    run = handed_in.submissions.get().latest_grading()
    assert run is not None
    assert clients["adam"].get(f"{base}evidence/{run.pk}/77/").status_code == 404
    assert clients["ines"].get(f"{base}score/9/").status_code == 302


def test_a_withdrawn_interviewer_sees_nothing_any_more(
    clients: dict[str, Client], handed_in: Attempt, stage: Stage
) -> None:
    url = reverse("admin:withdraw", args=[handed_in.pk, stage.ines.pk])
    assert clients["rhea"].post(url, {"reason": ""}).status_code == 400
    clients["rhea"].post(url, {"reason": "On holiday."})
    assert not Assignment.objects.exists()
    assert clients["ines"].get(reverse("admin:attempt", args=[handed_in.pk])).status_code == 404


def test_otto_finds_nothing_in_the_lists(
    clients: dict[str, Client], handed_in: Attempt, stage: Stage
) -> None:
    for name in ("assessments_attempt", "hiring_opening"):
        page = clients["otto"].get(reverse(f"admin:{name}_changelist")).content.decode()
        assert stage.ada.pseudonym not in page
        assert stage.opening.title not in page


def test_candidates_cannot_enter(handed_in: Attempt, stage: Stage, client: Client) -> None:
    client.get(f"/t/{stage.token}/")
    answer = client.get(reverse("admin:attempt", args=[handed_in.pk]))
    assert answer.status_code == 302
    assert "/admin/login/" in answer["Location"]


def test_drafts_after_time_are_named_as_kept_aside(
    clients: dict[str, Client], handed_in: Attempt
) -> None:
    save(handed_in, "too late", at=NOW.replace(hour=20))
    page = clients["adam"].get(reverse("admin:attempt", args=[handed_in.pk])).content.decode()
    assert "kept, never graded" in page
