"""Reads answers from disk: one file, one folder, or a folder of many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarios.packs import Pack

MOST_BYTES = 2_000_000
MOST_FILES = 200


class AnswerError(ValueError):
    """The answer cannot be read; the message is one sentence that says what to do."""


def _text(path: Path) -> str:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise AnswerError(f"Cannot read {path}: {error.strerror}.") from None
    if len(body) > MOST_BYTES:
        raise AnswerError(f"{path} is larger than {MOST_BYTES} bytes: leave it out of the answer.")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise AnswerError(f"{path} is not UTF-8 text: leave it out of the answer.") from None


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden:
            yield path


def read_answer(pack: Pack, path: Path) -> dict[str, str]:
    """One answer as path -> text: a file is the entry whatever its name, a folder holds it.

    Raises AnswerError if there is nothing to run.
    """
    if path.is_file():
        return {pack.entry: _text(path)}
    if not path.is_dir():
        raise AnswerError(f"There is no answer at {path}: give a file or a folder.")
    found = list(_files(path))
    if len(found) > MOST_FILES:
        raise AnswerError(f"{path} holds more than {MOST_FILES} files.")
    files = {file.relative_to(path).as_posix(): _text(file) for file in found}
    if pack.entry not in files:
        what = "program" if pack.entry.endswith(".py") else "answer"
        raise AnswerError(f"{path} holds no {pack.entry}: name the {what} that.")
    return files


def read_answers(pack: Pack, folder: Path) -> dict[str, dict[str, str] | AnswerError]:
    """Every answer in a folder, by name: its files, or why it cannot be read.

    Raises AnswerError if there is none.
    """
    if not folder.is_dir():
        raise AnswerError(f"There is no folder {folder}: give one with answers in it.")
    suffix = Path(pack.entry).suffix
    paths = [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith((".", "_")) and (path.is_dir() or path.suffix == suffix)
    ]
    if not paths:
        raise AnswerError(f"{folder} holds no answers: put in {suffix} files or folders.")
    return {path.name: _read_or_say_why(pack, path) for path in paths}


def _read_or_say_why(pack: Pack, path: Path) -> dict[str, str] | AnswerError:
    try:
        return read_answer(pack, path)
    except AnswerError as error:
        return error
