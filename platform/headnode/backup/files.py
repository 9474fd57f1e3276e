"""Which files of the data folder belong to a site's rows, and where they go back to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

SINGLE = ("secret_key", "demo.json", "demo-alive.json", "erasures.jsonl")
FOLDERS = ("media", "mail", "replays")
"""Everything else is made again: static files, variants and root folders by rule, logs and the broker's
messages are of no use to another site."""


class BadPath(Exception):
    """A name in the file would lead out of the data folder."""


def kept(data: Path) -> Iterator[tuple[str, Path]]:
    """(name below the data folder, file) of all that is kept; links are not followed."""
    for name in SINGLE:
        if (data / name).is_file():
            yield name, data / name
    for folder in FOLDERS:
        for path in sorted((data / folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(data).as_posix(), path


def place(data: Path, name: str) -> Path:
    """Where a file of that name goes. Raises BadPath."""
    parts = PurePosixPath(name).parts
    known = name in SINGLE or (len(parts) > 1 and parts[0] in FOLDERS)
    if not known or ".." in parts or PurePosixPath(name).is_absolute():
        raise BadPath(f"The file names {name!r}, which no backup of Headnode holds.")
    return data / name
