"""Verbs for a selection: every row says what will happen or why not, and what happens is what was shown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments.models import Attempt, TimeEvent
from assessments.tests.stage import Stage, begin
from hiring.invitations import find
from hiring.models import Candidate, Invitation, Message, Opening
from reviews.bulk.tests.test_people_pages import hidden
from reviews.tests.scene import clients

__all__ = ["clients"]
PAGES = {
    "invitations": "admin:hiring_invitation_changelist",
    "attempts": "admin:assessments_attempt_changelist",
    "openings": "admin:hiring_opening_changelist",
}


def choose(client: Client, kind: str, action: str, *keys: Any) -> str:
    """Tick rows of a list and press a button; the address that it leads to."""
    data = {"action": action, "index": "0", "_selected_action": [str(key) for key in keys]}
    answer = client.post(reverse(PAGES[kind]), data)
    return str(answer["Location"])


def do(client: Client, url: str, data: dict[str, Any]) -> Any:
    """Look at the page with the form filled in, then press its button."""
    page = client.post(url, data)
    return client.post(url, data | hidden(page) | {"do": "yes"}, follow=True)


@pytest.fixture
def two(stage: Stage, published: list[Any]) -> tuple[Invitation, Invitation]:
    """Ada's invitation is open, Bela's was revoked."""
    now = timezone.now()
    bela = Candidate.objects.create(name="Bela Kiss", email="bela@example.com", created_at=now)
    other = Invitation.objects.get(pk=stage.invitation.pk)
    other.pk, other.candidate, other.token_hash = None, bela, "x"
    other.revoked_at = now
    other.save()
    other.exercises.set([stage.exercise])
    Invitation.objects.update(opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1))
    return Invitation.objects.get(pk=stage.invitation.pk), other


def test_reminding_says_who_cannot_be_and_why(
    clients: dict[str, Client], two: tuple[Invitation, Invitation]
) -> None:
    rhea = clients["rhea"]
    url = choose(rhea, "invitations", "bulk_remind", *[row.pk for row in two])
    words = words_of(rhea.get(url))
    assert "1 of 2 invitations; <strong>1 cannot</strong>" in words
    assert "is reminded of" in words
    assert "This invitation was revoked." in words
    assert not Message.objects.exists()
    done = do(rhea, url, {})
    assert "A reminder to ada@example.com is on its way." in words_of(done)
    assert Message.objects.get().occasion == "reminder"
    assert LogEntry.objects.get(object_id=str(two[0].pk)).user.username == "rhea"


def test_extending_tells_until_when_and_then_does_it(
    clients: dict[str, Client], two: tuple[Invitation, Invitation]
) -> None:
    rhea, (ada, _) = clients["rhea"], two
    url = choose(rhea, "invitations", "bulk_extend", ada.pk)
    late = {"closes_at": "2036-01-05T10:00", "tell": "on", "reason": "Holidays."}
    words = words_of(rhea.post(url, late))
    assert "can start until 5 Jan 2036, 10:00 UTC instead of" in words
    assert "and is told by e-mail" in words
    do(rhea, url, late)
    ada.refresh_from_db()
    assert f"{ada.closes_at:%Y-%m-%d %H}" == "2036-01-05 10"
    assert Message.objects.get().occasion == "reminder"
    sooner = rhea.post(url, late | {"closes_at": "2035-01-01T10:00"})
    assert "It closes then, or later, already" in words_of(sooner)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"opens_at": timezone.now() + timedelta(days=9)}, "nothing was sent to them yet"),
        ({"address": ""}, "there is no address"),
    ],
)
def test_extending_says_who_is_not_told_of_it(
    clients: dict[str, Client],
    two: tuple[Invitation, Invitation],
    change: dict[str, Any],
    why: str,
) -> None:
    rhea, (ada, _) = clients["rhea"], two
    if "address" in change:
        Candidate.objects.filter(pk=ada.candidate_id).update(email=change["address"])
    else:
        later = {"closes_at": change["opens_at"] + timedelta(days=1), "sent_at": None}
        Invitation.objects.filter(pk=ada.pk).update(**change, **later)
    url = choose(rhea, "invitations", "bulk_extend", ada.pk)
    late = {"closes_at": "2036-01-05T10:00", "tell": "on", "reason": "Holidays."}
    assert f", but is not told: {why}" in words_of(rhea.post(url, late))
    done = do(rhea, url, late)
    assert f"The candidate is not told: {why}." in words_of(done)
    assert not Message.objects.exists()


def test_one_window_is_extended_on_its_own_page(
    clients: dict[str, Client], two: tuple[Invitation, Invitation]
) -> None:
    url = reverse("admin:invitation-extend", args=[two[0].pk])
    data = {"closes_at": "2036-01-05T10:00", "reason": "Ill."}
    answer = clients["rhea"].post(url, data, follow=True)
    assert "The window closes Saturday 5 January 2036, 10:00 (UTC). Reason: Ill." in words_of(
        answer
    )
    again = clients["rhea"].post(url, data)
    assert again.status_code == 409


def test_revoking_needs_a_reason_and_happens_once(
    clients: dict[str, Client], stage: Stage, two: tuple[Invitation, Invitation]
) -> None:
    rhea = clients["rhea"]
    url = choose(rhea, "invitations", "bulk_revoke", *[row.pk for row in two])
    page = rhea.get(url)
    assert "has started nothing: the link stops at once" in words_of(page)
    without = rhea.post(url, hidden(page) | {"reason": "", "do": "yes"})
    assert without.status_code == 400
    assert find(stage.token) is not None
    go = hidden(page) | {"reason": "The role was filled.", "do": "yes"}
    assert "Revoked. Reason: The role was filled." in words_of(rhea.post(url, go, follow=True))
    assert find(stage.token) is None
    assert "counts once" in words_of(rhea.post(url, go, follow=True))


def test_what_was_changed_after_the_page_was_shown_is_shown_first(
    clients: dict[str, Client], two: tuple[Invitation, Invitation]
) -> None:
    rhea = clients["rhea"]
    url = choose(rhea, "invitations", "bulk_extend", two[0].pk)
    data = {"closes_at": "2036-01-05T10:00", "reason": "x"}
    page = rhea.post(url, data)
    other = data | hidden(page) | {"closes_at": "2037-01-05T10:00", "do": "yes"}
    answer = rhea.post(url, other)
    assert answer.status_code == 409
    assert "You changed something since" in words_of(answer)
    assert "5 Jan 2037" in words_of(answer)
    assert not Invitation.objects.filter(closes_at__year__gt=2035).exists()


def test_sending_again_says_that_earlier_links_keep_working(
    clients: dict[str, Client], two: tuple[Invitation, Invitation]
) -> None:
    rhea = clients["rhea"]
    Invitation.objects.update(sent_at=timezone.now())
    url = choose(rhea, "invitations", "bulk_send", two[0].pk)
    words = words_of(rhea.get(url))
    assert "it goes out once more to ada@example.com" in words
    assert "the links from before keep working" in words


def test_running_attempts_are_extended_together(
    clients: dict[str, Client], stage: Stage, published: list[Any]
) -> None:
    attempt = begin(stage)
    now = timezone.now()
    TimeEvent.objects.update(at=now, after=now + timedelta(hours=1))
    Attempt.objects.update(started_at=now, deadline_at=now + timedelta(hours=1))
    rhea = clients["rhea"]
    url = choose(rhea, "attempts", "bulk_extend_time", attempt.pk)
    data = {"minutes": "20", "reason": "Fire alarm."}
    assert "has 20 minutes more, until" in words_of(rhea.post(url, data))
    do(rhea, url, data)
    attempt.refresh_from_db()
    assert attempt.deadline_at == now + timedelta(minutes=80)
    assert attempt.time_events.last().reason == "Fire alarm."  # type: ignore[union-attr]


def test_openings_are_closed_together(clients: dict[str, Client], stage: Stage) -> None:
    rhea = clients["rhea"]
    done = Opening.objects.create(
        title="Old", level="mid", created_at=timezone.now(), closed_at=timezone.now()
    )
    url = choose(rhea, "openings", "bulk_close", stage.opening.pk, done.pk)
    assert "This opening was closed before." in words_of(rhea.get(url))
    do(rhea, url, {"reason": "Filled."})
    stage.opening.refresh_from_db()
    assert stage.opening.closed_at is not None


def test_a_long_selection_goes_on_with_the_next_page(
    clients: dict[str, Client], two: tuple[Invitation, Invitation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.bulk.pages.acts.AT_ONCE", 1)
    rhea = clients["rhea"]
    url = choose(rhea, "invitations", "bulk_remind", *[row.pk for row in two])
    page = rhea.get(url)
    assert "1 of 1 invitations now, and 1 more that follow" in words_of(page)
    skipped = rhea.post(url, {"skip": "yes"}, follow=True)
    assert "1 more were chosen" in words_of(skipped)
    assert not Message.objects.exists()
    done = do(rhea, url, {})
    assert "A reminder to ada@example.com is on its way." in words_of(done)
    assert "This invitation was revoked." in words_of(done)


def test_rows_of_others_cannot_be_reached(clients: dict[str, Client], stage: Stage) -> None:
    for who in ("ines", "hana"):
        for name in ("remind", "send", "extend", "revoke", "extend-time", "close"):
            assert clients[who].get(reverse(f"admin:bulk-{name}")).status_code == 403
    rhea = clients["rhea"]
    gone = rhea.get(reverse("admin:bulk-remind"), {"list": "stolen"}, follow=True)
    assert "Choose the rows first" in words_of(gone)


def test_lists_without_verbs_have_no_buttons(clients: dict[str, Client], stage: Stage) -> None:
    page = clients["hana"].get(reverse(PAGES["attempts"])).content.decode()
    assert "Extend the time" not in page
    assert "delete_selected" not in clients["adam"].get(reverse(PAGES["openings"])).content.decode()
