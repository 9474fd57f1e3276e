"""Text of several lines in a form: what was typed within the page's limit is never too long for the site."""

from __future__ import annotations

from typing import Any

from django import forms


class ProseField(forms.CharField):
    """A new line counts once, as where it is typed, though a browser sends it as two characters."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        text: str = super().to_python(value) or ""
        return text.replace("\r\n", "\n")


def is_text(note: str) -> bool:
    """False for NUL and for halves of surrogate pairs, which JSON can spell and no database keeps."""
    return "\x00" not in note and not any("\ud800" <= char <= "\udfff" for char in note)
