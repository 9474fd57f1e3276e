"""One row of the checks, and the sentence that it says."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.scaling.content import content


@dataclass(frozen=True, slots=True)
class Check:
    """One row. tone: ok, warn or bad; month: name or ""; subject: id of the plan's row, a site or a quarter."""

    key: str
    tone: str
    text: str
    month: str = ""
    subject: str = ""


def check(key: str, month: str, subject: str, tone: str = "", /, **words: object) -> Check:
    """A row with its sentence of `texts/checks.toml`; key may say after a dot which of them."""
    said = content("checks")[key]
    name = key.partition(".")[0]
    return Check(name, tone or said["tone"], said["text"].format(**words), month, subject)
