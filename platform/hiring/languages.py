"""The languages in which candidates' pages and messages are said, and whose choice counts.

A candidate chooses first, then the opening; where neither did, the browser's wish decides on pages, and
messages are in English.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.utils import translation

from hiring.language_choices import CHOICES, ENGLISH
from hiring.models import Invitation, Opening


def chosen(invitation: Invitation) -> str:
    """What the candidate chose, else the opening; empty where neither did."""
    return invitation.language or invitation.opening.language


def of_messages(invitation: Invitation | None) -> str:
    """The language of what is sent: of nobody's choice, English."""
    return (chosen(invitation) if invitation else "") or ENGLISH


_ = translation.gettext_noop
USUAL = {
    _("English"),
    _("German"),
    _("French"),
    _("Spanish"),
    _("Italian"),
    _("Portuguese"),
    _("Dutch"),
    _("or"),
    _("and"),
}
P = ParamSpec("P")
R = TypeVar("R")


def in_theirs(tell: Callable[P, R]) -> Callable[P, R]:
    """Say what a function says in the language of the invitation that is its first argument."""

    @wraps(tell)
    def told(*args: P.args, **options: P.kwargs) -> R:
        invitation: Any = args[0]
        language = of_messages(invitation)
        if language == translation.get_language():
            return tell(*args, **options)
        with translation.override(language):
            return tell(*args, **options)

    return told


def learn(invitation: Invitation, code: str) -> None:
    """Keep for messages what the pages are said in, where nobody chose."""
    if is_known(code) and not chosen(invitation):
        Invitation.objects.filter(pk=invitation.pk).update(language=code)


def of_opening(opening: Opening | None) -> str:
    """Of words that go to everybody whom an opening invites."""
    return (opening.language if opening else "") or ENGLISH


def of_answers(opening: Opening) -> str:
    """In which languages answers may be written, as the opening says it: its usual words are translated."""
    said = opening.answer_languages or "English"
    return re.sub(
        r"\w+", lambda word: translation.gettext(word[0]) if word[0] in USUAL else word[0], said
    )


def is_known(code: str) -> bool:
    return code in dict(CHOICES)
