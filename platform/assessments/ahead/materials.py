"""A variant's materials as a page without scripts shows them: texts, pictures, and files to take away."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.safestring import SafeString, mark_safe

from assessments.materials.manifest import listed, manifest_of
from library.markdown import rendered

NOT_SHOWN = ("template", "sections")
"""Kinds of what the workspace begins with: there is nothing to read in it."""
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of every file in the ZIP: same materials, same bytes
TYPES = {
    "markdown": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
"""Kind of a file -> what a browser is told of it; of any other kind only that it is bytes."""


@dataclass(frozen=True)
class Text:
    """A document; the HTML is cleaned."""

    path: str
    title: str
    html: SafeString


@dataclass(frozen=True)
class File:
    """Something to open or to keep. Size in bytes."""

    path: str
    title: str
    kind: str
    size: int


@dataclass(frozen=True)
class Sheet:
    """What there is to read, in the manifest's order."""

    texts: list[Text]
    pictures: list[File]
    files: list[File]


def sheet(folder: Path) -> Sheet:
    """The materials in a variant's folder (`variants.folder_of`)."""
    found = Sheet([], [], [])
    for row in _rows(folder):
        path, kind = row["path"], row["kind"]
        title = row["title"] or path
        if kind == "markdown":
            text = (folder / path).read_text(encoding="utf-8")
            html = mark_safe(rendered(text))  # noqa: S308 (sanitised by nh3 in rendered)
            found.texts.append(Text(path, title, html))
            continue
        one = File(path, title, kind, (folder / path).stat().st_size)
        (found.pictures if kind == "svg" else found.files).append(one)
    return found


def _rows(folder: Path) -> Iterator[dict[str, str]]:
    for row in manifest_of(folder)["files"]:
        if row["kind"] not in NOT_SHOWN:
            yield row


def file(folder: Path, path: str) -> tuple[bytes, str]:
    """Bytes of one material and its media type. Raises LookupError for what is not in the manifest."""
    if path not in listed(folder):
        raise LookupError(path)
    kind = next((row["kind"] for row in _rows(folder) if row["path"] == path), None)
    if kind is None:
        raise LookupError(path)
    return (folder / path).read_bytes(), TYPES.get(kind, "application/octet-stream")


def zipped(folder: Path, name: str) -> bytes:
    """All of it as one ZIP file below a folder of that name; the same materials give the same bytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in _rows(folder):
            entry = zipfile.ZipInfo(f"{name}/{row['path']}", FIRST_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (folder / row["path"]).read_bytes())
    return held.getvalue()
