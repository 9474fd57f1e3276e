"""A plugin of pytest that writes down which functions each test reaches, and how long it takes.

Only calls are traced, not lines: a run takes little longer with it than without. Functions of other
processes are not seen. HEADNODE_REACHED names the file, of which each line is one test.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

ROOT = Path(__file__).resolve().parents[1]
_INNER = re.compile(r"\.<locals>|\.?<(listcomp|dictcomp|setcomp|genexpr|lambda|module)>")
_seen: set[CodeType] = set()
_numbers: dict[str, int] = {}
_names: dict[CodeType, str] = {}
_failed: set[str] = set()


def _look(frame: FrameType, event: str, arg: object) -> None:
    _seen.add(frame.f_code)


def named(code: CodeType) -> str:
    """`path:function` of code of this project, else nothing."""
    if code not in _names:
        path = Path(code.co_filename)
        ours = path.is_absolute() and path.is_relative_to(ROOT) and "tests" not in path.parts
        ours = ours and ".venv" not in path.parts
        function = _INNER.sub("", code.co_qualname)
        _names[code] = f"{path.relative_to(ROOT)}:{function}" if ours else ""
    return _names[code]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    _seen.clear()
    began = time.perf_counter()
    sys.settrace(_look)
    threading.settrace(_look)
    try:
        answer = yield
    finally:
        sys.settrace(None)
        threading.settrace(None)
    _write(item, nextitem, time.perf_counter() - began)
    return answer


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not report.passed:
        _failed.add(report.nodeid)


def _write(item: pytest.Item, following: pytest.Item | None, seconds: float) -> None:
    found = {name for code in list(_seen) if (name := named(code))}
    new = [name for name in sorted(found) if name not in _numbers]
    _numbers.update(zip(new, range(len(_numbers), len(_numbers) + len(new)), strict=True))
    path = f"{item.path.relative_to(ROOT)}"
    row = {
        "test": item.nodeid,
        "s": round(seconds, 3),
        "passed": item.nodeid not in _failed,
        "new": new,
        "reached": sorted(_numbers[name] for name in found),
        "whole": path if following is None or following.path != item.path else "",
    }
    with Path(os.environ["HEADNODE_REACHED"]).open("a") as file:
        file.write(json.dumps(row) + "\n")
