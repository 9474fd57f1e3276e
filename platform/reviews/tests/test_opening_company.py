"""The company profile on an opening's page (E11)."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.roles import ADMINISTRATOR
from assessments.tests.stage import NOW, Stage, stage
from library.company import keep
from library.models import CompanyProfile
from library.tests.test_library_pages import signed_in
from reviews.admin.openings import clusters_of_their_own
from scenarios.company.profile import parse_profile

__all__ = ["stage"]


def kept(stage: Stage, name: str, old: CompanyProfile | None = None) -> CompanyProfile:
    profile = parse_profile({"cluster": {"name": name}})
    return keep(profile, old=old, origin="form", by=stage.rhea, now=NOW)


def test_newest_versions_are_offered_and_the_one_that_is_chosen(stage: Stage) -> None:
    first = kept(stage, "Nordlys")
    stage.opening.company = first
    stage.opening.save()
    second = kept(stage, "Polar", first)
    client = signed_in(ADMINISTRATOR)
    url = reverse("admin:hiring_opening_change", args=[stage.opening.pk])
    page = client.get(url).content.decode()
    assert f'<option value="{first.pk}" selected>' in page
    assert f'<option value="{second.pk}">' in page
    fresh = client.get(reverse("admin:hiring_opening_add")).content.decode()
    assert str(first) not in fresh
    assert "The default cluster: 20 nodes of 8 H100" in fresh


@pytest.mark.parametrize(
    ("pack", "said"),
    [
        ("automation/queue-autoscaler", ""),
        ("automation/slurm-fair-partitions", "it takes the name."),
        ("automation/gpu-idle-alerts", "the GPU model"),
        ("automation/cluster-priorities", "how prices compare"),
    ],
)
def test_page_says_which_exercises_show_less_of_it(stage: Stage, pack: str, said: str) -> None:
    stage.exercise.pack_name = pack
    stage.exercise.save()
    assert clusters_of_their_own(stage.opening) == []
    stage.opening.company = kept(stage, "Nordlys")
    found = clusters_of_their_own(stage.opening)
    assert said in "".join(found)
    assert bool(found) is bool(said)
