"""Reads options as GNU programs do: clusters of letters, long names that may be shortened, `--` as the end.

What is wrong is said in getopt's words; each tool adds its own hint and exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from scenarios.troubleshooting.console.command import Failed

_NUMBER = re.compile(r"^[+-]?[0-9]{1,12}$")
NONE, ONE, MAYBE = 0, 1, 2
"""Values that a long option takes: none, one, or one that must follow `=`."""


@dataclass(slots=True)
class Options:
    """What was asked: key of an option -> its values ("" for one without), and the words left over."""

    values: dict[str, list[str]] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)

    def has(self, *keys: str) -> bool:
        return any(key in self.values for key in keys)

    def get(self, *keys: str) -> str | None:
        """The last value given for any of these keys."""
        for key in keys:
            if key in self.values:
                return self.values[key][-1]
        return None

    def add(self, key: str, value: str = "") -> None:
        self.values.setdefault(key, []).append(value)


@dataclass(frozen=True)
class Grammar:
    """Options of one tool: `flags` are letters without a value, `takes` letters with one.

    `long` maps a long name to (key, values it takes); `hint` is printed after what is wrong, `code`
    the exit code.
    """

    tool: str
    flags: str = ""
    takes: str = ""
    long: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    hint: str = ""
    code: int = 1

    def read(self, args: tuple[str, ...] | list[str]) -> Options:
        """Raises Failed."""
        found, words = Options(), iter(args)
        for word in words:
            if word == "--":
                found.rest += list(words)
            elif word.startswith("--"):
                self._long(word[2:], words, found)
            elif word.startswith("-") and len(word) > 1:
                self._cluster(word[1:], words, found)
            else:
                found.rest.append(word)
        return found

    def fail(self, message: str) -> Failed:
        whole = f"{self.tool}: {message}"
        return Failed(f"{whole}\n{self.hint}" if self.hint else whole, self.code)

    def _cluster(self, letters: str, words: Iterator[str], found: Options) -> None:
        for place, letter in enumerate(letters):
            if letter in self.takes:
                value = letters[place + 1 :] or next(words, None)
                if value is None:
                    raise self.fail(f"option requires an argument -- '{letter}'")
                found.add(letter, value)
                return
            if letter not in self.flags:
                raise self.fail(f"invalid option -- '{letter}'")
            found.add(letter)

    def _long(self, word: str, words: Iterator[str], found: Options) -> None:
        name, sign, value = word.partition("=")
        names = [name] if name in self.long else [n for n in self.long if n.startswith(name)]
        if len({self.long[n] for n in names}) > 1:
            told = " ".join(f"'--{n}'" for n in names)
            raise self.fail(f"option '--{name}' is ambiguous; possibilities: {told}")
        if not names or not name:
            raise self.fail(f"unrecognized option '--{word}'")
        key, takes = self.long[names[0]]
        if takes == NONE and sign:
            raise self.fail(f"option '--{names[0]}' doesn't allow an argument")
        if takes == ONE and not sign:
            value = next(words, "\0")
            if value == "\0":
                raise self.fail(f"option '--{names[0]}' requires an argument")
        found.add(key, value)


def whole(text: str | None, default: int, least: int = 0, most: int = 1_000_000) -> int:
    """A number of an option kept within bounds; `default` for nothing or for no number."""
    if text is None or not _NUMBER.match(text):
        return default
    return min(max(int(text), least), most)
