"""The types at the end of every exercise's API page, made from the SDK: calls and objects of that page."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ForwardRef

from graders.inprocess import sdk
from graders.sdk_reference import signature, verbs

HEADING = "\n## Types\n"
PACKS = Path(__file__).resolve().parent.parent / "scenarios" / "packs" / "automation"
WIDTH = 110
GLUE = "\0"
TICKED = re.compile(r"`([^`]+)`")


def api_pages() -> list[Path]:
    """The API pages of all packs in which a program runs."""
    return sorted(PACKS.glob("*/*/api.md"))


def with_types(page: str) -> str:
    """The page with its section of types written anew."""
    body = _without_types(page)
    lines = "\n".join([*_calls(body), "", *_objects(body)])
    return (
        f"{body}{HEADING}\nTimes and durations are whole seconds (`int`) unless the tables above say"
        f" otherwise. Objects are named tuples.\n\n```python\n{lines}\n```\n"
    )


def calls_of(page: str) -> list[str]:
    """Names of the SDK's calls that the page tells of, in its order."""
    named = re.findall(r"`(?:cluster\.)?([a-z_]+)\(", _without_types(page))
    return [name for name in dict.fromkeys(named) if name in verbs()]


def objects_of(page: str) -> list[tuple[str, dict[str, str]]]:
    """Every object that a call of the page answers or takes, with its fields there and their types."""
    body = _without_types(page)
    kinds = [
        (name, kind)
        for name, kind in vars(sdk()).items()
        if isinstance(kind, type) and issubclass(kind, tuple)
    ]
    found = [(name, _fields(body, name, kind.__annotations__)) for name, kind in kinds]
    return [(name, fields) for name, fields in found if fields]


def _without_types(page: str) -> str:
    return page.partition(HEADING)[0].rstrip("\n") + "\n"


def _calls(body: str) -> Iterator[str]:
    """Each call as it is declared."""
    for name in calls_of(body):
        yield f"{name}{signature(verbs()[name])}"


def _objects(body: str) -> Iterator[str]:
    for name, fields in objects_of(body):
        # a field stays on one line with its type: no space to break at until the lines are made
        shown = ", ".join(f"{field}: {said}".replace(" ", GLUE) for field, said in fields.items())
        filled = textwrap.fill(f"{name}({shown})", WIDTH, subsequent_indent="    ")
        yield filled.replace(GLUE, " ")


def _fields(body: str, name: str, declared: Mapping[str, ForwardRef]) -> dict[str, str]:
    for line in body.splitlines():
        whole = re.search(rf"`{name}\(([^)`]*)\)", line)
        if whole and "..." not in whole[1]:
            named = {word.strip() for word in whole[1].split(",")}
        elif whole or f"of `{name}`" in line:
            named = {word for ticked in TICKED.findall(line) for word in re.findall(r"\w+", ticked)}
        else:
            continue
        return {field: said.__forward_arg__ for field, said in declared.items() if field in named}
    return {}


if __name__ == "__main__":
    for path in api_pages():
        path.write_text(with_types(path.read_text("utf-8")), encoding="utf-8", newline="\n")
