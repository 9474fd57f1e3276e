"""Bring the files of translation up to date: new texts join, gone ones leave, all is compiled."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from headnode import translating

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

HEADER = (
    "# Headnode's words for candidates. Written by `manage.py translations`, filled in by people."
)


class Command(BaseCommand):
    help = "Collects candidates' texts into headnode/locale and compiles them (needs the dev packages)."

    def handle(self, *args: Any, **options: Any) -> None:
        for name, texts in {
            "django": translating.of_pages(),
            "djangojs": translating.of_scripts(),
        }.items():
            for folder in sorted(translating.LOCALE.iterdir()):
                left = update(folder / "LC_MESSAGES" / f"{name}.po", texts)
                self.stdout.write(f"{folder.name}, {name}: {left} texts left to translate")


def update(path: Path, texts: list[translating.Text]) -> int:
    """How many have no translation yet."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po, write_po

    old = read_po(BytesIO(path.read_bytes()), locale="de") if path.exists() else Catalog("de")
    new = Catalog("de", header_comment=HEADER, project="Headnode", charset="utf-8")
    new.fuzzy = False
    for text in texts:
        words: Any = (text.words, text.plural) if text.plural else text.words
        kept = old.get(text.words, context=text.context or None)
        flags = kept.flags if kept else ()
        new.add(
            words,
            kept.string if kept and bool(text.plural) == bool(kept.pluralizable) else "",
            locations=[(text.where, None)],  # type: ignore[list-item]
            flags=sorted(flags),
            context=text.context or None,
        )
    new.creation_date = new.revision_date = (
        old.creation_date if path.exists() else new.creation_date
    )
    packed = BytesIO()
    write_po(packed, new, width=110, include_lineno=False, omit_header=False, sort_output=True)
    path.write_bytes(packed.getvalue())
    for compiled, words in compiled_of(path, new).items():
        compiled.write_bytes(words)
    return sum(1 for one in new if one.id and not _whole(one.string))


def compiled_of(path: Path, words: Catalog) -> dict[Path, bytes]:
    """The compiled files of a file of translation: what every page needs, and what only some parts do."""
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo

    parts = dict.fromkeys(["", *translating.APART])
    made = {
        part: Catalog("de", charset="utf-8")
        for part in parts
        if path.stem == "djangojs" or not part
    }
    for one in words:
        if not one.id:
            continue
        places = translating.apart(place for place, _line in one.locations)
        for part in places if path.stem == "djangojs" and places else {""}:
            made[part][one.id] = one
    packed = {}
    for part, catalogue in made.items():
        catalogue.mime_headers = words.mime_headers
        write_mo(into := BytesIO(), catalogue)
        packed[path.with_name(f"{path.stem}{part and '_'}{part}.mo")] = into.getvalue()
    return packed


def _whole(words: Any) -> bool:
    return all(words) if isinstance(words, (list, tuple)) else bool(words)
