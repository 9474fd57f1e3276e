"""The form for an opening's exercises: chosen from the catalogue; what is left blank is the pack's own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django import forms
from django.conf import settings

from hiring.assistants_choice import NOT_SET_UP, AssistantsChoice
from hiring.models import LEAST_HIDDEN, AnswerForm, Assistants, Exercise, Mode, Opening
from hiring.pack_cards import PackCards
from hiring.policies import ASSISTANTS_BY_RULE, default_limits
from library.catalogue import entries
from library.company import profile_of
from library.models import Seniority
from library.packs import pack_of
from scenarios.kinds import kind_of
from scenarios.packs import Pack, PackNotFound

EXERCISE_FIXED = (
    "Somebody has started this exercise or read its materials ahead, so it stays as it is: "
    "add another exercise for what should be different."
)


def pack_choices() -> list[tuple[str, str]]:
    """(name, "Title (levels)") of every pack on disk."""
    return [(one.name, f"{one.title} ({', '.join(one.times)})") for one in entries()]


AS_OPENING = [("", "As the opening"), *Seniority.choices]
NOT_REQUIRED = (
    "limit_minutes",
    "revision_minutes",
    "answer_form",
    "hidden_workloads",
    "assistants",
    "assistants_policy",
)


class ExerciseForm(forms.ModelForm):  # type: ignore[type-arg]
    """One exercise of an opening; what is left empty is what is usual for its pack, level and mode."""

    pack_name = forms.ChoiceField(
        label="From the catalogue",
        choices=pack_choices,
        widget=PackCards,
        error_messages={"required": "Choose an exercise from the catalogue."},
    )
    level = forms.ChoiceField(label="Level", choices=AS_OPENING, required=False)

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
            "assistants",
            "assistants_policy",
            "position",
        ]
        labels = {
            "limit_minutes": "Time limit (minutes)",
            "revision_minutes": "Revision (minutes)",
            "hidden_workloads": "Hidden workloads",
        }
        help_texts = {
            "limit_minutes": "Empty: what is usual for this exercise, level and mode.",
            "revision_minutes": "Empty: what is usual for this exercise and level.",
            "hidden_workloads": "Empty: what the pack needs to be fair; fewer are raised to that.",
            "answer_form": "Pseudocode is never run: people score it against the rubric.",
            "assistants_policy": "The usual words follow the choice above; words of your own stay.",
        }
        widgets = {
            "assistants": AssistantsChoice,
            "references_policy": forms.Textarea(attrs={"rows": 3}),
            "assistants_policy": forms.Textarea(attrs={"rows": 3}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.opening: Opening | None = None
        for name in NOT_REQUIRED:
            if name in self.fields:
                self.fields[name].required = False
        if not self.instance.pk:
            self.initial["hidden_workloads"] = None  # the pack's own, not the model's
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
        data["level"] = data.get("level") or self._opening().level
        if data["level"] and data["level"] not in pack.levels:
            self.add_error("level", f"This exercise exists for {', '.join(pack.levels)} only.")
        kind = kind_of(pack.kind)
        data["answer_form"] = data.get("answer_form") or AnswerForm.CODE
        if data["answer_form"] == AnswerForm.PSEUDOCODE and not kind.may_be_pseudocode:
            self.add_error("answer_form", "Only an automation exercise can ask for pseudocode.")
        self.instance.kind = pack.kind
        self._fill_hidden(data, pack)
        self._fill_assistants(data)
        take_home = data.get("mode", Mode.TAKE_HOME) == Mode.TAKE_HOME
        work, revision = usual(pack, data.get("level"), take_home=take_home)
        data["limit_minutes"] = data.get("limit_minutes") or work
        data["revision_minutes"] = data.get("revision_minutes") or revision
        return data

    def _opening(self) -> Opening:
        """The one that is being made, which the row does not know before it is saved."""
        return self.opening or self.instance.opening

    def _fill_assistants(self, data: dict[str, Any]) -> None:
        """The usual words of another choice would say what does not hold."""
        rule = data["assistants"] = data.get("assistants") or Assistants.DECLARED
        given = (data.get("assistants_policy") or "").strip()
        if not given or given in ASSISTANTS_BY_RULE.values():
            data["assistants_policy"] = ASSISTANTS_BY_RULE[rule]
        if rule == Assistants.PROVIDED and not settings.ASSISTANT_URL:
            self.add_error("assistants", NOT_SET_UP)

    def _fill_hidden(self, data: dict[str, Any], pack: Pack) -> None:
        """Fewer than the pack's own number would tell equal skill apart by chance."""
        if "hidden_workloads" in self.errors or data.get("level") not in pack.levels:
            return
        least = int(pack.level(data["level"]).get("hidden", LEAST_HIDDEN))
        given = data.get("hidden_workloads")
        if given is None or given >= LEAST_HIDDEN:
            data["hidden_workloads"] = max(given or 0, least)


def usual(pack: Pack, level: str | None, *, take_home: bool) -> tuple[int, int]:
    """Minutes of work and revision, as the pack's level states them."""
    if level not in pack.levels:
        return default_limits(pack.kind, take_home=take_home)
    times = pack.times(level)
    return times.take_home if take_home else times.on_site, times.revision


class ExerciseFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """The exercises of an opening; one that somebody is invited to cannot be deleted."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.opening = self.instance
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
        for form in self.forms:
            self._check_company(form)

    def _check_company(self, form: Any) -> None:
        """Said while the opening is made, not when the first candidate waits for a cluster."""
        name, company = form.cleaned_data.get("pack_name"), self.instance.company
        if not name or company is None or form.cleaned_data.get("DELETE"):
            return
        with suppress(PackNotFound):
            if said := pack_of(name).refusal(profile_of(company)):
                form.add_error("pack_name", said)


def _is_worked_on(exercise: Exercise) -> bool:
    """Whether somebody has started it, or read ahead what they will work on."""
    read = exercise.advance_releases.exclude(first_opened_at=None)
    return exercise.attempts.exists() or read.exists()


def _is_promised(exercise: Exercise) -> bool:
    return bool(exercise.pk) and exercise.invitations.exists()
