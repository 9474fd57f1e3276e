"""What an exercise says of AI assistants follows the rule chosen; one is provided only where one is set up."""

from __future__ import annotations

from typing import Any

import pytest

from hiring.exercise_form import ExerciseForm
from hiring.models import Exercise
from hiring.policies import ASSISTANTS, ASSISTANTS_BY_RULE
from hiring.tests.desk import Desk


def form(desk: Desk, **given: str) -> ExerciseForm:
    data = {"pack_name": "automation/queue-autoscaler", "mode": "take_home", "level": "mid"}
    data |= {"references_policy": "Documentation.", "position": "0", "hidden_workloads": "5"}
    return ExerciseForm(data | given, instance=Exercise(opening=desk.opening))


@pytest.mark.parametrize("rule", ["forbidden", "declared", "open"])
def test_the_usual_words_follow_the_rule(desk: Desk, rule: str) -> None:
    made = form(desk, assistants=rule, assistants_policy=ASSISTANTS)
    assert made.is_valid(), made.errors
    assert made.cleaned_data["assistants_policy"] == ASSISTANTS_BY_RULE[rule]


def test_own_words_stay(desk: Desk) -> None:
    made = form(desk, assistants="forbidden", assistants_policy="Only a dictionary.")
    assert made.is_valid(), made.errors
    assert made.cleaned_data["assistants_policy"] == "Only a dictionary."


def test_without_a_rule_it_is_declared(desk: Desk) -> None:
    made = form(desk)
    assert made.is_valid(), made.errors
    assert made.cleaned_data["assistants"] == "declared"


def test_none_can_be_provided_where_none_is_set_up(desk: Desk, settings: Any) -> None:
    settings.ASSISTANT_URL = ""
    made = form(desk, assistants="provided")
    assert not made.is_valid()
    assert "ASSISTANT_URL" in made.errors["assistants"][0]
    shown = str(made["assistants"])
    assert "not set up on this site" in shown
    settings.ASSISTANT_URL = "https://models.example.com/v1"
    made = form(desk, assistants="provided")
    assert made.is_valid(), made.errors
    assert "not set up" not in str(made["assistants"])
