"""Read the number of a row out of an address or a form, where anybody may have written anything."""

from __future__ import annotations

from typing import Any

from django import forms
from django.urls.converters import IntConverter

LONGEST = 18  # digits: what every database's 64-bit key can hold


def row_number(text: str) -> int | None:
    """The key that `text` names; None where no row can have it."""
    plain = text.isascii() and text.isdecimal() and len(text) <= LONGEST
    return int(text) if plain else None


def can_be_looked_up(text: str) -> bool:
    """False for what a database refuses as a value: NUL, and numbers beyond any key."""
    too_long = len(text) > LONGEST and text.lstrip("+-").isdecimal()
    return "\x00" not in text and not too_long


class RowConverter(IntConverter):
    """<row:name> in an address: like <int:name>, and never more than a key can hold."""

    regex = f"[0-9]{{1,{LONGEST}}}"


class RowsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Several rows; a number that no row can have is no choice, instead of the database's trouble."""

    def clean(self, value: Any) -> Any:
        for item in value if isinstance(value, (list, tuple)) else []:
            if not can_be_looked_up(str(item)):
                message = self.error_messages["invalid_choice"]
                raise forms.ValidationError(
                    message, code="invalid_choice", params={"value": str(item)[:LONGEST]}
                )
        return super().clean(value)
