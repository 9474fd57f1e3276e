"""The workspace's endpoints: state, drafts, runs, submit. Candidates only; see candidate_data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from assessments import answers, attempts, candidate_data, drafts
from assessments.arrival import arrived_at
from assessments.drafts import Saved, save_draft
from assessments.ledger import locked
from assessments.link import attempt_for, links_of
from assessments.models import Attempt, Run
from assessments.outages import credit_run, wake
from assessments.queue import enqueue_run
from assessments.submissions import needs_settling, settle
from library.packs import pack_of

MAX_RUNS, RUNS_PER = 30, timedelta(minutes=10)
DRAFTS_LISTED = 200
CLOSED = (
    "The time for this answer is over, and what was saved last is handed in. What you sent now is kept "
    "aside, but it is not part of what is scored."
)
UNDER_WAY = "Your last run has not ended yet: wait for it or stop it, then run again."
COLLISION = (
    "Newer work was saved from another page. Choose which version to keep, then submit again."
)


class Closed(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "closed"


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class TooManyRuns(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "too_many_runs"


class Ended(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_detail = "That had ended before it could be stopped; what came of it is shown."
    default_code = "run_ended"


class TooManySaves(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail = "That was more than can be saved at once: the page waits and sends it again."
    default_code = "too_many_saves"


class SeqReused(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_detail = "This page sent two different texts as one: reload it. Your work is safe."
    default_code = "seq_reused"


class TooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


@contextmanager
def saves_refused() -> Iterator[None]:
    """What a save can be refused for, as answers."""
    try:
        yield
    except drafts.TooMany as error:
        raise TooManySaves from error
    except drafts.Reused as error:
        raise SeqReused from error


class SaveRequest(serializers.Serializer[Any]):
    """One save: which page, its how-manieth, which draft it descends from, the answer."""

    client = serializers.UUIDField()
    seq = serializers.IntegerField(min_value=0, max_value=2**53)
    base = serializers.IntegerField(min_value=0, max_value=2**31, allow_null=True, default=None)
    resolve = serializers.BooleanField(default=False)
    body = serializers.JSONField()

    def validate_body(self, value: Any) -> dict[str, Any]:
        try:
            return answers.checked(value)
        except answers.TooLarge as error:
            raise TooLarge(str(error)) from error
        except answers.BadAnswer as error:
            raise serializers.ValidationError(str(error)) from error


class RunRequest(SaveRequest):
    workload = serializers.CharField(max_length=40, default="public-1")


def check_pace(attempt: Attempt, now: datetime) -> None:
    """Refuse what comes faster than anybody reads results; runs that were stopped count too."""
    if attempt.runs.filter(created_at__gt=now - RUNS_PER).count() >= MAX_RUNS:
        raise TooManyRuns(
            gettext(
                "That was {count} runs within ten minutes: wait a moment, then run again."
            ).format(count=MAX_RUNS)
        )


def check_is_run(attempt: Attempt) -> None:
    if not attempt.exercise.is_run:
        raise Closed("This exercise asks for pseudocode: there is nothing to run.")


class AttemptView(APIView):
    """Finds the attempt that the browser's link gives access to."""

    attempt: Attempt
    now: datetime

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        now = timezone.now()
        self.now = now if request.method == "GET" else arrived_at(request._request, now)
        super().initial(request, *args, **kwargs)
        self.attempt = attempt_for(links_of(request._request), kwargs["pk"])
        wake(self.attempt, now=now)
        if request.method == "GET" and needs_settling(self.attempt, self.now):
            with locked(self.attempt.pk) as row:
                settle(row, now=self.now)
            self.attempt.refresh_from_db()

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """What a person's browser or a proxy keeps of an answer is out of date at once."""
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    def state(self) -> dict[str, Any]:
        self.attempt.refresh_from_db()
        return candidate_data.state(self.attempt, self.now)

    def fields(self, request: Request, serializer_class: type[SaveRequest]) -> dict[str, Any]:
        serializer = serializer_class(data=request.data)
        serializer.is_valid(raise_exception=True)
        fields = dict(serializer.validated_data)
        try:
            answers.check_focus(self.attempt, fields["body"])
        except answers.BadAnswer as error:
            raise serializers.ValidationError(str(error)) from error
        return fields

    def save(self, **fields: Any) -> Saved:
        with saves_refused():
            return save_draft(self.attempt.pk, now=self.now, **fields)

    def queue_run(
        self, saved: Saved, workload: str, *, busy: str, check: Callable[[Attempt], None]
    ) -> Run:
        """Under the attempt's lock, so that two clicks cannot both pass the limits.

        busy: the sentence while another run goes on. check: refuses by raising, last of all.
        """
        with locked(self.attempt.pk) as attempt:
            if attempt.runs.unfinished().exists():
                raise TooManyRuns(busy)
            check_pace(attempt, self.now)
            check(attempt)
            run = Run.objects.create(
                attempt=attempt,
                round=attempt.round,
                draft=saved.draft,
                workload=workload,
                created_at=self.now,
            )
            enqueue_run(run.pk)
        return run

    def saved_answer(self, saved: Saved) -> dict[str, Any]:
        return {
            "number": saved.draft.number,
            "sha256": saved.draft.sha256,
            "received_at": saved.draft.received_at.isoformat(),
            "conflict": candidate_data.draft_row(saved.conflict) if saved.conflict else None,
            "state": (state := self.state()),
            "head": state["head"],
        }


