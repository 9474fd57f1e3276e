"""Who saw which candidate before deciding."""

from __future__ import annotations

from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Attempt
from assessments.tests.stage import Stage
from hiring import seen_by
from hiring.models import Sighting


def test_opened_pages_are_noted_once_an_hour(
    clients: dict[str, Client], handed_in: Attempt, stage: Stage
) -> None:
    for _ in range(2):
        clients["hana"].get(reverse("admin:attempt", args=[handed_in.pk]))
    clients["rhea"].get(reverse("admin:hiring_candidate_change", args=[stage.ada.pk]))
    clients["otto"].get(reverse("admin:attempt", args=[handed_in.pk]))  # finds nothing
    now = timezone.now()
    rows = [(str(row.by), row.page) for row in seen_by.before(stage.ada, now)]
    assert rows == [("Hana", "attempt"), ("Rhea", "candidate")]
    assert not seen_by.before(stage.ada, now - timedelta(days=1)).exists()
    Sighting.objects.update(at=now - seen_by.AGAIN)
    clients["hana"].get(reverse("admin:attempt", args=[handed_in.pk]))
    assert Sighting.objects.count() == 3


def test_list_is_for_administrators_and_cannot_be_changed(
    clients: dict[str, Client], handed_in: Attempt
) -> None:
    clients["hana"].get(reverse("admin:attempt", args=[handed_in.pk]))
    url = reverse("admin:hiring_sighting_changelist")
    assert "Ada Fontaine" in clients["adam"].get(url, {"q": "hana"}).content.decode()
    assert "Ada Fontaine" not in clients["adam"].get(url, {"q": "rhea"}).content.decode()
    row = Sighting.objects.get()
    for verb in ("change", "delete"):
        clients["adam"].post(
            reverse(f"admin:hiring_sighting_{verb}", args=[row.pk]), {"post": "yes"}
        )
    assert Sighting.objects.get() == row
    for name in ("rhea", "hana", "ines"):
        assert clients[name].get(url).status_code == 403
