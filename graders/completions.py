"""What an editor proposes while a program is written: the calls and objects of an exercise's API page."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from graders.api_types import calls_of, objects_of
from graders.inprocess import sdk
from graders.sdk_reference import signature, verbs

OF_THE_CLUSTER = re.compile(r"^\| `cluster\.(now|events|read_at)` \| (.+) \|$", re.MULTILINE)
ITS_TYPES = {"now": "int", "events": "list[Event]", "read_at": "int"}


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
    whole = Proposal("Cluster", "class", "", _first_paragraph(sdk().Cluster))
    errors, code = _errors(page)
    return (
        *calls,
        *_functions(page),
        *_of_the_cluster(page),
        *properties,
        *code,
        whole,
        *classes,
        *errors,
    )


def _functions(page: str) -> Iterator[Proposal]:
    """What the package itself offers, `connect` first of all."""
    for name in sdk().__all__:
        found = getattr(sdk(), name)
        if inspect.isfunction(found) and f"{name}(" in page:
            yield Proposal(name, "method", signature(found), _first_paragraph(found))


def _of_the_cluster(page: str) -> Iterator[Proposal]:
    """What can be read off it without a call, in the words of the page."""
    for name, about in OF_THE_CLUSTER.findall(page):
        yield Proposal(name, "property", f"{ITS_TYPES[name]}, of Cluster", _sentence(about))


def _errors(page: str) -> tuple[list[Proposal], list[Proposal]]:
    """What a call may raise on that page, and what can be read off it."""
    kinds = [
        kind for kind in vars(sdk()).values() if _is_error(kind) and f"`{kind.__name__}`" in page
    ]
    classes = [Proposal(kind.__name__, "class", "", _first_paragraph(kind)) for kind in kinds]
    held = [
        ("code", "str", "A short slug to compare."),
        ("message", "str", "One sentence to read."),
    ]
    own = [Proposal(name, "property", f"{kind}, of ApiError", about) for name, kind, about in held]
    if sdk().RateLimited in kinds:
        waits = sdk().RateLimited.retry_after
        own.append(
            Proposal("retry_after", "property", "int, of RateLimited", _first_paragraph(waits))
        )
    return classes, own if classes else []


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, sdk().ApiError)


def _sentence(cell: str) -> str:
    """A table's cell as a sentence."""
    text = cell.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _first_paragraph(documented: object) -> str:
    text = inspect.getdoc(documented) or ""
    return " ".join(text.partition("\n\n")[0].split())
