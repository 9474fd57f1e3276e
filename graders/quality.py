"""What can be said of a program's code without judging it: size, complexity, lints. Never scored."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

RULES = "E4,E7,E9,F,B,BLE,C4,C90,PERF,PIE,PLE,RET,S110,S112,SIM,UP"
"""Ruff's rules for mistakes and needless complication; none for taste or layout."""
MOST_LINTS = 100
TIMEOUT_S = 300
"""Against a ruff that hangs: it takes some hundredths of a second, and on a busy host as long as that needs."""
_COMPLEX = re.compile(r"`(.+)` is too complex \((\d+) > 0\)")

Json = dict[str, Any]


def code_quality(files: Mapping[str, str], starter: Mapping[str, str]) -> Json:
    """Evidence about the Python files of an answer.

    `files` has one row a file: lines, functions, the longest function in lines, the highest
    cyclomatic complexity (McCabe, counted by ruff) and where; a file that is as the starter
    gave it is marked. `lints` are at most 100 of ruff's findings, `lint_count` counts all.
    `problem` is one sentence where ruff could not be run, else empty.
    """
    rows, lints, problem = [], [], ""
    for path in sorted(path for path in files if path.endswith(".py")):
        found, failed = _checked(path, files[path])
        problem = problem or failed
        complexity = sorted(
            (_complexity(one) for one in found if one["code"] == "C901"), reverse=True
        )
        lints += [one for one in found if one["code"] != "C901"]
        highest = complexity[0] if complexity else (0, "")
        same = files[path] == starter.get(path)
        rows.append(_row(path, files[path]) | _named(highest) | {"unchanged": same})
    return {
        "kind": "code",
        "files": rows,
        "lints": lints[:MOST_LINTS],
        "lint_count": len(lints),
        "problem": problem,
    }


def _named(highest: tuple[int, str]) -> Json:
    return {"complexity": highest[0], "most_complex": highest[1]}


def _row(path: str, text: str) -> Json:
    """Size of one file. Lines of code are those that are neither empty nor only a comment."""
    lines = [line.strip() for line in text.splitlines()]
    row: Json = {
        "path": path,
        "lines": len(lines),
        "code_lines": sum(bool(line) and not line.startswith("#") for line in lines),
        "functions": 0,
        "longest_function": 0,
        "longest": "",
        "parses": True,
    }
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return row | {"parses": False}
    sizes = sorted(_sizes(tree), reverse=True)
    if sizes:
        row |= {"functions": len(sizes), "longest_function": sizes[0][0], "longest": sizes[0][1]}
    return row


def _sizes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1, node.name


def _complexity(lint: Json) -> tuple[int, str]:
    found = _COMPLEX.search(lint["message"])
    return (int(found[2]), found[1]) if found else (0, "")


@cache
def _ruff() -> Path | None:
    for folder in (sysconfig.get_path("scripts"), "/usr/local/bin", "/usr/bin"):
        if (path := Path(folder) / "ruff").is_file():
            return path
    return None


def _checked(path: str, text: str) -> tuple[list[Json], str]:
    """Ruff's findings in one file, given to it as text: nothing of the candidate's is opened."""
    ruff = _ruff()
    if ruff is None:
        return [], "The code was not checked: ruff is not installed beside the platform."
    command = [
        str(ruff),
        "check",
        "--isolated",
        "--no-cache",
        "--quiet",
        "--exit-zero",
        "--ignore-noqa",
        "--output-format",
        "json",
        "--select",
        RULES,
        "--target-version",
        "py311",
        "--config",
        "lint.mccabe.max-complexity=0",
        "--stdin-filename",
        path,
        "-",
    ]
    try:
        done = subprocess.run(  # noqa: S603  the arguments are ours
            command,
            input=text.encode(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=True,
            cwd="/",
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return [], f"The code was not checked: ruff did not finish on {path}."
    return [_lint(path, one) for one in found], ""


def _lint(path: str, found: Json) -> Json:
    return {
        "path": path,
        "line": found["location"]["row"],
        "code": str(found["code"] or "invalid-syntax"),
        "message": str(found["message"]),
    }
