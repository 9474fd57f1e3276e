"""Somebody asks while they work, is answered, and what was unclear is announced to all at the exercise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid5

from assessments.enquiries import asking, telling
from assessments.models import Announcement, Enquiry
from headnode.living.people import Person
from headnode.living.scene import Act, Scene


def asked_by(person: Person) -> Iterator[Act]:
    """The question, the answer, and the announcement where there is one."""
    if person.enquiry is None:
        return
    yield Act(lambda scene: scene.attempt.enquiries.exists(), _ask)
    yield Act(lambda scene: _told(scene, to=scene.attempt), _answer)
    if person.enquiry.announced:
        yield Act(lambda scene: _told(scene, to=None), _announce)


def _told(scene: Scene, **to: Any) -> bool:
    return Announcement.objects.filter(exercise=scene.exercise, **to).exists()


def _ask(scene: Scene, made: Any) -> None:
    if said := scene.person.enquiry:
        key = uuid5(scene.attempt.pk, said.text)
        asking.ask(scene.attempt, id=key, text=said.text, now=scene.made)


def _answer(scene: Scene, made: Any) -> None:
    if said := scene.person.enquiry:
        question = Enquiry.objects.get(attempt=scene.attempt)
        by = scene.staff[said.by]
        telling.answer(question, text=said.answer, minutes=0, by=by, now=scene.made)


def _announce(scene: Scene, made: Any) -> None:
    if said := scene.person.enquiry:
        telling.announce(
            scene.opening,
            scene.exercise,
            text=said.announced,
            minutes=said.minutes,
            is_correction=True,
            by=scene.staff[said.by],
            now=scene.made,
        )
