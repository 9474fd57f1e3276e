"""Bring the living demo on, a few seconds at a time, from wherever it stands.

What has been done is read from the facts, so a worker that is killed loses nothing and a second one does
nothing twice. A mark in the data folder says that the demo was asked for when its database was new, and
since when it is complete: what staff change or erase afterwards stays as they left it.
"""

from __future__ import annotations

import json
import logging
import time
from enum import Enum

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.roles import INTERVIEWER
from headnode import demo
from headnode.demo_alive import is_complete, made_at
from headnode.living.acts import acts_of
from headnode.living.people import Person, source
from headnode.living.scene import Act, Scene
from hiring.models import Opening
from hiring.trials import real

logger = logging.getLogger(__name__)
AT_ONCE_S = 2.0
"""So long a worker stays with it before it looks whether somebody else waits."""
LOOK_AGAIN_S = 5.0
FURTHER_STAFF = ("mina", "Mina", "Castellanos", INTERVIEWER)


class Left(Enum):
    """What is left to do: something now, something once the workers are through, or nothing."""

    MORE = 0.0
    WAITS = LOOK_AGAIN_S
    NOTHING = -1.0


def go_on(at_once: float = AT_ONCE_S) -> Left:
    """Do what can be done within about `at_once` s."""
    made = made_at()
    if made is None:
        return Left.NOTHING
    if not is_ours():
        is_complete(made)
        return Left.NOTHING
    staff, until = _staff(), time.monotonic() + at_once
    openings = {row.title: row for row in Opening.objects.all()}
    waits = False
    for person in source().people:
        if person.opening not in openings:
            continue  # its pack is not on this disk
        scene = Scene(person, made, staff, openings[person.opening])
        left = _bring_on(scene, until)
        if left is Left.MORE:
            return left
        waits = waits or left is Left.WAITS
    if waits:
        return Left.WAITS
    is_complete(made)
    return Left.NOTHING


def is_ours() -> bool:
    """Whether nobody has begun to use this site for people of their own."""
    ours = {demo.TITLE, *(one.title for one in demo.SAMPLES)}
    return not real(Opening.objects.exclude(title__in=ours)).exists()


def _staff() -> dict[str, User]:
    if not User.objects.filter(username=FURTHER_STAFF[0]).exists():
        password = json.loads(demo.credentials_path().read_text())["password"]
        with transaction.atomic():
            demo.member(*FURTHER_STAFF, password)
    return {row.username: row for row in User.objects.all()}


def _bring_on(scene: Scene, until: float) -> Left:
    """Carry out what is left of one person, as far as it goes."""
    try:
        for act in acts_of(scene.person):
            if act.is_done(scene):
                continue
            if not act.is_ready(scene):
                return Left.WAITS
            _carry_out(act, scene)
            if not act.is_done(scene):
                return Left.WAITS  # no place was free for a grading
            if time.monotonic() > until:
                return Left.MORE
    except (NotPossible, Opening.DoesNotExist) as said:
        # somebody has taken the person's story into their own hands meanwhile: it is theirs now
        logger.warning("The demo leaves %s as they are: %s", _who(scene.person), said)
    return Left.NOTHING


def _who(person: Person) -> str:
    return f"{person.name} ({person.opening})"


def _carry_out(act: Act, scene: Scene) -> None:
    """In one transaction, and once: two workers that meet here go one after the other."""
    made = act.make(scene)
    with transaction.atomic():
        Opening.objects.select_for_update(of=("self",)).get(pk=scene.opening.pk)
        if not act.is_done(scene):
            act.do(scene, made)
