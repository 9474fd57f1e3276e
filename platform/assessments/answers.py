"""What an answer is made of: {"files": {path: text}, "sections": {key: text}}, checked and completed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from assessments.escapes import writable
from assessments.models import Attempt
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
        raise TooLarge(f"The answer is longer than {settings.MAX_BODY:,} bytes: shorten it.")
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


DESIGN = "design.md"
DESIGN_STARTER = """\
# Pseudocode

Write the loop that your automation runs, step by step, in any notation that a colleague can follow.
Say what it reads, what it decides and by which thresholds, what it calls, and what it does when a
call fails. Nothing here is run; people read it.

"""


@dataclass(frozen=True, slots=True)
class Structured:
    """The file that a workspace keeps beside the written sections, and its place in the graded answer.

    `key` is the answer's key for it; where the file is an object with that very key, `inside`, what
    stands under it is taken, else the whole object. `empty` counts where the file cannot be read.
    """

    path: str
    starter: str
    key: str
    inside: bool
    empty: Any

    def read(self, text: str) -> Any:
        """What the file says, or `empty`; the text itself stays in the draft as it is."""
        try:
            data = json.loads(text, parse_constant=_nothing, parse_float=_finite)
            found = data[self.key] if self.inside else data
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.empty
        return found if isinstance(found, type(self.empty)) else self.empty


def _nothing(name: str) -> None:
    """In place of NaN and Infinity, which Python reads and writes and JSON does not have."""


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


BOARD, OPPORTUNITIES, PLAN = "board.json", "opportunities.json", "plan.json"
STRUCTURED = {
    "incident": Structured(BOARD, '{"hypotheses": []}\n', "hypotheses", True, []),
    "bill": Structured(OPPORTUNITIES, '{"opportunities": []}\n', "opportunities", True, []),
    "plan": Structured(PLAN, "{}\n", "plan", False, {}),
}
"""Workplace -> its file. The page of a plan fills an empty one with what the materials begin with."""
WRITTEN = "answer.json"


def template(attempt: Attempt) -> dict[str, str]:
    """The files that an answer starts with: the pack's, the workspace's own, or one for a design."""
    if attempt.exercise.has_room:
        kept = STRUCTURED[attempt.exercise.workplace]
        return {kept.path: kept.starter}
    if not attempt.exercise.is_run:
        return {DESIGN: DESIGN_STARTER}
    return dict(pack_of(attempt.pack_version.name).template(attempt.level))


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
                raise BadAnswer(f"In this revision only {focus} may change; {name} differs.")


def program(attempt: Attempt, body: dict[str, Any]) -> dict[str, str]:
    """What is graded: the candidate's files under the pack's read-only ones, or the written answer."""
    if attempt.exercise.has_room:
        return {WRITTEN: written(body, STRUCTURED[attempt.exercise.workplace])}
    pack = pack_of(attempt.pack_version.name)
    template = pack.template(attempt.level)
    fixed = {path: template[path] for path in pack.read_only(attempt.level)}
    return {**body["files"], **fixed}


def written(body: dict[str, Any], kept: Structured) -> str:
    """The workspace's file and the sections as the one object that graders of written answers read.

    A file that cannot be read counts as empty: the prose is an answer without it. What no page and no
    database could hold is replaced, so that one half of an emoji does not take the whole answer with it.
    """
    found = kept.read(body["files"].get(kept.path, ""))
    whole = {"sections": body["sections"], kept.key: found}
    return writable(json.dumps(whole, ensure_ascii=False, sort_keys=True))
