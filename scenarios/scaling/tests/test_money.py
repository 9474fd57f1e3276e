"""What a plan's checks and the reasons of a year say of money is in the company's currency."""

from __future__ import annotations

import json

import pytest

from scenarios.company.profile import Profile
from scenarios.packs.tests.companies import companies
from scenarios.scaling.checks import checks
from scenarios.scaling.demand import median
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan, Purchase
from scenarios.scaling.scene import Scene
from scenarios.scaling.year import play

COMPANY = companies()["mixed"]


def _scene(profile: Profile) -> Scene:
    return scene_of(profile, "junior", 1)


def _plan(scene: Scene) -> Plan:
    """So many nodes in the first month that no budget bears them."""
    month, site = scene.months[0].name, scene.places[0].site.name
    return Plan(purchases=(Purchase("p1", month, "rack", 900, site),))


@pytest.mark.parametrize(("profile", "money"), [(COMPANY, "GBP"), (Profile(), "USD")])
@pytest.mark.by_day(every=2)
def test_checks_and_reasons_are_in_the_companys_currency(profile: Profile, money: str) -> None:
    scene = _scene(profile)
    found = json.dumps(checks(scene, _plan(scene)).to_dict()["rows"])
    year = play(scene, Plan(), median(scene)).to_dict()
    said = json.dumps([[row["text"], row["parts"]] for row in year["why"]])
    other = {"GBP": "USD", "USD": "GBP"}[money]
    for text in (found, said):
        assert f" {money}" in text or f'"{money}"' in text
        assert other not in text
