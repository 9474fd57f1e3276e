"""What an opening asks of a candidate, while it is being made and after."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from accounts.tests.reading import words_of
from hiring import demands
from hiring.models import Exercise, Opening
from hiring.tests.desk import Desk
from library.catalogue import entries, entry_of, sample_of
from library.models import Seniority

PLAN, CODE = "scaling-plan/growth-year", "automation/queue-autoscaler"


def form(*exercises: dict[str, str], level: str = "mid", weight: str = "50") -> dict[str, str]:
    data = {
        "level": level,
        "work_sample_weight": weight,
        "exercises-TOTAL_FORMS": str(len(exercises)),
    }
    for index, row in enumerate(exercises):
        data |= {f"exercises-{index}-{name}": value for name, value in row.items()}
    return data


def asked(*exercises: dict[str, str], **more: str) -> demands.Demand:
    return demands.asked_for(form(*exercises, **more), {})[0]


def test_minutes_and_sittings_are_the_packs_own() -> None:
    demand = asked({"pack_name": PLAN}, {"pack_name": CODE, "level": "junior"})
    assert [(part.work, part.revision) for part in demand.parts] == [(100, 10), (120, 15)]
    assert (demand.minutes, demand.hours, demand.sittings) == (245, "4 h 5 min", 4)
    assert demand.warnings == []


def test_on_site_exercises_are_one_sitting_that_can_be_too_long() -> None:
    on_site = {"pack_name": CODE, "mode": "on_site"}
    demand = asked(on_site, {"pack_name": PLAN, "mode": "live", "limit_minutes": "90"})
    assert (demand.sittings, demand.minutes) == (1, 60 + 15 + 90 + 10)
    assert any("too much for one sitting" in sentence for sentence in demand.warnings)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (form(), "No exercise is chosen yet"),
        (form({"pack_name": PLAN}, weight="80"), "80 %"),
        (form({"pack_name": PLAN}, {"pack_name": PLAN}), "is there 2 times"),
    ],
)
def test_warnings_come_while_something_can_be_done(data: dict[str, str], said: str) -> None:
    assert any(said in sentence for sentence in demands.asked_for(data, {})[0].warnings)


@pytest.mark.parametrize("odd", ["", "ten", "-5", "9" * 5000, "\uff11\uff10"])
def test_what_cannot_be_a_number_counts_as_empty(odd: str) -> None:
    assert asked({"pack_name": PLAN, "limit_minutes": odd}).work == 100
    assert asked({"pack_name": odd}).parts == []


@pytest.mark.django_db
def test_the_page_says_it_while_the_form_is_filled_in(desk: Desk) -> None:
    page = desk.client.get(reverse("admin:hiring_opening_add"), {"pack": PLAN, "level": "senior"})
    text = page.content.decode()
    assert f'value="{PLAN}"' in text
    assert text.count("checked") == 1
    assert f'data-url="{reverse("admin:opening-demand")}"' in text
    sent = form({"pack_name": PLAN, "level": "senior"})
    answer: Any = desk.client.post(reverse("admin:opening-demand"), sent).json()
    assert "120 minutes of work" in " ".join(answer["html"].split())
    assert answer["usual"]["exercises-0"]["work"] == 120
    assert not Opening.objects.filter(exercises__pack_name=PLAN).exists()  # nothing is saved


@pytest.mark.django_db
def test_what_is_fixed_counts_although_it_is_not_sent(desk: Desk) -> None:
    row = Exercise.objects.filter(opening=desk.opening).first()
    assert row is not None
    sent = form({"id": str(row.pk)})
    answer: Any = desk.client.post(reverse("admin:opening-demand"), sent).json()
    assert f"{row.limit_minutes} minutes of work" in " ".join(answer["html"].split())


@pytest.mark.django_db
@pytest.mark.nightly
def test_every_exercise_is_in_the_catalogue_with_what_it_takes(desk: Desk) -> None:
    page = words_of(desk.client.get(reverse("admin:catalogue")))
    for one in entries():
        assert one.title in page
        assert one.picture.endswith(f"{one.name}.svg")
        for level in one.times:
            at = reverse("admin:catalogue-entry", args=[one.kind.key, one.slug])
            said = words_of(desk.client.get(at, {"level": level}))
            assert f"{one.times[level].take_home} min" in said
    assert (
        desk.client.get(reverse("admin:catalogue-entry", args=["cost", "none"])).status_code == 404
    )


def test_samples_are_of_the_exercises_as_they_are() -> None:
    """Made again by `python -m benchmarks.samples` after a pack was changed."""
    for one in entries():
        sample = sample_of(one.name)
        if one.kind.needs_card:
            assert sample is None
            continue
        assert sample is not None, one.name
        assert sample.level in Seniority.values
        assert sample.score is not None
        assert 0.5 < sample.score < 1
        assert sample.is_of_now, one.name
    assert entry_of(CODE).hidden("mid") == 5
