"""Openings, candidates and invitations: read as the pages read them, changed by the pages' own verbs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.audit import note_action
from accounts.confirmed import Verb
from accounts.models import User
from hiring import seen_by
from hiring.bulk import people
from hiring.bulk.reading import Record
from hiring.invitation_verbs import EXTEND_WINDOW, REMIND, REPLACE, REVOKE, SEND
from hiring.invitations import replace_link
from hiring.messages.occasions import occasions
from hiring.messages.wording import words_for
from hiring.models import Candidate, Invitation, Opening
from hiring.opening_verbs import CLOSE, REOPEN
from hiring.tokens import link_to
from integrations.api import filters, hiring_forms
from integrations.api.base import Readable
from integrations.api.idempotency import Made, once
from reviews.bulk.inviting import Terms, invite_all, plan
from reviews.names_seen import note_names
from reviews.visibility import (
    candidates_visible_to,
    invitations_visible_to,
    openings_visible_to,
)

NO_OPENING = "There is no such opening, or it is closed: list the openings that are open."
NO_EXERCISE = "Choose exercises of that opening."
NO_CANDIDATE = "There is no such candidate, or this token may not know them: {}."
DONE_BEFORE = "This was done under the same key before, and counts once."
ENDS_FIRST = "The window must close after it opens."
PASSED = "This moment has passed: choose a later one."
NOT_AHEAD = (
    "Nothing of the chosen exercises can be shown ahead, or it would be after the link closes."
)


class Verbs(Readable):
    """Rows to which the pages' verbs can be done."""

    def do(self, verb: Verb, form: type[Any] | None = None) -> Response:
        """Carry the verb out on one row, with its line in the trail; refused with 409."""
        data = self.checked(form) if form else {}
        row = self.get_object()
        said = DONE_BEFORE  # the sentence itself may hold an address, and is not kept with the key

        def perform() -> Made:
            nonlocal said
            said = verb.perform(row, data, self.viewer, self.now)
            note_action(self.viewer, row, said)
            return Made(200, {})

        return once(self.request, perform, lambda made: Response({"said": said}))


class Openings(Verbs):
    model, resource, permission = Opening, "openings", "hiring.view_opening"
    verbs = {"close": CLOSE.permission, "reopen": REOPEN.permission}
    serializer_class = hiring_forms.OpeningOut
    filterset_class = filters.OpeningFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[Opening]:
        rows = openings_visible_to(viewer).select_related("hiring_manager")
        return rows.prefetch_related("exercises")

    @extend_schema(request=hiring_forms.ReasonIn, responses=hiring_forms.Done)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, pk: int) -> Response:
        """Nobody can be invited for it any more."""
        return self.do(CLOSE, hiring_forms.ReasonIn)

    @extend_schema(request=hiring_forms.ReasonIn, responses=hiring_forms.Done)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, pk: int) -> Response:
        """Candidates can be invited for it again."""
        return self.do(REOPEN, hiring_forms.ReasonIn)


class Candidates(Readable):
    model, resource, permission = Candidate, "candidates", "hiring.view_candidate"
    verbs = {"create": "hiring.add_candidate"}
    serializer_class = hiring_forms.CandidateOut
    filterset_class = filters.CandidateFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[Candidate]:
        return candidates_visible_to(viewer)

    def seen(self, rows: Sequence[Candidate]) -> None:
        keys = [row.pk for row in rows]
        if self.action == "list":
            note_names(self.viewer, keys, "api-candidates", now=self.now)
        else:
            seen_by.note_all(self.viewer, keys, "api-candidate", now=self.now, named=True)

    @extend_schema(
        request=hiring_forms.CandidateIn,
        responses={200: hiring_forms.CandidateOut, 201: hiring_forms.CandidateOut},
    )
    def create(self, request: Request) -> Response:
        """Add somebody (201); who has the address already is answered as they are (200)."""
        data = self.checked(hiring_forms.CandidateIn)

        def perform() -> Made:
            key, new = _added(data, self.viewer, self.now)
            return Made(201 if new else 200, {"candidate": key})

        def answer(made: Made) -> Response:
            row = self.get_queryset().get(pk=made.keys["candidate"])
            self.seen([row])
            return Response(self.shown(row), status=made.status)

        return once(request, perform, answer)


def _added(data: dict[str, Any], by: User, now: datetime) -> tuple[int, bool]:
    """By the function that takes a pasted list: the same checks, refusals and trail."""
    visible = candidates_visible_to(by)
    records = [Record(1, data["name"], data["email"], data["time_zone"])]
    if problem := people.check(records, visible)[0].problem:
        raise ValidationError(problem)
    added = people.add(records, visible, by=by, now=now)
    return added.candidates[0], bool(added.new)


