"""The staff's forms for exercises and invitations: what is left blank is filled in, what cannot be is said."""

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
from hiring.models import (
    LEAST_HIDDEN,
    AnswerForm,
    Candidate,
    Exercise,
    Invitation,
    Mode,
    Opening,
    one_line,
)
from hiring.policies import SHOWN_AHEAD, battery_warning, default_limits
from library.packs import pack_of
from scenarios.kinds import kind_of
from scenarios.packs import Pack, PackNotFound, all_packs

WINDOW = timedelta(days=7)
EXERCISE_FIXED = (
    "Somebody has started this exercise or read its materials ahead, so it stays as it is: "
    "add another exercise for what should be different."
)
ADDRESS_TAKEN = (
    "A candidate with this address exists: choose them above, or ask another recruiter to invite "
    "them where they are not in the list."
)


def pack_choices() -> list[tuple[str, str]]:
    """(name, "Title (levels)") of every pack on disk."""
    return [(pack.name, f"{pack.title} ({', '.join(pack.levels)})") for pack in all_packs()]


class ExerciseForm(forms.ModelForm):  # type: ignore[type-arg]
    """One exercise of an opening; empty limits take those usual for its kind and mode."""

    pack_name = forms.ChoiceField(label="Scenario pack", choices=pack_choices)

    class Meta:
        model = Exercise
        fields = [
            "pack_name",
            "level",
            "mode",
            "answer_form",
            "limit_minutes",
            "revision_minutes",
            "hidden_workloads",
            "references_policy",
            "assistants_policy",
            "position",
        ]
        labels = {
            "limit_minutes": "Time limit (minutes)",
            "revision_minutes": "Revision (minutes)",
            "hidden_workloads": "Hidden workloads",
        }
        help_texts = {
            "limit_minutes": "Empty: what is usual for this exercise and mode.",
            "revision_minutes": "Empty: what is usual for this exercise.",
            "hidden_workloads": "At least what the pack needs to be fair; fewer are raised to that.",
            "answer_form": "Pseudocode is never run: people score it against the rubric.",
        }
        widgets = {
            "references_policy": forms.Textarea(attrs={"rows": 3}),
            "assistants_policy": forms.Textarea(attrs={"rows": 3}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("limit_minutes", "revision_minutes", "answer_form"):
            if name in self.fields:
                self.fields[name].required = False
        self.fixed = bool(self.instance.pk) and _is_worked_on(self.instance)
        if self.fixed:
            self._fix()

    def _fix(self) -> None:
        """What somebody works under stays as it is: its clock and grading read this row."""
        sent = set(self.data) & {self.add_prefix(name) for name in self.fields}
        self.tried_to_change = bool(sent) and bool(self.changed_data)
        for field in self.fields.values():
            field.disabled = True
        if "pack_name" in self.fields:
            name = self.instance.pack_name  # the pack may be gone from the disk
            self.fields["pack_name"].choices = [(name, name)]  # type: ignore[attr-defined]
            self.fields["pack_name"].help_text = EXERCISE_FIXED
        self.__dict__.pop("changed_data", None)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.fixed:
            if self.tried_to_change:
                self.add_error(None, EXERCISE_FIXED)
            return data
        try:
            pack = pack_of(data.get("pack_name", ""))
        except PackNotFound:
            return data  # the field has said so
        if data.get("level") and data["level"] not in pack.levels:
            self.add_error("level", f"This pack exists for {', '.join(pack.levels)} only.")
        if data.get("answer_form") == AnswerForm.PSEUDOCODE and not (
            kind_of(pack.kind).may_be_pseudocode
        ):
            self.add_error("answer_form", "Only an automation exercise can ask for pseudocode.")
        self.instance.kind = pack.kind
        if data.get("level") in pack.levels:
            # fewer than the pack's own number would tell equal skill apart by chance
            least = int(pack.level(data["level"]).get("hidden", 0))
            if (data.get("hidden_workloads") or 0) >= LEAST_HIDDEN:
                data["hidden_workloads"] = max(data["hidden_workloads"], least)
        take_home = data.get("mode", Mode.TAKE_HOME) == Mode.TAKE_HOME
        work, revision = _usual(pack, data.get("level"), take_home=take_home)
        data["limit_minutes"] = data.get("limit_minutes") or work
        data["revision_minutes"] = data.get("revision_minutes") or revision
        return data


def _usual(pack: Pack, level: str | None, *, take_home: bool) -> tuple[int, int]:
    """Minutes of work and revision: the pack's own where its materials grow with the level."""
    if pack.generator is None or level not in pack.levels:
        return default_limits(pack.kind, take_home=take_home)
    times = pack.times(level)
    return times.take_home if take_home else times.on_site, times.revision


class ExerciseFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """The exercises of an opening; one that somebody is invited to cannot be deleted."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if "DELETE" in form.fields and _is_promised(form.instance):
            form.fields["DELETE"].label = "Somebody is invited to this, so it cannot be deleted"
            form.fields["DELETE"].widget.attrs["disabled"] = True

    def clean(self) -> None:
        super().clean()
        for form in self.initial_forms:
            if form.cleaned_data.get("DELETE") and _is_promised(form.instance):
                raise forms.ValidationError(
                    f"“{form.instance}” cannot be deleted, because somebody is invited to it: "
                    "close the opening instead, or leave the exercise out of new invitations."
                )


def _is_worked_on(exercise: Exercise) -> bool:
    """Whether somebody has started it, or read ahead what they will work on."""
    read = exercise.advance_releases.exclude(first_opened_at=None)
    return exercise.attempts.exists() or read.exists()


def _is_promised(exercise: Exercise) -> bool:
    return bool(exercise.pk) and exercise.invitations.exists()


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
    opening = forms.ModelChoiceField(Opening.objects.filter(closed_at=None), empty_label="Choose…")
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
        rows = Exercise.objects.select_related("opening")
        self.fields["exercises"].queryset = (  # type: ignore[attr-defined]
            rows.filter(opening=chosen) if chosen else rows.filter(opening__closed_at=None)
        )
        if chosen is None:
            self.fields["exercises"].label_from_instance = _with_opening  # type: ignore[attr-defined]

    def _opening_sent(self) -> Opening | None:
        number = row_number(str(self.data.get("opening", "")))
        return Opening.objects.filter(pk=number).first() if number else None

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
        return data

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
                )
        except IntegrityError:
            self.add_error(None, ADDRESS_TAKEN)
            return None

    def _chosen_candidate(self, now: datetime) -> Candidate:
        """The candidate who was chosen, or the new one, saved."""
        data = self.cleaned_data
        return data["candidate"] or Candidate.objects.create(
            name=data["name"].strip(), email=data["email"], created_at=now
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
