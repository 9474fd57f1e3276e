"""What a text cannot hold, in JSON: replaced where it is none, kept where it only looks so."""

from __future__ import annotations

import json

import pytest

from assessments.escapes import writable


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("half \ud83d", "half \ufffd"),
        ("\ude00 other half", "\ufffd other half"),
        ("zero \u0000 byte", "zero \ufffd byte"),
        ("\\\ud800", "\\\ufffd"),
        ("whole 😀", "whole 😀"),
        ("\\ud83d and \\u0000 as somebody typed them", None),
        ("C:\\users\\dave", None),
        ("\u202e\u001f\t", None),
    ],
)
def test_only_what_cannot_be_written_is_replaced(
    text: str, left: str | None, ascii_only: bool
) -> None:
    given = json.dumps({text: [text]}, ensure_ascii=ascii_only)
    kept = text if left is None else left
    assert json.loads(writable(given)) == {kept: [kept]}
