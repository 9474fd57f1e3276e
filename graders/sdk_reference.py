"""Writes graders/sdk/REFERENCE.md, a page with every verb of the SDK, from the code itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from graders.inprocess import SDK_FOLDER, sdk

ANNOTATION = re.compile(r"(: |-> )'([^']*)'")
PAGE = SDK_FOLDER / "REFERENCE.md"
HEAD = """\
# Every verb of headnode_sdk.Cluster

Your exercise has some of these: its own API reference says which, and what they cost.
"""


def verbs() -> Mapping[str, Callable[..., Any]]:
    """The public methods of `Cluster` by name, in order of the alphabet."""
    found = inspect.getmembers(sdk().Cluster, inspect.isfunction)
    return {name: verb for name, verb in found if not name.startswith("_")}


def signature(verb: Callable[..., Any]) -> str:
    """How it is called, without `self`."""
    shown = inspect.signature(verb)
    rest = [one for name, one in shown.parameters.items() if name != "self"]
    return ANNOTATION.sub(r"\1\2", str(shown.replace(parameters=rest)))


def page() -> str:
    """The whole page, as Markdown: one chapter for each group of verbs, in the order of the code."""
    parts = [HEAD]
    groups = [sdk().Cluster, *sorted(sdk().Cluster.__bases__, key=lambda group: group.__module__)]
    for group in groups:
        module = group.__module__.rpartition(".")[2]
        parts.append(f"\n## {module}.py\n\n{inspect.getdoc(group)}\n")
        own = [verb for name, verb in vars(group).items() if name in verbs()]
        parts += [
            f"\n### {verb.__name__}{signature(verb)}\n\n{inspect.getdoc(verb)}\n" for verb in own
        ]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
