"""What the judge asks of the program in the sandbox, and the session that carries it there and back."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sandbox import CallRefused

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Order:
    """Write `files` (absolute path -> text), then run a script for bash, for at most `within_s` seconds."""

    run: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    within_s: float = 60.0

    def to_dict(self) -> dict[str, Any]:
        return {"run": self.run, "files": dict(self.files), "within_s": self.within_s}


@dataclass(frozen=True, slots=True)
class Said:
    """What came of an order, by the account of the inside: exit code (124: took too long) and outputs."""

    code: int
    out: str
    err: str


class ClusterFailed(Exception):
    """The cluster did not come up: our trouble. One sentence."""


Course = Generator[Order, Said, R]


class Driver(Generic[R]):
    """A session that plays a course: each call tells what came of an order and gets the next.

    `result` is the course's, None until it has come to its end; `trouble` says why it never will.
    """

    def __init__(self, course: Course[R], say: Callable[[str], None] = lambda text: None) -> None:
        self.result: R | None = None
        self.trouble = ""
        self._course, self._say = course, say
        self._begun = False

    @property
    def complete(self) -> bool:
        return self.result is not None

    def call(self, method: str, params: dict[str, object]) -> object:
        if method != "next":
            raise CallRefused("unknown_method", f"There is no call {method[:40]!r} here.")
        try:
            if not self._begun:
                self._begun = True
                return next(self._course).to_dict()
            return self._course.send(_said(params)).to_dict()
        except StopIteration as end:
            self.result = end.value
        except ClusterFailed as error:
            self.trouble = str(error)
        return {"over": True}


def _said(params: Mapping[str, object]) -> Said:
    code, out, err = (params.get(name) for name in ("code", "out", "err"))
    if type(code) is not int or not isinstance(out, str) or not isinstance(err, str):
        raise CallRefused("bad_answer", "An answer has code, out and err.")
    return Said(code, out, err)
