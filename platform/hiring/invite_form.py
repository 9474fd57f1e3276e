"""The staff's form for one invitation: who is invited to what, and when."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.row_numbers import RowsField, row_number
from hiring.invitations import invite
from hiring.message_rows import known_zone
from hiring.models import Candidate, Exercise, Invitation, Mode, Opening, one_line
from hiring.policies import SHOWN_AHEAD, battery_warning
from hiring.repeats import in_a_sentence, repeats
from hiring.trials import real

WINDOW = timedelta(days=7)
ADDRESS_TAKEN = (
    "A candidate with this address exists: choose them above, or ask another recruiter to invite "
    "them where they are not in the list."
)


class Moment(forms.DateTimeField):
    """A date and time in UTC, with the browser's own picker."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(
            attrs={"type": "datetime-local", "step": "60"}, format="%Y-%m-%dT%H:%M"
        )
        super().__init__(
            widget=widget, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"], **kwargs
        )


class InviteForm(forms.Form):
    """Who is invited to what, and when: a known candidate or a new one."""

    id = forms.UUIDField(widget=forms.HiddenInput)
    opening = forms.ModelChoiceField(
        real(Opening.objects.filter(closed_at=None)), empty_label="Choose…"
    )
    exercises = RowsField(
        Exercise.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": "Choose at least one exercise.",
            "invalid_choice": "Choose exercises of the opening above.",
        },
    )
    candidate = forms.ModelChoiceField(
        Candidate.objects.none(),
        required=False,
        empty_label="A new candidate",
        label="Candidate",
    )
    name = forms.CharField(
        max_length=150, required=False, label="Name of a new candidate", validators=[one_line]
    )
    email = forms.EmailField(required=False, label="E-mail of a new candidate")
    time_zone = forms.CharField(
        max_length=64,
        required=False,
        label="Time zone of a new candidate",
        validators=[known_zone],
        help_text="For example Europe/Berlin, so that messages say times in it. Empty: not known.",
    )
    opens_at = Moment(label="Opens (UTC)")
    closes_at = Moment(
        label="Closes (UTC)",
        help_text="Last moment to press Start. Agreed extra time widens the window by itself.",
    )
    ahead_at = Moment(
        label="Materials shown ahead from (UTC)",
        required=False,
        help_text=f"For {SHOWN_AHEAD}, 24 to 48 hours before the link opens is usual: the "
        "candidate reads brief and materials before the clock starts. Empty: a surprise, as the "
        "other exercises always are.",
    )

    repeat_reason = forms.CharField(
        max_length=300,
        required=False,
        label="Why again",
        help_text="Stays with the invitation and goes into the audit trail.",
        widget=forms.HiddenInput,  # shown where somebody did an exercise not long ago
    )

    def __init__(
        self,
        *args: Any,
        candidates: QuerySet[Candidate],
        opening: Opening | None = None,
        **kwargs: Any,
    ) -> None:
        """candidates: those whom the inviting person may know by name."""
        super().__init__(*args, **kwargs)
        self.fields["candidate"].queryset = candidates  # type: ignore[attr-defined]
        chosen = opening or self._opening_sent()
        rows = real(Exercise.objects.select_related("opening"))
        self.fields["exercises"].queryset = (  # type: ignore[attr-defined]
            rows.filter(opening=chosen) if chosen else rows.filter(opening__closed_at=None)
        )
        if chosen is None:
            self.fields["exercises"].label_from_instance = _with_opening  # type: ignore[attr-defined]

    def _opening_sent(self) -> Opening | None:
        number = row_number(str(self.data.get("opening", "")))
        return real(Opening.objects.filter(pk=number)).first() if number else None

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not data.get("candidate"):
            self._check_new_candidate(data)
        opens_at, closes_at = data.get("opens_at"), data.get("closes_at")
        if opens_at and closes_at and closes_at <= opens_at:
            self.add_error("closes_at", "The window must close after it opens.")
        elif closes_at and closes_at <= timezone.now():
            self.add_error("closes_at", "This moment has passed: choose a later one.")
        self._check_ahead(data)
        self._check_repeats(data)
        return data

    def _check_repeats(self, data: dict[str, Any]) -> None:
        """Somebody who did the same not long ago is invited again with a reason, or not."""
        person, opening = data.get("candidate"), data.get("opening")
        if not person or not opening:
            return
        done = repeats(opening, data.get("exercises") or [], [person.pk], timezone.now())
        if not done:
            data["repeat_reason"] = ""
            return
        self.fields["repeat_reason"].widget = forms.TextInput()
        if not data.get("repeat_reason"):
            self.add_error("repeat_reason", in_a_sentence(person.name, done[person.pk]))

    def _check_ahead(self, data: dict[str, Any]) -> None:
        ahead_at, closes_at = data.get("ahead_at"), data.get("closes_at")
        if ahead_at is None:
            return
        chosen = data.get("exercises") or []
        if chosen and not any(row.traits.is_released_ahead for row in chosen):
            self.add_error(
                "ahead_at",
                "None of the chosen exercises can be shown ahead: leave this empty, or choose one of "
                f"these kinds: {SHOWN_AHEAD}.",
            )
        elif closes_at and ahead_at >= closes_at:
            self.add_error("ahead_at", "Show the materials before the link closes.")

    def _check_new_candidate(self, data: dict[str, Any]) -> None:
        for field in ("name", "email"):
            if not data.get(field) and field not in self.errors:
                self.add_error(field, "Choose a candidate above, or give a name and an address.")
        if Candidate.objects.filter(email__iexact=data.get("email") or "-").exists():
            self.add_error("email", ADDRESS_TAKEN)

    def made_before(self) -> Invitation | None:
        """The invitation that an earlier sending of the same form made."""
        try:
            key = UUID(str(self.data.get("id", "")))
        except ValueError:
            return None
        return Invitation.objects.filter(pk=key).first()

    def send(self, *, by: User, now: datetime) -> tuple[Invitation, str] | None:
        """The invitation and its token; None where it was made before or the form has errors.

        Two presses at the same moment meet in the database, which keeps one of them.
        """
        if self.made_before() or not self.is_valid():
            return None
        data = self.cleaned_data
        try:
            with transaction.atomic():
                return invite(
                    opening=data["opening"],
                    candidate=self._chosen_candidate(now),
                    exercises=data["exercises"],
                    opens_at=data["opens_at"],
                    closes_at=data["closes_at"],
                    by=by,
                    now=now,
                    id=data["id"],
                    repeat_reason=data["repeat_reason"],
                )
        except IntegrityError:
            self.add_error(None, ADDRESS_TAKEN)
            return None

    def _chosen_candidate(self, now: datetime) -> Candidate:
        """The candidate who was chosen, or the new one, saved."""
        data = self.cleaned_data
        return data["candidate"] or Candidate.objects.create(
            name=data["name"].strip(),
            email=data["email"],
            time_zone=data["time_zone"],
            created_at=now,
        )

    def warnings(self) -> list[str]:
        """What deserves a second thought about the chosen exercises."""
        by_mode: dict[bool, list[int]] = {}
        for exercise in self.cleaned_data["exercises"]:
            take_home = exercise.mode == Mode.TAKE_HOME
            minutes = exercise.limit_minutes + exercise.revision_minutes
            by_mode.setdefault(take_home, []).append(minutes)
        found = [battery_warning(minutes, take_home=mode) for mode, minutes in by_mode.items()]
        return [sentence for sentence in found if sentence]


def _with_opening(exercise: Exercise) -> str:
    return f"{exercise.opening}: {exercise}"


def new_invitation(opening: Opening | None, now: datetime) -> dict[str, Any]:
    """What the form shows at first: the usual window, and the exercise if there is only one."""
    initial: dict[str, Any] = {"id": uuid4(), "opens_at": now, "closes_at": now + WINDOW}
    if opening:
        initial["opening"] = opening
        exercises = list(opening.exercises.all()[:2])
        if len(exercises) == 1:
            initial["exercises"] = exercises
    return initial
