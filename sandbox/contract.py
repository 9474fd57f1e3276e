"""What a run is given and what comes of it; knows no backend."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from sandbox import roots
from sandbox.limits import Limits

if TYPE_CHECKING:
    from sandbox.probe import Report

Status = Literal[
    "ok",
    "incomplete",
    "candidate_error",
    "timeout",
    "cpu_limit",
    "oom",
    "output_limit",
    "protocol_error",
    "crashed",
    "cancelled",
    "sandbox_error",
]


class CallRefused(Exception):
    """A session's polite no: the candidate's program gets an error answer and goes on.

    `code` is a short slug a program can compare, `message` one sentence for a person.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Session(Protocol):
    """The host's end of the channel: answers calls, and knows when the episode is over."""

    def call(self, method: str, params: dict[str, object]) -> object:
        """Answer one call with a JSON value, or raise CallRefused."""

    @property
    def complete(self) -> bool:
        """True once the episode has reached its end."""


@runtime_checkable
class Metered(Protocol):
    """A session that reads the run's processor time while it answers; the backend sets the meter."""

    cpu_s: Callable[[], float | None]
    """Seconds used so far by all processes of the run, None where nobody can tell."""


@runtime_checkable
class Speaking(Protocol):
    """A session that also speaks unasked: each value goes to the program as an answer with id 0."""

    wake: int
    """A descriptor that is readable while there is something to say."""

    def spoken(self) -> list[object]:
        """Take what there is to say, as JSON values, and make `wake` silent."""


def _check_path(path: str) -> None:
    pure = PurePosixPath(path)
    plain = path == str(pure) and not pure.is_absolute() and ".." not in pure.parts
    if not plain or path in ("", ".") or not path.isprintable() or len(path.encode()) > 200:
        raise ValueError(
            f"{path!r} is not a usable file name: give a short relative path without '..'."
        )


def _check_paths(paths: Iterable[str]) -> None:
    known = set(paths)
    for path in known:
        _check_path(path)
    for path in known:
        above = known.intersection(map(str, PurePosixPath(path).parents))
        if above:
            raise ValueError(f"{above.pop()!r} cannot be a file and a folder at once.")


@dataclass(frozen=True)
class Spec:
    """One program to run.

    `files` lands in the writable working folder, `sdk` in a read-only folder on the import path;
    both map relative POSIX paths to bytes. `entry` is the file run as `__main__`. `root` names the
    root folder under it, one of those declared in sandbox/roots. `gpus` cards of this host are
    lent to it for the run, with at most `gpu_memory_mb` MiB on each (0: all there is).
    Raises ValueError for a path that leaves its folder, a missing entry, files that cannot
    fit into the working folder, or a root that nobody has declared.
    """

    files: Mapping[str, bytes]
    entry: str = "controller.py"
    sdk: Mapping[str, bytes] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    root: str = "python"
    gpus: int = 0
    gpu_memory_mb: int = 0

    def __post_init__(self) -> None:
        if self.gpus < 0 or self.gpu_memory_mb < 0:
            raise ValueError("The number of GPUs and their memory must not be negative.")
        roots.declared(self.root)
        for files in (self.files, self.sdk):
            _check_paths(files)
        if self.entry not in self.files:
            raise ValueError(f"The program's entry file {self.entry!r} is missing.")
        size = sum(len(content) for content in self.files.values())
        if size > self.limits.work_mb << 19 or len(self.files) > self.limits.inodes // 4:
            raise ValueError("The program's files do not fit into the working folder.")


@dataclass(frozen=True)
class Outcome:
    """What happened, measured from outside the sandbox.

    Times in seconds, memory in MiB. `wall_s` is from the call to the end. `own_s` of it was the
    program's own and counted against its time limit; in `waited_s` it waited for a processor that the
    host had not, or for our answers. `layers` lists the fences that were in force, `reduced` the
    limits that were weaker than they should be (normally empty). `stdout`, `stderr` and `detail`
    are text to show, with control characters made visible; nothing is ever read out of them.
    `device` is empty without a card; with one it has the keys sandbox.gpu.lending describes.
    """

    status: Status
    detail: str
    backend: str
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    stdout_truncated: bool = False
    wall_s: float = 0.0
    own_s: float = 0.0
    waited_s: float = 0.0
    cpu_s: float = 0.0
    max_rss_mb: float = 0.0
    layers: list[str] = field(default_factory=list)
    reduced: list[str] = field(default_factory=list)
    calls: int = 0
    image: str = ""
    device: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, the object that `python -m sandbox run --json` prints."""
        return asdict(self)


class Backend(Protocol):
    """A way to run untrusted programs. `run` may be called from several threads at once."""

    name: str

    def run(self, spec: Spec, session: Session, cancel: threading.Event | None = None) -> Outcome:
        """Run one program to its end; setting `cancel` ends it at once, whatever goes on. The session may
        then still be answering one last call on another thread.

        Never raises for trouble of the sandbox's own: that is an Outcome `sandbox_error`.
        """

    def probe(self) -> Report:
        """Say which layers work here."""

    def sweep(self) -> list[str]:
        """Remove what dead runners left behind; returns one line for each thing removed."""

    def close(self) -> None:
        """End running programs and give everything back."""
