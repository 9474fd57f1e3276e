"""The opening's form with its exercises, its warnings, and candidates with agreed extra time."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from hiring.exercise_form import pack_choices
from hiring.models import Accommodation, Candidate, Exercise, Opening
from hiring.policies import battery_warning, weight_warning
from hiring.tests.desk import NOW, PACK, Desk
from scenarios.kinds import KINDS
from scenarios.packs import load_pack

POLICY = {"references_policy": "Public documentation.", "assistants_policy": "Allowed."}


def opening_form(**exercise: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "pack_name": PACK,
        "level": "mid",
        "mode": "take_home",
        "limit_minutes": "",
        "revision_minutes": "",
        "hidden_workloads": "5",
        **POLICY,
    }
    fields |= exercise
    return {
        "title": "Cluster engineer",
        "level": "mid",
        "description": "",
        "hiring_manager": "",
        "work_sample_weight": "50",
        "exercises-TOTAL_FORMS": "1",
        "exercises-INITIAL_FORMS": "0",
        **{f"exercises-0-{name}": value for name, value in fields.items()},
    }


@pytest.mark.parametrize(
    ("level", "mode", "limits"),
    [
        ("junior", "take_home", (120, 15)),
        ("mid", "take_home", (150, 15)),
        ("mid", "on_site", (60, 15)),
        ("mid", "live", (60, 15)),
        ("senior", "take_home", (180, 20)),
        ("senior", "on_site", (75, 20)),
    ],
)
def test_empty_limits_become_the_usual_ones_of_the_level(
    desk: Desk, level: str, mode: str, limits: tuple[int, int]
) -> None:
    form = opening_form(mode=mode, level=level)
    answer = desk.client.post(reverse("admin:hiring_opening_add"), form)
    assert answer.status_code == 302
    made = Exercise.objects.get(opening__title="Cluster engineer")
    assert (made.limit_minutes, made.revision_minutes, made.kind) == (*limits, "automation")


def test_given_limits_are_kept(desk: Desk) -> None:
    form = opening_form(limit_minutes="90", revision_minutes="20")
    desk.client.post(reverse("admin:hiring_opening_add"), form)
    made = Exercise.objects.get(opening__title="Cluster engineer")
    assert (made.limit_minutes, made.revision_minutes) == (90, 20)


def test_pseudocode_can_be_asked_for_on_the_openings_page(desk: Desk) -> None:
    page = desk.client.get(reverse("admin:hiring_opening_add")).content.decode()
    assert "Pseudocode or a written design" in page
    desk.client.post(reverse("admin:hiring_opening_add"), opening_form(answer_form="pseudocode"))
    assert not Exercise.objects.get(opening__title="Cluster engineer").is_run


def test_fewer_hidden_workloads_than_the_pack_needs_are_raised_to_that(desk: Desk) -> None:
    form = opening_form(
        pack_name="automation/gpu-idle-alerts", level="junior", hidden_workloads="5"
    )
    desk.client.post(reverse("admin:hiring_opening_add"), form)
    assert Exercise.objects.get(opening__title="Cluster engineer").hidden_workloads == 8


@pytest.mark.parametrize(
    "exercise",
    [
        {"pack_name": "no/such-pack"},
        {"level": "chief"},
        {"limit_minutes": "2"},
        {"limit_minutes": "-5"},
        {"hidden_workloads": "1"},
        {"mode": "teleport"},
    ],
)
def test_what_cannot_be_is_refused(desk: Desk, exercise: dict[str, str]) -> None:
    answer = desk.client.post(reverse("admin:hiring_opening_add"), opening_form(**exercise))
    assert answer.status_code == 200
    assert "Not saved: correct what is marked below." in answer.content.decode()
    assert not Opening.objects.filter(title="Cluster engineer").exists()


def test_weight_outside_the_advice_is_saved_with_a_warning(desk: Desk) -> None:
    """E9."""
    form = opening_form() | {"work_sample_weight": "75"}
    page = desk.client.post(reverse("admin:hiring_opening_add"), form, follow=True)
    assert "40 to 60 % is advised" in page.content.decode()
    assert Opening.objects.get(title="Cluster engineer").work_sample_weight == 75


@pytest.mark.parametrize(("percent", "warned"), [(39, True), (40, False), (60, False), (61, True)])
def test_weight_warning_begins_outside_40_to_60(percent: int, warned: bool) -> None:
    assert bool(weight_warning(percent)) is warned


@pytest.mark.parametrize(
    ("minutes", "take_home", "warned"),
    [
        ([75], False, False),
        ([75, 70], False, False),
        ([75, 90], False, True),
        ([30, 30, 30], False, True),
        ([195], True, False),
        ([60, 60], True, True),
        ([], False, False),
    ],
)
def test_battery_too_long_for_one_sitting_is_warned_about(
    minutes: list[int], take_home: bool, warned: bool
) -> None:
    """E5."""
    assert bool(battery_warning(minutes, take_home=take_home)) is warned


def test_opening_is_closed_and_reopened_with_a_reason(desk: Desk) -> None:
    close = reverse("admin:opening-close", args=[desk.opening.pk])
    assert desk.client.post(close, {"reason": ""}).status_code == 400
    desk.client.post(close, {"reason": "Filled."})
    desk.opening.refresh_from_db()
    assert desk.opening.closed_at is not None
    answer = desk.client.post(reverse("admin:hiring_invitation_add"), desk.form())
    assert answer.status_code == 400
    assert desk.client.post(close, {"reason": "Again."}).status_code == 409
    desk.client.post(reverse("admin:opening-reopen", args=[desk.opening.pk]), {"reason": "Left."})
    desk.opening.refresh_from_db()
    assert desk.opening.closed_at is None
    assert LogEntry.objects.count() == 2


def candidate_form(**extra: Any) -> dict[str, Any]:
    return {
        "name": "Ada Fontaine",
        "email": "ada@example.com",
        "accommodations-TOTAL_FORMS": "1" if extra else "0",
        "accommodations-INITIAL_FORMS": "0",
        **{f"accommodations-0-{name}": value for name, value in extra.items()},
    }


def test_extra_time_is_recorded_by_whom(desk: Desk) -> None:
    """T4."""
    url = reverse("admin:hiring_candidate_change", args=[desk.ada.pk])
    desk.client.post(url, candidate_form(multiplier="1.5", note="Agreed by mail."))
    row = Accommodation.objects.get()
    assert (row.granted_by, str(row.multiplier)) == (desk.rhea, "1.50")
    assert float(Candidate.objects.get(pk=desk.ada.pk).multiplier()) == 1.5


@pytest.mark.parametrize("multiplier", ["0.5", "9", "lots", ""])
def test_extra_time_must_make_sense(desk: Desk, multiplier: str) -> None:
    url = reverse("admin:hiring_candidate_change", args=[desk.ada.pk])
    answer = desk.client.post(url, candidate_form(multiplier=multiplier, note="x"))
    assert answer.status_code == 200
    assert not Accommodation.objects.exists()


def test_extra_time_already_granted_stays_as_it_is(desk: Desk) -> None:
    row = Accommodation.objects.create(
        candidate=desk.ada, multiplier="1.25", granted_by=desk.rhea, granted_at=NOW
    )
    url = reverse("admin:hiring_candidate_change", args=[desk.ada.pk])
    form = candidate_form(id=row.pk, multiplier="1.00", DELETE="on")
    desk.client.post(url, form | {"accommodations-INITIAL_FORMS": "1"})
    row.refresh_from_db()
    assert str(row.multiplier) == "1.25"


def test_newest_extra_time_counts(desk: Desk) -> None:
    for multiplier in ("1.25", "1.00"):
        Accommodation.objects.create(
            candidate=desk.ada, multiplier=multiplier, granted_by=desk.rhea, granted_at=NOW
        )
    assert desk.ada.multiplier() == 1


def test_two_candidates_cannot_share_an_address(desk: Desk) -> None:
    answer = desk.client.post(reverse("admin:hiring_candidate_add"), candidate_form())
    assert "already exists" in answer.content.decode()


@pytest.mark.parametrize("mark", ["\n", "\r\n", "\x0b", "\u2028", "\x85"])
def test_titles_and_names_are_one_line(desk: Desk, mark: str) -> None:
    """They go into the subject of a message, where a line break is refused at sending."""
    broken = f"Cluster{mark}engineer"
    opening = desk.client.post(
        reverse("admin:hiring_opening_add"), opening_form() | {"title": broken}
    )
    candidate = desk.client.post(
        reverse("admin:hiring_candidate_add"),
        candidate_form() | {"name": broken, "email": "bo@example.com"},
    )
    invited = desk.client.post(
        reverse("admin:hiring_invitation_add"),
        desk.form(candidate="", name=broken, email="bo@example.com"),
    )
    for answer in (opening, candidate, invited):
        assert "Write it on one line" in answer.content.decode()
    assert (Opening.objects.count(), Candidate.objects.count()) == (1, 1)


def test_only_what_candidates_can_work_at_is_offered() -> None:
    offered = dict(pack_choices())
    assert "troubleshooting/slow-training" in offered
    assert "cost/fleet-bill" in offered
    assert {load_pack(name).kind for name in offered} == {kind.key for kind in KINDS}
