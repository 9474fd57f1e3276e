"""One SQL question in a process of its own, with little memory and time: `python -m scenarios.cost.ask FILE`.

A pattern or a function on long text can keep SQLite busy inside a single step, where nothing in the same
process could stop it. Reads {"sql": text} on standard input and writes
{"columns", "rows", "cut", "seconds"} or {"error": one sentence}.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from scenarios.cost.query import MOST_SECONDS, BadQuery, Tables

MOST_MEMORY = 512 << 20
"""Bytes of address space, the interpreter's own 100 MB among them."""
MOST_CPU_S = int(MOST_SECONDS) + 2


def confine() -> None:
    """From here on the process cannot write a file, start a program, or take more than its share.

    The site's own processes go first.
    """
    os.nice(5)
    for what, most in (
        (resource.RLIMIT_CPU, MOST_CPU_S),
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (most, most))


def main() -> None:
    confine()
    asked = json.load(sys.stdin)
    tables = Tables(Path(sys.argv[1]))
    try:
        told = asdict(tables.sql(str(asked["sql"])))
    except BadQuery as error:
        told = {"error": str(error)}
    json.dump(told, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
