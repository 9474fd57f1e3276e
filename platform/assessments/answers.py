"""What an answer is made of: {"files": {path: text}, "sections": {key: text}}, checked and completed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from assessments.kinds import workplace_of
from assessments.models import Attempt, Submission
from library.packs import pack_of

MAX_FILES = 40
PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}){0,3}")
KEY = re.compile(r"[a-z0-9_-]{1,60}")


class BadAnswer(ValueError):
    """The answer cannot be stored as it is; the text says what to change."""


class TooLarge(BadAnswer):
    """The answer is larger than an answer may be."""


def size(body: dict[str, Any]) -> int:
    """Bytes of text in an answer, names included."""
    return sum(
        len(name.encode()) + len(text.encode())
        for part in ("files", "sections")
        for name, text in body[part].items()
    )


def checked(data: Any) -> dict[str, Any]:
    """The answer in `data`, or BadAnswer with one sentence."""
    if not isinstance(data, dict) or set(data) != {"files", "sections"}:
        raise BadAnswer("An answer has exactly two parts, files and sections.")
    files = _texts(data["files"], PATH, "file name")
    sections = _texts(data["sections"], KEY, "section name")
    if len(files) > MAX_FILES:
        raise BadAnswer(f"An answer has at most {MAX_FILES} files.")
    body = {"files": files, "sections": sections}
    if size(body) > settings.MAX_BODY:
        raise TooLarge(
            gettext("The answer is longer than {most} bytes: shorten it.").format(
                most=f"{settings.MAX_BODY:,}"
            )
        )
    return body


def _texts(part: Any, name_form: re.Pattern[str], what: str) -> dict[str, str]:
    if not isinstance(part, dict):
        raise BadAnswer("Files and sections are objects of names and texts.")
    for name, text in part.items():
        if not name_form.fullmatch(name):
            raise BadAnswer(f"{name[:80]!r} is not a {what} that can be used.")
        if not isinstance(text, str):
            raise BadAnswer(f"The text of {name} is not text.")
        if "\x00" in text:
            raise BadAnswer(f"The text of {name} has a zero byte, which cannot be stored.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BadAnswer(f"The text of {name} has a character that is not Unicode.") from error
    return part


def in_order(part: dict[str, str], first: Iterable[str]) -> dict[str, str]:
    """Texts with the named ones first and the rest by name: databases keep no order of keys."""
    named = [name for name in first if name in part]
    return {name: part[name] for name in (*named, *sorted(set(part) - set(named)))}


def template(attempt: Attempt) -> dict[str, str]:
    """The files that an answer starts with."""
    return workplace_of(attempt.exercise).template(attempt)


def starting_body(attempt: Attempt) -> dict[str, Any]:
    """What the editor shows before the first save: the template, or in round 2 the first answer."""
    if attempt.round == 2:
        first: dict[str, Any] = attempt.submissions.get(round=1, superseded_at=None).body
        return first
    pack = pack_of(attempt.pack_version.name)
    return {
        "files": template(attempt),
        "sections": {section.key: "" for section in pack.sections(attempt.level)},
    }


def current_body(attempt: Attempt) -> dict[str, Any]:
    """The newest main-line draft of this round, or what the round starts from."""
    draft = attempt.drafts.filter(number=attempt.head, round=attempt.round).first()
    return dict(draft.body) if draft else starting_body(attempt)


def check_focus(attempt: Attempt, body: dict[str, Any]) -> None:
    """In a revision with a focus nothing else may change."""
    if attempt.round != 2 or not attempt.revision.focus:
        return
    revision, focus = attempt.revision, attempt.revision.focus
    first = starting_body(attempt)
    for part in ("files", "sections"):
        for name in sorted(set(first[part]) | set(body[part])):
            if revision.may_change(name):
                continue
            if first[part].get(name) != body[part].get(name):
                raise BadAnswer(
                    gettext("In this revision only {focus} may change; {name} differs.").format(
                        focus=focus, name=name
                    )
                )


def program(attempt: Attempt, body: dict[str, Any]) -> dict[str, str]:
    """What is graded: path -> text."""
    return workplace_of(attempt.exercise).program(attempt, body)


def handed_in(submission: Submission) -> dict[str, str]:
    """What is graded of a submission: path -> text. May wait, and raises what the workplace raises."""
    attempt = submission.attempt
    return workplace_of(attempt.exercise).handed_in(attempt, submission.body, submission.round)
