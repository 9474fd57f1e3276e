"""Scaling plan and cost optimisation in the recruiter's forms: offered, with their own limits, warned about."""

from __future__ import annotations

import pytest
from django.forms import inlineformset_factory

from hiring.exercise_form import ExerciseForm, ExerciseFormSet, pack_choices
from hiring.models import Exercise, Opening
from hiring.policies import battery_warning
from hiring.tests.desk import NOW, Desk
from library.company import keep
from scenarios.packs.tests.companies import companies

BOTH = {"cost/fleet-bill": "cost", "scaling-plan/growth-year": "scaling-plan"}


def form_data(pack: str) -> dict[str, str]:
    return {
        "pack_name": pack,
        "level": "mid",
        "mode": "take_home",
        "limit_minutes": "",
        "revision_minutes": "",
        "hidden_workloads": "5",
        "position": "0",
        "references_policy": "Public documentation.",
        "assistants_policy": "Allowed.",
    }


def form(desk: Desk, pack: str, **changes: str) -> ExerciseForm:
    return ExerciseForm(form_data(pack) | changes, instance=Exercise(opening=desk.opening))


@pytest.mark.parametrize("pack", list(BOTH))
def test_both_are_offered_at_every_level(desk: Desk, pack: str) -> None:
    assert dict(pack_choices())[pack].endswith("(junior, mid, senior)")
    for level in ("junior", "mid", "senior"):
        made = form(desk, pack, level=level)
        assert made.is_valid(), made.errors
        row = made.save()
        assert (row.kind, row.has_room) == (BOTH[pack], True)


@pytest.mark.parametrize("pack", list(BOTH))
@pytest.mark.parametrize(
    ("level", "mode", "minutes"),
    [
        ("junior", "take_home", 90),
        ("mid", "take_home", 100),
        ("senior", "take_home", 120),
        ("junior", "on_site", 45),
        ("mid", "live", 50),
        ("senior", "on_site", 60),
    ],
)
def test_limits_are_those_of_the_level(
    desk: Desk, pack: str, level: str, mode: str, minutes: int
) -> None:
    """E5: the materials grow with the level, and the time with them."""
    row = form(desk, pack, level=level, mode=mode).save()
    assert (row.limit_minutes, row.revision_minutes) == (minutes, 10)


def test_limits_that_were_typed_hold(desk: Desk) -> None:
    row = form(desk, "cost/fleet-bill", limit_minutes="75", revision_minutes="15").save()
    assert (row.limit_minutes, row.revision_minutes) == (75, 15)


@pytest.mark.parametrize("pack", list(BOTH))
def test_pseudocode_cannot_be_asked_for(desk: Desk, pack: str) -> None:
    made = form(desk, pack, answer_form="pseudocode")
    assert "Only an automation exercise can ask for pseudocode." in str(made.errors)


def test_both_in_one_link_or_sitting_are_warned_about(desk: Desk) -> None:
    """E5: two take-homes in one link; on site they fit one sitting, a third does not."""
    at_home = [row.limit_minutes + row.revision_minutes for row in saved(desk, "take_home")]
    assert "should hold one exercise" in battery_warning(at_home, take_home=True)
    on_site = [row.limit_minutes + row.revision_minutes for row in saved(desk, "on_site")]
    assert battery_warning(on_site, take_home=False) == ""
    assert "too much for one sitting" in battery_warning([*on_site, 60], take_home=False)


def saved(desk: Desk, mode: str) -> list[Exercise]:
    return [form(desk, pack, mode=mode).save() for pack in BOTH]


def test_exercise_that_a_company_cannot_play_is_refused_while_the_opening_is_made(
    desk: Desk,
) -> None:
    """Its accelerators have other tools than those that the exercise shows."""
    profile = companies()["large"]
    desk.opening.company = keep(profile, old=None, origin="file", by=desk.rhea, now=NOW)
    formset = inlineformset_factory(
        Opening, Exercise, form=ExerciseForm, formset=ExerciseFormSet, fields=["pack_name"]
    )
    sent = {
        "exercises-TOTAL_FORMS": "2",
        "exercises-INITIAL_FORMS": "0",
        **_row(0, "troubleshooting/slow-training"),
        **_row(1, "cost/fleet-bill"),
    }
    prefix = formset.get_default_prefix()
    asked = formset(
        {k.replace("exercises", prefix, 1): v for k, v in sent.items()}, instance=desk.opening
    )
    assert not asked.is_valid()
    (said,) = asked.forms[0].errors["pack_name"]
    assert "boreas has MI300X" in said
    assert not asked.forms[1].errors


def _row(at: int, pack: str) -> dict[str, str]:
    sent = form_data(pack)
    return {f"exercises-{at}-{name}": value for name, value in sent.items()}