class StateView(AttemptView):
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(self.state())


class DraftsView(AttemptView):
    def get(self, request: Request, pk: UUID) -> Response:
        rows = self.attempt.drafts.defer("body")[:DRAFTS_LISTED]
        return Response({"drafts": [candidate_data.draft_row(row) for row in rows]})

    def post(self, request: Request, pk: UUID) -> Response:
        fields = self.fields(request, SaveRequest)
        saved = self.save(**fields)
        if not saved.in_time:
            return Response(
                {"detail": gettext(CLOSED), "code": "closed", "state": self.state()},
                status=status.HTTP_409_CONFLICT,
            )
        code = status.HTTP_201_CREATED if saved.created else status.HTTP_200_OK
        return Response(self.saved_answer(saved), status=code)


class DraftView(AttemptView):
    def get(self, request: Request, pk: UUID, number: int) -> Response:
        draft = self.attempt.drafts.filter(number=number).first()
        if draft is None:
            raise Http404
        return Response({**candidate_data.draft_row(draft), "body": draft.body})


class RunsView(AttemptView):
    def get(self, request: Request, pk: UUID) -> Response:
        runs = self.attempt.runs.select_related("draft").defer("report", "draft__body")[:50]
        rows = [candidate_data.run_row(run, self.now, with_report=False) for run in runs]
        return Response({"runs": rows})

    def post(self, request: Request, pk: UUID) -> Response:
        fields = self.fields(request, RunRequest)
        workload = fields.pop("workload")
        self.check_workload(workload)
        saved = self.save(**fields, limited=False)
        if not saved.in_time:
            raise Closed(CLOSED)
        run = self.queue_run(saved, workload, busy=UNDER_WAY, check=check_is_run)
        row = candidate_data.run_row(run, self.now, with_report=False)
        return Response({**row, "saved": self.saved_answer(saved)}, status=202)

    def check_workload(self, workload: str) -> None:
        pack = pack_of(self.attempt.pack_version.name)
        if workload not in [name for name, _ in pack.public_workloads(self.attempt.level)]:
            raise serializers.ValidationError("There is no such workload: choose one of the list.")


class RunView(AttemptView):
    def get(self, request: Request, pk: UUID, run: UUID) -> Response:
        row = self.attempt.runs.select_related("draft").filter(pk=run).first()
        if row is None:
            raise Http404
        return Response(candidate_data.run_row(row, self.now, with_report=True))


class StopView(AttemptView):
    """Stop a run or a what-if; asking twice is asking once."""

    def post(self, request: Request, pk: UUID, run: UUID) -> Response:
        row = self.attempt.runs.select_related("draft").filter(pk=run).first()
        if row is None:
            raise Http404
        if not row.stop(self.now):
            raise Ended
        # What it waited for us until then was lost to the candidate all the same.
        credit_run(row, now=self.now)
        return Response(candidate_data.run_row(row, self.now, with_report=False))


class SubmitView(AttemptView):
    def post(self, request: Request, pk: UUID) -> Response:
        fields = self.fields(request, SaveRequest)
        fields.pop("resolve")
        with saves_refused():
            submission, saved = attempts.submit(self.attempt.pk, now=self.now, **fields)
        receipt = reverse("receipt", args=[self.attempt.pk])
        if submission:
            return Response({"receipt_url": receipt, "number": saved.draft.number})
        if saved.conflict:
            answer = {"detail": gettext(COLLISION), "code": "conflict", **self.saved_answer(saved)}
        else:
            answer = {"detail": gettext(CLOSED), "code": "closed", "state": self.state()}
            answer["receipt_url"] = receipt
        return Response(answer, status=status.HTTP_409_CONFLICT)
