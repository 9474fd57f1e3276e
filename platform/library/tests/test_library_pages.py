"""Question bank and rubrics in the staff's pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import ADMINISTRATOR, INTERVIEWER
from accounts.tests.reading import words_of
from library.models import CriterionLevel, Question, Rubric
from library.packs import latest_rubric, load_rubric, pack_of
from library.rubrics import duplicate, is_fixed

pytestmark = pytest.mark.django_db
PACK = "automation/queue-autoscaler"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def signed_in(role: str) -> Client:
    user = User.objects.create_user(role.lower(), is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client


def question(**fields: Any) -> Question:
    values: dict[str, Any] = {
        "topic_id": "Q1",
        "topic": "Scaling pools",
        "section": "Kubernetes",
        "text": "How do you scale GPU pools?",
        "level": "mid",
        "expected_points": ["Two pools", "Taints"],
        "tags": ["autoscaling"],
        "created_at": NOW,
    }
    return Question.objects.create(**values | fields)


@pytest.fixture
def rubric() -> Rubric:
    return load_rubric(pack_of(PACK), "mid", now=NOW)


@pytest.mark.parametrize(
    ("query", "found"),
    [("scale", True), ("Taints", True), ("autoscaling", True), ("Q1", True), ("network", False)],
)
def test_bank_is_searched_by_its_words(query: str, found: bool) -> None:
    question()
    page = signed_in(INTERVIEWER).get(reverse("admin:library_question_changelist"), {"q": query})
    assert ("How do you scale GPU pools?" in words_of(page)) is found


def test_replaced_questions_are_not_shown() -> None:
    question(text="The old wording", replaced_at=NOW)
    page = signed_in(INTERVIEWER).get(reverse("admin:library_question_changelist"))
    assert "The old wording" not in words_of(page)


def test_shipped_question_can_be_read_and_not_changed() -> None:
    row = question(shipped=True)
    client = signed_in(INTERVIEWER)
    url = reverse("admin:library_question_change", args=[row.pk])
    assert "Two pools" in words_of(client.get(url))
    assert client.post(url, {"text": "Mine now"}).status_code == 403


def test_own_question_keeps_its_lists_line_by_line() -> None:
    client = signed_in(INTERVIEWER)
    data = {
        "topic_id": "OWN1",
        "topic": "Our storage",
        "section": "Storage",
        "level": "mid",
        "text": "Why is it slow?",
        "expected_points": "Measures first\r\n\r\n  Names the layer  ",
        "follow_ups": "",
        "hints": "",
        "discussion_points": "",
        "tags": "storage",
        "related_exercise": "",
    }
    assert client.post(reverse("admin:library_question_add"), data).status_code == 302
    row = Question.objects.get()
    assert row.expected_points == ["Measures first", "Names the layer"]
    assert (row.shipped, row.follow_ups) == (False, [])


def test_rubric_shows_all_levels(rubric: Rubric) -> None:
    page = signed_in(INTERVIEWER).get(reverse("admin:library_rubric_change", args=[rubric.pk]))
    text = words_of(page)
    assert "its words cannot change" in text
    assert text.count("<dt>5</dt>") == rubric.criteria.count()
    assert "Duplicate to edit" not in text


def test_pack_rubric_cannot_be_changed_in_place(rubric: Rubric) -> None:
    client = signed_in(ADMINISTRATOR)
    url = reverse("admin:library_rubric_change", args=[rubric.pk])
    assert client.post(url, {"title": "Mine"}).status_code == 403


def test_duplicate_is_the_same_in_every_word_and_used_from_now_on(rubric: Rubric) -> None:
    client = signed_in(ADMINISTRATOR)
    client.post(reverse("admin:rubric-duplicate", args=[rubric.pk]))
    copy = Rubric.objects.get(based_on=rubric)
    assert copy.version == rubric.version + 1
    assert copy.snapshot()["criteria"] == rubric.snapshot()["criteria"]
    assert latest_rubric(PACK, "mid") == copy
    assert not is_fixed(copy)


def test_duplicating_is_for_whoever_may_write_rubrics(rubric: Rubric) -> None:
    url = reverse("admin:rubric-duplicate", args=[rubric.pk])
    assert signed_in(INTERVIEWER).post(url).status_code == 403
    admin = signed_in(ADMINISTRATOR)
    assert admin.get(url).status_code == 405
    assert admin.post(reverse("admin:rubric-duplicate", args=[99999])).status_code == 404


def form_of(client: Client, rubric: Rubric) -> dict[str, Any]:
    """The change form's data as a browser would send it back unchanged."""
    page = client.get(reverse("admin:library_rubric_change", args=[rubric.pk]))
    data: dict[str, Any] = {"title": rubric.title}
    (formset,) = page.context["inline_admin_formsets"]
    for form in [formset.formset.management_form, *formset.formset.initial_forms]:
        for field in form:
            value = field.value()
            data[field.html_name] = "" if value is None else value
    return data


def test_levels_of_a_copy_can_be_rewritten(rubric: Rubric) -> None:
    client = signed_in(ADMINISTRATOR)
    copy, _ = duplicate(rubric, by=User.objects.get(), now=NOW)
    data = form_of(client, copy)
    data["criteria-0-level_3"] = "Does what our runbook asks."
    url = reverse("admin:library_rubric_change", args=[copy.pk])
    assert client.post(url, data).status_code == 302
    assert CriterionLevel.objects.filter(text="Does what our runbook asks.", value=3).count() == 1
    first = copy.criteria.all()[0]
    assert first.levels.count() == 5


def test_weight_other_than_one_needs_a_reason(rubric: Rubric) -> None:
    """S1."""
    client = signed_in(ADMINISTRATOR)
    copy, _ = duplicate(rubric, by=User.objects.get(), now=NOW)
    data = form_of(client, copy) | {"criteria-0-weight": "2"}
    url = reverse("admin:library_rubric_change", args=[copy.pk])
    answer = client.post(url, data)
    assert "Say why this weight differs from 1." in words_of(answer)
    data["criteria-0-weight_reason"] = "It is half of the job."
    assert client.post(url, data).status_code == 302
