"""What the editor proposes: all that an exercise's API page tells of, with its types and a word on each."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders.api_types import api_pages
from graders.completions import Proposal, proposals


def found(path: Path) -> dict[tuple[str, str], list[Proposal]]:
    by_name: dict[tuple[str, str], list[Proposal]] = {}
    for one in proposals(path.read_text("utf-8")):
        by_name.setdefault((one.label, one.kind), []).append(one)
    return by_name


@pytest.mark.parametrize("path", api_pages(), ids=lambda path: "-".join(path.parts[-3:-1]))
def test_what_a_program_begins_with_is_proposed(path: Path) -> None:
    told = found(path)
    (connect,) = told["connect", "method"]
    assert connect.detail == "() -> Cluster"
    assert told["now", "property"][-1].detail == "int, of Cluster"
    assert told["events", "property"][-1].detail == "list[Event], of Cluster"
    for name in ("Cluster", "ApiError", "ApiTimeout", "RateLimited"):
        assert told[name, "class"][0].about
    assert told["retry_after", "property"][0].detail == "int, of RateLimited"


@pytest.mark.parametrize("path", api_pages(), ids=lambda path: "-".join(path.parts[-3:-1]))
def test_every_call_has_its_types_and_a_word_and_nothing_comes_twice(path: Path) -> None:
    rows = proposals(path.read_text("utf-8"))
    assert [row.label for row in rows if row.kind == "method" and "->" not in row.detail] == []
    assert [row.label for row in rows if row.kind != "property" and not row.about] == []
    assert len({row[:3] for row in rows}) == len(rows)


@pytest.mark.parametrize("path", api_pages(), ids=lambda path: "-".join(path.parts[-3:-1]))
def test_page_says_that_there_is_no_network(path: Path) -> None:
    assert "standard library only, no network" in path.read_text("utf-8")
