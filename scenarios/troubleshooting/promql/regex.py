"""Regular expressions of matchers, in time that grows with the length of the value alone.

Python's `re` may take hours over a pattern that somebody wrote to make it so; Prometheus' cannot, and this
cannot either: all states of the pattern are followed at once (Thompson, CACM 11 (6), 1968). A pattern has to
match the whole value, as in Prometheus. Groups, alternation, classes, `.`, `\\d \\w \\s`, `* + ? {m,n}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from scenarios.troubleshooting.promql.errors import QueryError

MOST_STATES = 2_000
MOST_REPEATS = 100
Test = Callable[[str], bool]
_CLASSES: dict[str, Test] = {
    "d": lambda c: "0" <= c <= "9",
    "w": lambda c: c.isascii() and (c.isalnum() or c == "_"),
    "s": lambda c: c in "\t\n\f\r ",
}
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def _class(letter: str) -> Test | None:
    known = _CLASSES.get(letter.lower())
    if known is None or letter.islower():
        return known
    return lambda c: not known(c)


@dataclass(slots=True)
class _Node:
    """A state: goes to `then` (the first is tried first) over a character that `test` accepts, or freely where
    there is no test. `mark` is the end of a group that is passed here."""

    test: Test | None = None
    then: list[int] = field(default_factory=list)
    mark: int | None = None


Marks = tuple[int, ...]
Piece = tuple[int, int]  # first state and last state, which leads nowhere yet


class Pattern:
    """A compiled pattern. Raises QueryError for one that cannot be read."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._nodes, self._groups = text, 0, list[_Node](), 0
        self._first, self._last = self._either()
        if self._at < len(text):
            raise self._bad("a bracket closes that was never opened")

    def matches(self, value: str) -> bool:
        """Whether the pattern matches the whole value."""
        return self.groups(value) is not None

    def groups(self, value: str) -> list[str] | None:
        """The whole value and what each group holds (empty where it took no part); None without a match."""
        states = self._reach([(self._first, (-1,) * (2 * self._groups))], 0)
        for place, letter in enumerate(value):
            onward = (
                (to, marks)
                for state, marks in states.items()
                if (test := self._nodes[state].test) is not None and test(letter)
                for to in self._nodes[state].then
            )
            states = self._reach(onward, place + 1)
            if not states:
                return None
        marks = states.get(self._last)
        if marks is None:
            return None
        spans = zip(marks[0::2], marks[1::2], strict=True)
        return [value, *(value[a:b] if 0 <= a <= b else "" for a, b in spans)]

    def _reach(self, first: Iterable[tuple[int, Marks]], place: int) -> dict[int, Marks]:
        """All states that are reached freely, the preferred first, with where the groups stand."""
        found: dict[int, Marks] = {}
        for start in first:
            open_ = [start]
            while open_:
                state, marks = open_.pop()
                if state in found:
                    continue
                node = self._nodes[state]
                if node.mark is not None:
                    marks = (*marks[: node.mark], place, *marks[node.mark + 1 :])
                found[state] = marks
                if node.test is None:
                    open_ += [(to, marks) for to in reversed(node.then)]
        return found

    def _bad(self, why: str) -> QueryError:
        return QueryError(f"The pattern “{self._text}” cannot be read: {why}.")

    def _node(self, test: Test | None = None, then: list[int] | None = None) -> int:
        if len(self._nodes) >= MOST_STATES:
            raise self._bad("it is too long")
        self._nodes.append(_Node(test, then or []))
        return len(self._nodes) - 1

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        letter = self._peek()
        if not letter:
            raise self._bad("it ends too early")
        self._at += 1
        return letter

    def _either(self) -> Piece:
        pieces = [self._chain()]
        while self._peek() == "|":
            self._at += 1
            pieces.append(self._chain())
        if len(pieces) == 1:
            return pieces[0]
        end = self._node()
        for _, last in pieces:
            self._nodes[last].then.append(end)
        return self._node(then=[first for first, _ in pieces]), end

    def _chain(self) -> Piece:
        first = last = self._node()
        while self._peek() not in {"", "|", ")"}:
            start, before = self._at, self._groups
            piece = self._repeated(self._atom(), start, before)
            self._nodes[last].then.append(piece[0])
            last = piece[1]
        return first, last

    def _repeated(self, piece: Piece, start: int, before: int) -> Piece:
        """The piece as often as what follows it says; written anew for each time that a count asks for."""
        sign = self._peek()
        if sign not in {"*", "+", "?", "{"}:
            return piece
        self._at += 1
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign) or self._count()
        lazy = self._peek() == "?"
        self._at += lazy
        after, groups = self._at, self._groups
        first = last = self._node()
        turns = max(low, 1) if high is None else high
        for turn in range(turns):
            if turn:
                self._at, self._groups = start, before
                piece = self._atom()
            end = self._node()
            self._nodes[last].then.append(piece[0])
            self._nodes[piece[1]].then.append(end)
            if turn >= low:
                self._nodes[last].then.insert(0 if lazy else 1, end)
            if high is None and turn == turns - 1:
                self._nodes[piece[1]].then.insert(1 if lazy else 0, piece[0])
            last = end
        self._at, self._groups = after, groups
        return first, last

    def _count(self) -> tuple[int, int | None]:
        end = self._text.find("}", self._at)
        parts = self._text[self._at : end].split(",") if end >= 0 else []
        if not 1 <= len(parts) <= 2 or not all(p.isdecimal() for p in parts[:1]):
            raise self._bad("{ starts a count like {2} or {2,4}")
        self._at = end + 1
        low = int(parts[0])
        if len(parts) == 1:
            high: int | None = low
        else:
            high = int(parts[1]) if parts[1].isdecimal() else None
        if max(low, high or 0) > MOST_REPEATS or (high is not None and high < low):
            raise self._bad(f"a count is at most {MOST_REPEATS} and its second number the larger")
        return low, high

    def _one(self, test: Test | None) -> Piece:
        end = self._node()
        return self._node(test, [end]), end

    def _atom(self) -> Piece:
        letter = self._take()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._one(self._set())
        if letter == ".":
            return self._one(lambda c: c != "\n")
        if letter in "*+?{":
            raise self._bad(f"{letter} has nothing before it to repeat")
        if letter in "^$":
            return self._one(None)  # the whole value has to match anyhow
        if letter == "\\":
            return self._one(self._escaped())
        return self._one(lambda c: c == letter)

    def _group(self) -> Piece:
        number = self._groups
        if self._peek() == "?":
            if self._text[self._at : self._at + 2] != "?:":
                raise self._bad("a group starts with ( or (?:")
            self._at += 2
            number = -1
        self._groups += number >= 0
        inner = self._either()
        if self._peek() != ")":
            raise self._bad("a bracket is not closed")
        self._at += 1
        if number < 0:
            return inner
        end = self._node()
        self._nodes[end].mark = 2 * number + 1
        self._nodes[inner[1]].then.append(end)
        first = self._node(then=[inner[0]])
        self._nodes[first].mark = 2 * number
        return first, end

    def _escaped(self) -> Test:
        letter = self._take()
        known = _class(letter)
        if known is not None:
            return known
        if letter.isalnum() and letter not in _PLAIN:
            raise self._bad(f"\\{letter} is not known")
        plain = _PLAIN.get(letter, letter)
        return lambda c: c == plain

    def _set(self) -> Test:
        no = self._peek() == "^"
        if no:
            self._at += 1
        tests: list[Test] = []
        while self._peek() != "]" or not tests:
            low = self._take()
            if low == "\\":
                tests.append(self._escaped())
                continue
            high = low
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in {"", "]"}:
                self._at += 1
                high = self._take()
            tests.append(lambda c, low=low, high=high: low <= c <= high)  # type: ignore[misc]
        self._at += 1
        return lambda c: any(test(c) for test in tests) != no
