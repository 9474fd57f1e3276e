"""The choice among rules about AI assistants: one of them needs an address that the operator sets."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from hiring.choices import Assistants

NOT_SET_UP = (
    "No assistant is set up on this site, so none can be provided: whoever runs the site sets "
    "ASSISTANT_URL and ASSISTANT_MODEL."
)


class AssistantsChoice(forms.Select):
    """A list that says why what cannot be chosen cannot."""

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(*args, **kwargs)
        if option["value"] == Assistants.PROVIDED and not settings.ASSISTANT_URL:
            option["label"] = f"{option['label']} (not set up on this site)"
            option["attrs"]["disabled"] = not option["selected"]
        return option
