"""What the incident's grader makes of answers as people write them: kinds, styles and languages.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.incident_reading [--as before]

Grades the answers kept beside the grader's tests (graders/troubleshooting/tests/answers, and
answers_later, which were written after the rules) and writes their scores and measures to
benchmarks/incident_reading.json under `after`, or under another name with --as; what is there under
other names stays. Prints one line for each.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.troubleshooting.tests.kinds import FOLDER, table

RESULT = Path(__file__).with_suffix(".json")
FOLDERS = {"answers": FOLDER, "answers_later": FOLDER.with_name("answers_later")}


def measured() -> dict[str, Any]:
    """Commit, and the rows of each folder."""
    return {"commit": commit()} | {name: table(path) for name, path in FOLDERS.items()}


def main() -> None:
    """Measures, keeps and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--as", dest="name", default="after", help="under which name to keep it")
    name = parser.parse_args().name
    kept = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    kept[name] = measured()
    RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for folder in FOLDERS:
        for row in kept[name][folder]:
            print(f"{row['variant']:10}{row['answer']:28}{row['bar']:7}{row['score']:.2f}")


if __name__ == "__main__":
    main()
