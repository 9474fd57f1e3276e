"""A process that writes an Excel file: tables as lines of JSON on standard input, the file on standard output.

A thousand candidates have more than a million cells, which is a quarter of a minute of work: in a web process
it would keep every other thread waiting for Python. It knows nothing of the site.
"""

from __future__ import annotations

import io
import json
import os
import resource
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

MISSING = 4
"""Exit code where openpyxl is not there."""
BEHIND_THE_SITE = 5
"""Niceness: a file may wait a moment, saving an answer may not."""
MOST_CPU_S, MOST_MEMORY = 180, 2 << 30
NARROWEST, WIDEST = 12, 40
"""Of a column, in letters."""


def written(lines: Iterable[bytes]) -> bytes:
    """The file. Each line is either a sheet, {"sheet": name, "columns": [...]}, or one of its rows.

    Row by row, as openpyxl's write-only sheets take them: nothing holds every cell at once.
    """
    from openpyxl import Workbook
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    sheet: Any = None
    for line in lines:
        told = json.loads(line)
        if isinstance(told, list):
            sheet.append(told)
            continue
        sheet = book.create_sheet(told["sheet"])
        sheet.freeze_panes = "A2"
        for at, head in enumerate(told["columns"], 1):
            width = min(WIDEST, max(NARROWEST, len(head) + 2))
            sheet.column_dimensions[get_column_letter(at)].width = width
        sheet.append(told["columns"])
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def main(given: BinaryIO, out: BinaryIO) -> int:
    os.nice(BEHIND_THE_SITE)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        out.write(written(given))
    except ModuleNotFoundError:
        return MISSING
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
