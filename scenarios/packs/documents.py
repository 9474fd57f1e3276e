"""What a candidate is shown beside the editor: texts, code, tables, metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Document:
    """One tab: `kind` is markdown, code, table or prom; `path` its file name in a built variant."""

    key: str
    title: str
    kind: str
    text: str
    path: str


Maker = Callable[[str], str]
"""Makes a document from the variant's seed."""


def fill(text: str, words: Mapping[str, str], path: Path) -> str:
    """Put the words in the places marked {{word}}. ValueError for an unknown word."""

    def word(found: re.Match[str]) -> str:
        if found[1] not in words:
            raise ValueError(f"{path}: there is no word {found[1]} to fill in.")
        return words[found[1]]

    return _PLACE.sub(word, text)


def read_documents(
    folder: Path,
    rows: Sequence[Mapping[str, str]],
    words: Mapping[str, str],
    made: Mapping[str, Maker],
    seed: int,
) -> list[Document]:
    """The level's documents, from its folder; one whose file is a name in `made` is made."""
    found = []
    for row in rows:
        name = row["file"]
        if name in made:
            text = made[name](str(seed))
        else:
            text = fill((folder / name).read_text(encoding="utf-8"), words, folder / name)
        found.append(Document(row["key"], row["title"], row["kind"], text, Path(name).name))
    return found
