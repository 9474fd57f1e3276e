"""An exercise that somebody works on, or was promised, stays as it is; the form says why."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from assessments.models import Attempt
from assessments.tests.stage import Stage
from hiring.models import Exercise

Clients = dict[str, Client]


def change(stage: Stage) -> str:
    return reverse("admin:hiring_opening_change", args=[stage.opening.pk])


def form_of(client: Client, stage: Stage) -> dict[str, Any]:
    """The opening's form as a browser sends it back unchanged: disabled fields are not sent."""
    page = client.get(change(stage))
    (inline,) = page.context["inline_admin_formsets"]
    forms = [page.context["adminform"].form, inline.formset.management_form]
    data: dict[str, Any] = {}
    for form in [*forms, *inline.formset.initial_forms]:
        for field in form:
            value = field.value()
            if not field.field.disabled and field.name != "DELETE":
                data[field.html_name] = "" if value is None else value
    return data


@pytest.mark.parametrize("field", ["limit_minutes", "revision_minutes", "hidden_workloads"])
@pytest.mark.by_day(but=["hidden_workloads", "limit_minutes"])
def test_a_started_exercise_is_read_only(
    clients: Clients, handed_in: Attempt, stage: Stage, field: str
) -> None:
    before = Exercise.objects.values().get()
    text = clients["rhea"].get(change(stage)).content.decode()
    assert "Somebody has started this exercise" in text
    data = form_of(clients["rhea"], stage)
    assert f"exercises-0-{field}" not in data
    answer = clients["rhea"].post(change(stage), data | {f"exercises-0-{field}": "45"})
    assert answer.status_code == 200
    assert "Not saved" in answer.content.decode()
    assert Exercise.objects.values().get() == before


def test_the_opening_around_a_started_exercise_can_be_changed(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    before = Exercise.objects.values().get()
    data = form_of(clients["rhea"], stage) | {"description": "New words."}
    assert clients["rhea"].post(change(stage), data).status_code == 302
    stage.opening.refresh_from_db()
    assert stage.opening.description == "New words."
    assert Exercise.objects.values().get() == before
    assert LogEntry.objects.get().get_change_message() == "Changed Description."


def test_an_exercise_nobody_started_can_be_changed(clients: Clients, stage: Stage) -> None:
    data = form_of(clients["rhea"], stage) | {"exercises-0-limit_minutes": "45"}
    assert clients["rhea"].post(change(stage), data).status_code == 302
    assert Exercise.objects.get().limit_minutes == 45


def test_an_exercise_somebody_is_invited_to_is_not_deleted(clients: Clients, stage: Stage) -> None:
    text = clients["rhea"].get(change(stage)).content.decode()
    assert "Somebody is invited to this, so it cannot be deleted" in text
    data = form_of(clients["rhea"], stage) | {"exercises-0-DELETE": "on"}
    answer = clients["rhea"].post(change(stage), data)
    assert "because somebody is invited to it" in answer.content.decode()
    assert Exercise.objects.exists()


def test_an_exercise_nobody_is_invited_to_is_deleted(clients: Clients, stage: Stage) -> None:
    stage.invitation.delete()
    data = form_of(clients["rhea"], stage) | {"exercises-0-DELETE": "on"}
    assert clients["rhea"].post(change(stage), data).status_code == 302
    assert not Exercise.objects.exists()
