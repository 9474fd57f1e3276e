"""The words of a message: which count, whether they can be used, and how they read with values in them.

Django's template language cut down to variables: no tags, no filters, no attributes, so that whoever
edits words can neither reach into the site nor break a message that goes out at night.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.template.base import Lexer, TokenType
from django.utils import translation
from django.utils.html import escape
from django.utils.translation import gettext

from hiring import languages
from hiring.messages.occasions import Occasion
from hiring.models import MessageWords, Opening

LINK = "[the candidate’s own link]"
"""Stands in the words that are kept; the link itself is made when the message goes out."""
ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]")


class Words(NamedTuple):
    subject: str
    text: str


def check(source: str, occasion: Occasion) -> None:
    """Raise ValidationError with one sentence where the words hold more than known variables."""
    for token in Lexer(source).tokenize():
        if token.token_type in (TokenType.BLOCK, TokenType.COMMENT):
            raise ValidationError(
                f"“{token.contents[:40]}” is a tag, and only variables such as {{{{ name }}}} can be "
                "used: write the sentence out instead."
            )
        if token.token_type == TokenType.VAR and token.contents not in occasion.names:
            raise ValidationError(
                f"{{{{ {token.contents[:40]} }}}} is no variable of this message: use those that are "
                "listed, without anything added to them."
            )
    if left := re.search(r"\{\{|\{%|\{#|\}\}|%\}|#\}", _without_variables(source)):
        raise ValidationError(
            f"“{left[0]}” is left over: a variable is written as {{{{ name }}}} on one line."
        )


def _without_variables(source: str) -> str:
    tokens = Lexer(source).tokenize()
    return "".join(token.contents for token in tokens if token.token_type == TokenType.TEXT)


def fill(source: str, values: dict[str, str]) -> str:
    """Words with the values in their places, as plain text."""
    return "".join(values.get(text, "") if named else text for named, text in _pieces(source))


@lru_cache(maxsize=64)
def _pieces(source: str) -> tuple[tuple[bool, str], ...]:
    """(is a variable, its name or the words as they stand); one press fills the same two hundred times."""
    return tuple(
        (token.token_type == TokenType.VAR, token.contents)
        for token in Lexer(source).tokenize()
        if token.token_type in (TokenType.VAR, TokenType.TEXT)
    )


def words_for(occasion: Occasion, opening: Opening | None, language: str = "") -> Words:
    """The opening's own words, else the organisation's, else those that are shipped.

    language: of the shipped words; the opening's, else English, where it is not said.
    """
    for scope in dict.fromkeys([opening, None]):
        row = MessageWords.objects.filter(occasion=occasion.key, opening=scope).first()
        if row and row.text:
            return Words(row.subject, row.text)
    with translation.override(language or languages.of_opening(opening)):
        return Words(gettext(occasion.subject), gettext(occasion.text))


def written(occasion: Occasion, words: Words, values: dict[str, str]) -> Words:
    """Subject and text as they go out; a subject stays on one line whatever is in it."""
    subject = " ".join(fill(words.subject, values).split())
    return Words(subject[:300], fill(words.text, values).strip() + "\n")


def as_html(text: str, language: str = "en") -> str:
    """The same text as plain HTML: paragraphs, lines, and addresses that can be pressed."""
    blocks = re.split(r"\n\s*\n", text.strip())
    paragraphs = "\n".join(f"<p>{_pressable(block.strip())}</p>" for block in blocks)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"></head>'
        '<body style="font: 16px/1.5 sans-serif; max-width: 40em">\n'
        f"{paragraphs}\n</body></html>\n"
    )


def _pressable(block: str) -> str:
    pieces, last = [], 0
    for found in ADDRESS.finditer(block):
        address = escape(found[0])
        pieces += [escape(block[last : found.start()]), f'<a href="{address}">{address}</a>']
        last = found.end()
    pieces.append(escape(block[last:]))
    return "".join(pieces).replace("\n", "<br>\n")
