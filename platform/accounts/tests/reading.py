"""A page's words as a browser runs them together: lines of its source may break wherever there is a blank."""

from __future__ import annotations

from typing import Protocol


class Answer(Protocol):
    content: bytes


def words_of(answer: Answer) -> str:
    """The answer's text with any white space as one blank."""
    return " ".join(answer.content.decode().split())
