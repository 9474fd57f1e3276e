"""Every date of the key is reckoned from the day of the documents."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.company.profile.tables import Tables
from scenarios.cost.charging import NOTICE_DAYS, ends, in_time
from scenarios.cost.documents import documents
from scenarios.cost.draw import Scene, scene_of
from scenarios.cost.model import model_of
from scenarios.cost.variant import words

CONTRACTS = {
    "contracts/cloud.md": r"It ends on (\S+) \(",
    "contracts/leasing.md": r"by node, on (\S+),",
    "contracts/software.md": r"renewal on (\S+?)\*",
    "contracts/support.md": r"renewed on (\S+);",
}


def ends_said(scene: Scene) -> dict[str, date]:
    said = {path: text for path, _, text in documents(scene, None) if path in CONTRACTS}
    found = {path: re.search(CONTRACTS[path], text) for path, text in said.items()}
    return {path: date.fromisoformat(hit[1]) for path, hit in found.items() if hit}


@pytest.mark.parametrize("level", ["junior", "mid", "senior"])
@pytest.mark.by_day(but=["junior", "mid"])
def test_notice_for_every_contract_can_still_be_given_today(level: str) -> None:
    for seed in (1, 5):
        scene = scene_of(DEFAULT, level, seed)
        days = ends_said(scene)
        assert len(days) == len(CONTRACTS)
        for path, end in days.items():
            assert end - timedelta(days=30) >= scene.today, (level, seed, path)
    assert NOTICE_DAYS == 30


@pytest.mark.parametrize("level", ["mid", "senior"])
@pytest.mark.by_day(but=["senior"])
def test_support_counts_the_months_after_the_first_renewal_that_can_be_stopped(level: str) -> None:
    saving = model_of(DEFAULT, level, 1).savings["third_party"]
    scene = scene_of(DEFAULT, level, 1)
    end = ends_said(scene)["contracts/support.md"]
    last = scene.months[-1].end
    left = (end.year - last.year) * 12 + end.month - last.month
    assert left >= 2
    assert f"{12 - left} of twelve months" in saving.how
    assert f"notice by {end - timedelta(days=30)}" in saving.how


@pytest.mark.parametrize("dated", ["2026-01-01", "2026-01-02", "2026-01-15", "2026-01-31"])
def test_a_contract_ends_when_it_can_still_be_ended_whatever_the_day(dated: str) -> None:
    book = DEFAULT.price_book
    given = Tables(price_book=replace(book, dated=dated))
    scene = scene_of(Profile(given=given), "mid", 1)
    assert scene.today == date.fromisoformat(dated)
    for what, latest in (("support", 3), ("commitment", 4)):
        left, end = ends(scene, what, 1, latest)
        assert in_time(scene, end)
        assert 1 <= left <= latest + 1


def test_the_documents_say_which_day_it_is() -> None:
    assert words(DEFAULT, "mid", 1)["today"] == DEFAULT.price_book.dated
