"""What an editor proposes while a program is written: the calls and objects of an exercise's API page."""

from __future__ import annotations

import inspect
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from graders.api_types import calls_of, objects_of
from graders.inprocess import sdk
from graders.sdk_reference import signature, verbs


class Proposal(NamedTuple):
    """`kind` as editors name it: method, property or class; `detail` is code; `about` one paragraph or ""."""

    label: str
    kind: str
    detail: str
    about: str = ""


@lru_cache(maxsize=64)
def proposals(page: str) -> tuple[Proposal, ...]:
    """All that an API page tells of, once each: calls, fields and which objects have them, objects."""
    known = verbs()
    calls = [
        Proposal(name, "method", signature(known[name]), _first_paragraph(known[name]))
        for name in calls_of(page)
    ]
    having: dict[tuple[str, str], list[str]] = defaultdict(list)
    classes = []
    for name, fields in objects_of(page):
        shown = ", ".join(f"{field}: {kind}" for field, kind in fields.items())
        classes.append(
            Proposal(name, "class", f"({shown})", _first_paragraph(getattr(sdk(), name)))
        )
        for field, kind in fields.items():
            having[field, kind].append(name)
    properties = [
        Proposal(field, "property", f"{kind}, of {', '.join(names)}")
        for (field, kind), names in having.items()
    ]
    return (*calls, *properties, *classes)


def _first_paragraph(documented: object) -> str:
    text = inspect.getdoc(documented) or ""
    return " ".join(text.partition("\n\n")[0].split())
