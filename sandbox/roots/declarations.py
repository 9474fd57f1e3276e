"""Reads the declarations of root folders and says what is wrong with one."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

HOSTNAME = "sandbox"
_FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


@dataclass(frozen=True)
class Declaration:
    """One root folder: what goes in, what stays out, and what has to be true of it.

    `packages` are Debian's, beside Python itself, which every root has. `without` are patterns of
    dependencies left out; `drop` are globs below the root. `links` are symbolic links that the
    packages' own scripts would have made: `{lib}` stands for the library folder of this machine.
    `least_memory_mb` is what importing `imports` takes. With `terminal` a program may make terminals
    of its own and steer them; with `cluster` its processes may speak TCP with each other, in a network that
    holds nothing but them (both left out: no). `hostname` is the machine's name, `people` are further names
    that its /etc/passwd knows, with the group of each: nobody runs as them.
    `fingerprint` changes whenever any of this does.
    """

    name: str
    about: str
    packages: tuple[str, ...]
    without: tuple[str, ...]
    drop: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    shell: bool
    terminal: bool
    cluster: bool
    hostname: str
    people: tuple[tuple[str, str], ...]
    largest_mb: int
    imports: tuple[str, ...]
    commands: tuple[str, ...]
    fingerprint: str

    @property
    def calls(self) -> tuple[bool, bool]:
        """Which further system calls its programs may make: for terminals, and for a cluster."""
        return self.terminal, self.cluster


@cache
def declared(name: str) -> Declaration:
    """Raises ValueError, with the names there are, for one that nobody has declared."""
    if name not in NAMES:
        raise ValueError(f"There is no root folder {name!r}: choose {' or '.join(NAMES)}.")
    text = (_FOLDER / f"{name}.toml").read_text()
    return parse(name, text)


def parse(name: str, text: str) -> Declaration:
    """Raises ValueError naming the file for a missing, unknown or ill-formed entry."""
    where = f"The declaration roots/{name}.toml"
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where} is not TOML: {error}.") from None
    for key, usual in (("terminal", False), ("cluster", False), ("hostname", HOSTNAME)):
        found.setdefault(key, usual)
    found.setdefault("people", {})
    wanted = {item.name for item in fields(Declaration)} - {"name", "fingerprint"}
    if found.keys() != wanted:
        odd = sorted(found.keys() ^ wanted)
        raise ValueError(f"{where} has to have exactly {sorted(wanted)}; look at {odd}.")
    _check(where, found)
    return Declaration(
        name=name,
        about=found["about"],
        links=tuple(sorted(found["links"].items())),
        shell=found["shell"],
        terminal=found["terminal"],
        cluster=found["cluster"],
        hostname=found["hostname"],
        people=tuple(found["people"].items()),
        largest_mb=found["largest_mb"],
        fingerprint=hashlib.sha256(text.encode()).hexdigest()[:12],
        **{key: tuple(found[key]) for key in _LISTS},
    )


_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_LISTS = ("packages", "without", "drop", "imports", "commands")


def _check(where: str, found: dict[str, object]) -> None:
    for key in _LISTS:
        value = found[key]
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ValueError(f"{where}: {key} has to be a list of texts.")
    links = found["links"]
    if not isinstance(links, dict) or not all(isinstance(one, str) for one in links.values()):
        raise ValueError(f"{where}: links has to be a table of texts.")
    for path in (*_texts(found["drop"]), *links):
        if path.startswith("/") or ".." in path.split("/"):
            raise ValueError(f"{where}: {path!r} has to stay below the root.")
    for pattern in _texts(found["without"]):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{where}: {pattern!r} is not a pattern: {error}.") from None
    people = found["people"]
    if not isinstance(people, dict) or not all(isinstance(one, str) for one in people.values()):
        raise ValueError(f"{where}: people has to be a table of texts.")
    for name in (found["hostname"], *people, *people.values()):
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ValueError(f"{where}: {name!r} has to be a name of small letters and digits.")
    for key in ("shell", "terminal", "cluster"):
        if type(found[key]) is not bool:
            raise ValueError(f"{where}: {key} has to be true or false.")
    if type(found["about"]) is not str:
        raise ValueError(f"{where}: about has to be a text.")
    if type(found["largest_mb"]) is not int or found["largest_mb"] <= 0:
        raise ValueError(f"{where}: largest_mb has to be a positive number of MiB.")


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