class Invitations(Verbs):
    model, resource, permission = Invitation, "invitations", "hiring.view_invitation"
    verbs = {
        "create": "hiring.add_invitation",
        **dict.fromkeys(("send", "remind", "extend", "revoke", "link"), SEND.permission),
    }
    never_once = ("link",)
    ordering = "-created_at"
    serializer_class = hiring_forms.InvitationOut
    filterset_class = filters.InvitationFilter
    lookup_value_converter = "uuid"

    def rows(self, viewer: User) -> QuerySet[Invitation]:
        rows = invitations_visible_to(viewer).select_related("candidate")
        return rows.prefetch_related("exercises", "candidate__accommodations")

    @extend_schema(request=hiring_forms.InvitationsIn, responses={201: hiring_forms.InvitationsOut})
    def create(self, request: Request) -> Response:
        """Invite up to two hundred candidates on the same terms; each is invited or left out with a reason."""
        data = self.checked(hiring_forms.InvitationsIn)
        terms = _terms(data, self.viewer, self.now)
        chosen = _chosen(data["candidates"], self.viewer)
        page = uuid4()

        def perform() -> Made:
            lines = plan(chosen, terms, self.now)
            invite_all(lines, terms, page=page, by=self.viewer, now=self.now)
            left = [[line.candidate.pk, line.said] for line in lines if not line.possible]
            made = [str(uuid5(page, str(line.candidate.pk))) for line in lines if line.possible]
            return Made(201, {"invitations": made, "left_out": left})

        def answer(made: Made) -> Response:
            rows = self.get_queryset().filter(pk__in=made.keys["invitations"])
            left = [{"candidate": key, "why": why} for key, why in made.keys["left_out"]]
            said = {"invitations": self.shown(rows, many=True), "left_out": left}
            return Response(said, status=made.status)

        return once(request, perform, answer)

    @extend_schema(request=None, responses=hiring_forms.Done)
    @action(detail=True, methods=["post"])
    def send(self, request: Request, pk: UUID) -> Response:
        """The invitation goes out by mail, with a link of its own."""
        return self.do(SEND)

    @extend_schema(request=None, responses=hiring_forms.Done)
    @action(detail=True, methods=["post"])
    def remind(self, request: Request, pk: UUID) -> Response:
        """A message says what is left to start, and until when."""
        return self.do(REMIND)

    @extend_schema(request=hiring_forms.ExtendIn, responses=hiring_forms.Done)
    @action(detail=True, methods=["post"])
    def extend(self, request: Request, pk: UUID) -> Response:
        """Let it be started until later."""
        return self.do(EXTEND_WINDOW, hiring_forms.ExtendIn)

    @extend_schema(request=hiring_forms.ReasonIn, responses=hiring_forms.Done)
    @action(detail=True, methods=["post"])
    def revoke(self, request: Request, pk: UUID) -> Response:
        """All its links stop working; what was handed in stays."""
        return self.do(REVOKE, hiring_forms.ReasonIn)

    @extend_schema(request=hiring_forms.ReasonIn, responses=hiring_forms.LinkOut)
    @action(detail=True, methods=["post"])
    def link(self, request: Request, pk: UUID) -> Response:
        """A new link, to be passed on by the caller; each request makes another, whatever its key."""
        data = self.checked(hiring_forms.ReasonIn)
        row = self.get_object()
        with transaction.atomic():
            sentence = REPLACE.perform(row, data, self.viewer, self.now)
            token = replace_link(row, now=self.now)
            note_action(self.viewer, row, sentence)
        return Response({"link": link_to(token)})


def _terms(data: dict[str, Any], by: User, now: datetime) -> Terms:
    """Read as the page's form reads them. Raises ValidationError."""
    opening = openings_visible_to(by).filter(pk=data["opening"], closed_at=None).first()
    if opening is None:
        raise ValidationError({"opening": [NO_OPENING]})
    exercises = list(opening.exercises.filter(pk__in=data["exercises"]))
    if len(exercises) != len(set(data["exercises"])):
        raise ValidationError({"exercises": [NO_EXERCISE]})
    if data["closes_at"] <= data["opens_at"]:
        raise ValidationError({"closes_at": [ENDS_FIRST]})
    if data["closes_at"] <= now:
        raise ValidationError({"closes_at": [PASSED]})
    ahead_at = data["ahead_at"]
    can_be_ahead = any(row.traits.is_released_ahead for row in exercises)
    if ahead_at and (not can_be_ahead or ahead_at >= data["closes_at"]):
        raise ValidationError({"ahead_at": [NOT_AHEAD]})
    return Terms(
        opening=opening,
        exercises=exercises,
        opens_at=data["opens_at"],
        closes_at=data["closes_at"],
        words=words_for(occasions()["invitation"], opening),
        sends=data["sends"],
        ahead_at=ahead_at,
        repeat_reason=data["repeat_reason"].strip(),
    )


def _chosen(keys: list[int], by: User) -> list[Candidate]:
    """The candidates, all of them or ValidationError: nobody is left out without a word."""
    rows = candidates_visible_to(by).filter(pk__in=keys).prefetch_related("accommodations")
    found = list(rows)
    if missing := set(keys) - {row.pk for row in found}:
        raise ValidationError({"candidates": [NO_CANDIDATE.format(min(missing))]})
    return found
