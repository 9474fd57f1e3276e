"""A process that works out questions to variants' data, one after the other: see `answering`, which starts it.

It knows nothing of the site, writes no file, and ends at the question that takes more processor time or
memory than one may have, or that brings a library down: whoever waits for it is told so, and nobody else
notices.
"""

from __future__ import annotations

import json
import os
import resource
import select
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from assessments.processes import stand_behind
from assessments.troubleshooting import log_bundle, metrics_answers, metrics_query
from assessments.troubleshooting.metrics_answers import Asked, Bad, Board
from scenarios.cost.query import BadQuery, Pivot, Tables
from scenarios.troubleshooting.promql.engine import MOST_SECONDS

MOST_CPU_S = int(MOST_SECONDS) + 2
"""For one question. The engine of queries ends itself before, but for what a single step of it may take."""
MOST_MEMORY = 1 << 30
"""Bytes of address space: three variants' columns, what is kept of them, and a question's own values."""
IDLE_S = 600
BEHIND_THE_SITE = 5
"""Niceness: enough for saves to go first, not so much that a question never ends."""
MOST_FILES = 64
"""Open at once: pipes, and the columns of three variants."""
HEAD = struct.Struct(">cI")
"""Of an answer: one of DONE, REFUSED and FAILED, and the length of what follows."""
LENGTH = struct.Struct(">I")
DONE, REFUSED, FAILED = b"d", b"r", b"f"
TOO_LARGE = (
    "That needs more memory than there is for one question: ask for fewer series or a shorter time."
)
Given = dict[str, Any]


def _board(folder: Path) -> Board:
    return metrics_answers.board_of(folder, _manifest(folder))


def _manifest(folder: Path) -> Given:
    manifest: Given = json.loads((folder / "manifest.json").read_bytes())
    return manifest


def _series(folder: Path, given: Given) -> bytes:
    board = _board(folder)
    asked = Asked(
        given["node"],
        _times(board, given),
        given["points"],
        given["detail"],
        given["compare"],
    )
    return metrics_answers.charts(board, given["panels"], asked)


def _heat(folder: Path, given: Given) -> bytes:
    board = _board(folder)
    times = _times(board, given)
    return metrics_answers.heat(board, given["metric"], times, given["columns"], given["stat"])


def _query(folder: Path, given: Given) -> bytes:
    board = _board(folder)
    if given["at"] is not None:
        return metrics_query.instant(board, given["query"], given["at"])
    times = _times(board, given)
    return metrics_query.over(board, given["query"], times, given["points"], given["step"])


def _times(board: Board, given: Given) -> tuple[int, int]:
    first, last = board.window
    wanted = [given[name] for name in ("from", "to")]
    return metrics_answers.clipped(
        board,
        first if wanted[0] is None else wanted[0],
        last if wanted[1] is None else wanted[1],
    )


def _pivot(_: Path, given: Given) -> bytes:
    """The pivot of a bill's tables and, as `total`, the same over everything that its filter leaves."""
    asked = Pivot(**given["pivot"])
    with closing(Tables(Path(given["file"]))) as tables:
        found = tables.pivot(asked)
        whole = tables.pivot(replace(asked, by=(), period=""))
    told = asdict(found) | {"total": whole.rows[0][0] if whole.rows else None}
    return msgspec.json.encode(told)


QUESTIONS: dict[str, Callable[[Path, Given], bytes]] = {
    "catalogue": lambda folder, _: metrics_answers.catalogue(_board(folder)),
    "layout": lambda folder, _: metrics_answers.layout(_board(folder)),
    "series": _series,
    "heat": _heat,
    "query": _query,
    "pivot": _pivot,
    "logs": lambda folder, _: log_bundle.packed(folder, _manifest(folder)),
}


def answered(asked: Given) -> tuple[bytes, bytes]:
    """(DONE, the answer), (REFUSED, {"detail", "position"} as JSON) or (FAILED, a traceback)."""
    try:
        return DONE, QUESTIONS[asked["question"]](Path(asked["folder"]), asked["given"])
    except metrics_query.QueryError as error:
        return REFUSED, _told(error.message, error.position)
    except (Bad, BadQuery) as error:
        return REFUSED, _told(str(error))
    except MemoryError:
        return REFUSED, _told(TOO_LARGE)
    except Exception:
        return FAILED, traceback.format_exc().encode()


def _told(sentence: str, position: int | None = None) -> bytes:
    return json.dumps({"detail": sentence, "position": position}).encode()


def confine() -> None:
    """From here on: no file written, no program started, and the site's own processes go first."""
    stand_behind(BEHIND_THE_SITE)
    for what, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, MOST_FILES),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (most, most))


def _allow(seconds: int) -> None:
    """So much processor time from now on; beyond it the kernel ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Until nobody is there to ask, or has asked for IDLE_S."""
    while select.select([questions], [], [], IDLE_S)[0]:
        head = questions.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return
        asked = json.loads(questions.read(LENGTH.unpack(head)[0]))
        _allow(MOST_CPU_S)
        kind, body = answered(asked)
        answers.write(HEAD.pack(kind, len(body)) + body)
        answers.flush()


if __name__ == "__main__":
    confine()
    # Whatever a library prints must not stand among the answers.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, out)
