"""The forms for accounts of staff: a guest has that one role, and a day on which access ends."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AdminUserCreationForm,
    ReadOnlyPasswordHashField,
    ReadOnlyPasswordHashWidget,
    UserChangeForm,
)
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.utils import timezone

from accounts.leaving import LAST_ADMINISTRATOR, keeps_an_administrator
from accounts.roles import ADMINISTRATOR, GUEST

GUEST_NEEDS_AN_END = "Say when a guest's access ends: nobody else will think of it."
CHOOSING = (
    "At least 12 characters; no common one, not digits alone, nothing like their name or address."
)
GUEST_ONLY = "A guest sees only what is assigned to them, so this role goes with no other."


class GuestRules(forms.ModelForm):  # type: ignore[type-arg]
    """What holds for guests, whichever form writes the account."""

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        names = {group.name for group in data.get("groups") or []}
        if GUEST in names and len(names) > 1:
            self.add_error("groups", GUEST_ONLY)
        if (
            GUEST in names
            and not data.get("access_ends_at")
            and "access_ends_at" not in self.errors
        ):
            self.add_error("access_ends_at", GUEST_NEEDS_AN_END)
        return data


class PasswordState(ReadOnlyPasswordHashWidget):
    """Whether there is one; how it is stored is nobody's business here."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        there = value and not value.startswith(UNUSABLE_PASSWORD_PREFIX)
        said = (
            "A password is set." if there else "None: they sign in with the company's own account."
        )
        return context | {"summary": [{"label": said}]}


class StaffForm(GuestRules, UserChangeForm):  # type: ignore[type-arg]
    password = ReadOnlyPasswordHashField(label="Password", widget=PasswordState)

    def clean(self) -> dict[str, Any]:
        """Refuse what would leave the site without anybody who runs it; the form is inside a transaction."""
        data, now = super().clean(), timezone.now()
        ends = data.get("access_ends_at")
        stays = data.get("is_active") and data.get("is_staff") and (ends is None or now < ends)
        runs = self.instance.is_superuser or ADMINISTRATOR in {
            group.name for group in data.get("groups") or []
        }
        if not (stays and runs) and not keeps_an_administrator(self.instance, now):
            raise forms.ValidationError(LAST_ADMINISTRATOR)
        return data


class NewStaffForm(GuestRules, AdminUserCreationForm):  # type: ignore[type-arg]
    usable_password = forms.ChoiceField(
        label="Signs in with",
        required=False,
        initial="true",
        choices={"true": "A password", "false": "The company's own sign-in"},
        widget=forms.RadioSelect(attrs={"class": "radiolist"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = CHOOSING
        self.fields["password2"].label = "The same again"
        self.fields["password2"].help_text = ""
