"""Rhea's desk: an opening with one exercise, a candidate, and a signed-in browser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import User
from accounts.roles import RECRUITER
from hiring.models import Candidate, Exercise, Opening

PACK = "automation/queue-autoscaler"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FAR = "2036-01-05T10:00"
FARTHER = "2036-01-12T10:00"


@dataclass
class Desk:
    rhea: User
    opening: Opening
    exercise: Exercise
    ada: Candidate
    client: Client

    def form(self, **changes: Any) -> dict[str, Any]:
        """The invitation form as a browser sends it."""
        return {
            "id": "5f0c5a3e-0000-4000-8000-000000000001",
            "opening": self.opening.pk,
            "exercises": [self.exercise.pk],
            "candidate": self.ada.pk,
            "name": "",
            "email": "",
            "opens_at": FAR,
            "closes_at": FARTHER,
        } | changes


@pytest.fixture
def desk(db: None) -> Desk:
    rhea = User.objects.create_user("rhea", first_name="Rhea", is_staff=True)
    rhea.groups.add(Group.objects.get(name=RECRUITER))
    opening = Opening.objects.create(title="GPU engineer", level="mid", created_at=NOW)
    exercise = Exercise.objects.create(
        opening=opening,
        pack_name=PACK,
        kind="automation",
        level="mid",
        limit_minutes=180,
        revision_minutes=15,
    )
    ada = Candidate.objects.create(name="Ada Fontaine", email="ada@example.com", created_at=NOW)
    client = Client()
    client.force_login(rhea)
    return Desk(rhea, opening, exercise, ada, client)
