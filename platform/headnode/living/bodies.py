"""What people of the living demo hand in: goldens of the pack, as the workspace would have sent them."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from assessments import answers
from assessments.kinds import Room, workplace_of
from assessments.models import Attempt
from headnode.living.people import Person, Revised, source
from library.exemplars import without_docstring
from library.packs import pack_of


def first_body(attempt: Attempt, person: Person) -> dict[str, Any]:
    """The answer of round 1."""
    body = answers.starting_body(attempt)
    files, sections = golden_parts(attempt, person.golden)
    words = source().sections.get(person.sections, sections)
    return {"files": body["files"] | files, "sections": body["sections"] | _stripped(words)}


def revised_body(attempt: Attempt, revision: Revised) -> dict[str, Any]:
    """The answer of round 2, which begins with that of round 1."""
    body = answers.starting_body(attempt)
    files = golden_parts(attempt, revision.golden)[0] if revision.golden else {}
    sections = dict(body["sections"])
    for key, text in revision.adds.items():
        sections[key] = f"{sections[key].rstrip()}\n\n{text.strip()}\n"
    return {"files": body["files"] | files, "sections": sections}


def golden_parts(attempt: Attempt, golden: str) -> tuple[dict[str, str], dict[str, str]]:
    """(files, sections) of a golden's answer to the attempt's variant; a program has no sections."""
    pack, place = pack_of(attempt.pack_version.name), workplace_of(attempt.exercise)
    if not isinstance(place, Room):
        return {pack.entry: without_docstring(pack.golden(attempt.level, golden))}, {}
    makers = import_module(f"graders.{attempt.exercise.traits.name}.makers")
    written = makers.write_golden(pack, attempt.level, golden, attempt.seed)
    answer = json.loads(written[pack.entry])
    kept = {place.key: answer[place.key]} if place.inside else answer[place.key]
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    return {place.path: text}, dict(answer["sections"])


def _stripped(words: dict[str, str]) -> dict[str, str]:
    return {key: text.strip() + "\n" for key, text in words.items()}
