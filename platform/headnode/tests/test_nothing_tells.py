"""Every staff address, asked by those who may not know yet: none of what others said is in any answer."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import User
from accounts.roles import GUEST, HIRING_MANAGER, INTERVIEWER, RECRUITER
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, member
from headnode.permissions import NO_STAFF, Address
from headnode.tests.test_permission_matrix import (
    all_addresses,
    ask,
    attempt,
    handed_in,
    in_workplaces,
    places,
    published,
    read_ahead,
    stage,
)
from reviews.decisions import decisions
from reviews.feedback import defence
from reviews.interviews import interview_scores
from reviews.models import DiscussionOutcome, Note, SelfDescription
from reviews.scoring import evaluations, overrides, pins
from reviews.tests.scene import LATER, SECRET_SCORE, score_all

__all__ = ["attempt", "handed_in", "in_workplaces", "places", "published", "read_ahead", "stage"]
Places = Callable[[Address], str]
SAID = ("PIN", "NOTE", "RATING", "DEFENCE", "AGREED", "HELD", "TALK", "DECIDED")
FIGURES = (
    str(SECRET_SCORE),
    f"{SECRET_SCORE:.2f}",
    f"{100 * SECRET_SCORE:.0f} %",
    "0.7654",
    "0.77",
)
EXAMPLES = "admin:company-preview"
"""Shows materials made for nobody, in which every short figure stands somewhere; words count there too."""
OWES = {
    "interviewer": (INTERVIEWER, ()),
    "hiring manager": (HIRING_MANAGER, ()),
    "guest": (GUEST, ()),
    # who has no scorecard to write reads decisions and what interviews came to, by the table of roles
    "recruiter": (RECRUITER, ("TALK", "DECIDED")),
}


def word(kind: str) -> str:
    return f"{kind}-only-for-others"


@pytest.fixture
def full(handed_in: Attempt, stage: Stage) -> Attempt:
    """Ines has scored and said all that can be said; others talked, overrode and decided."""
    card = score_all(handed_in, stage.ines)
    card.ratings.update(note=word("RATING"))
    answer = handed_in.submissions.get()
    spot = pins.Spot("line", "answer", "controller.py", 1, 2)
    pins.keep(
        key=uuid4(),
        attempt=handed_in,
        round=1,
        author=stage.ines,
        spot=spot,
        text=word("PIN"),
        now=LATER,
    )
    Note.objects.create(attempt=handed_in, author=stage.ines, text=word("NOTE"), written_at=LATER)
    put = [defence.Put("Why?", word("DEFENCE"))]
    defence.hold(
        attempt=handed_in, by=stage.ines, questions=put, notes=word("DEFENCE"), level=4, now=LATER
    )
    run = answer.latest_grading()
    assert run is not None
    overrides.override(
        run, measure="wait_high_p95", score=0.7654, reason=word("HELD"), by=stage.ines, now=LATER
    )
    DiscussionOutcome.objects.create(
        submission=answer, criterion_key=card.criteria()[0]["key"], level=3, reason=word("AGREED"),
        recorded_by=stage.ines, recorded_at=LATER,
    )  # fmt: skip
    about: dict[str, Any] = {"opening": stage.opening, "candidate": stage.ada, "now": LATER}
    interview_scores.give(
        id=uuid4(), about="team", score=4, reasons=word("TALK"), by=stage.hana, **about
    )
    decisions.decide(outcome="hold", reasons=word("DECIDED"), by=stage.hana, **about)
    SelfDescription.objects.create(
        invitation=stage.invitation, answers={"gender": word("SELF")}, given_at=NOW
    )
    return handed_in


def text_of(answer: HttpResponse) -> str:
    """All that can be read in an answer; for a workbook, every file in it."""
    if not answer.get("Content-Type", "").startswith("application/vnd."):
        return answer.content.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as book:
        return "".join(book.read(name).decode() for name in book.namelist())


def told(client: Client, places: Places, secrets: list[str]) -> list[tuple[str, str]]:
    """(address, secret) wherever one is in an answer, to a question or to an empty form."""
    found = []
    for address in all_addresses():
        if address.rule is None or address.rule.scope in NO_STAFF:
            continue
        for sends in (False, True):
            text = text_of(ask(client, places(address), sends=sends))
            asked = [one for one in secrets if address.name != EXAMPLES or one not in FIGURES]
            found += [(address.name, secret) for secret in asked if is_said(secret, text)]
    return found


def is_said(secret: str, text: str) -> bool:
    """Whether the text has it; a figure only as a number of its own, not within a time of day."""
    whole = rf"(?<![\d.:]){re.escape(secret)}(?!\d)"
    return bool(re.search(whole, text)) if secret in FIGURES else secret in text


# By day those who owe a scorecard most often; test_permission_matrix has all of them at the doors.
@pytest.mark.by_day("name", ["interviewer"])
@pytest.mark.parametrize("name", OWES)
def test_no_address_tells_what_others_said(
    name: str, full: Attempt, places: Places, stage: Stage
) -> None:
    role, known = OWES[name]
    who = member("visitor", role)
    client = Client(raise_request_exception=False)
    client.force_login(who)
    secrets = [word(kind) for kind in SAID if kind not in known] + [word("SELF"), *FIGURES]
    if role != RECRUITER:
        evaluations.assign(attempt=full, evaluator=who, by=stage.rhea, now=LATER)
        secrets += [stage.ada.name, stage.ada.email]
    assert told(client, places, secrets) == []


@pytest.mark.nightly
def test_the_same_addresses_tell_it_to_whom_may_know(
    full: Attempt, places: Places, stage: Stage
) -> None:
    """Or the test above would hold for pages that show nothing at all."""
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(pk=stage.hana.pk))
    secrets = [*map(word, SAID), stage.ada.name, f"{SECRET_SCORE:.2f}"]
    assert {secret for _, secret in told(client, places, secrets)} == set(secrets)
