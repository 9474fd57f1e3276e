"""Answers of a stranger to the incident and the bill came to what they are worth when last graded."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from benchmarks import strangers

KEPT: dict[str, Any] = json.loads(strangers.RESULT.read_text(encoding="utf-8"))["after"]
FOLDERS = [name for name, rows in KEPT.items() if isinstance(rows, list)]
MISSED: dict[str, set[tuple[str, str]]] = {}
"""What does not reach its bar yet; a reader that gets there takes its name off this list."""


@pytest.mark.parametrize("name", FOLDERS)
def test_every_answer_keeps_its_bar(name: str) -> None:
    rows = strangers.beside_the_right_one(KEPT[name])
    missed = {(row["variant"], row["answer"]) for row in rows if not row["holds"]}
    assert missed == MISSED.get(name, set())
    assert all(row["score"] >= 0.7 for row in rows if row["bar"] == "right")


def test_every_answer_was_graded() -> None:
    assert {
        f"{kind} {part}".strip()
        for kind in ("incident", "bill")
        for part in strangers.PARTS
        if (strangers.FOLDER / part / kind).is_dir()
    } == set(FOLDERS)
    for part in strangers.PARTS:
        name = f"incident {part}".strip()
        written = {
            (path.stem, answer)
            for path in (strangers.FOLDER / part / "incident").glob("*.toml")
            for answer in tomllib.loads(path.read_text(encoding="utf-8"))
        }
        assert {(row["variant"], row["answer"]) for row in KEPT.get(name, [])} == written


@pytest.mark.parametrize(
    "name", ["sentences", "sentences later", "sentences fifth", "sentences seventh"]
)
def test_single_sentences_are_read_right_or_left_open(name: str) -> None:
    found = KEPT[name]
    assert found["wrong"] == 0, found["not_right"]
    assert found["right"] >= 2 * found["unknown"], found["not_right"]
