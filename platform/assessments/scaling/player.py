"""A process that plays one plan: reads what to play from stdin as JSON, prints the report as JSON.

It starts without Django, so that it begins at once, and bounds its own memory and processor time.
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Any, cast

from graders.kinds import run_public
from sandbox import Backend
from scenarios.company.profile import DEFAULT, read_profile

MOST_BYTES = 3 << 30
MOST_CPU_S = 60
CPU_TO_END_S = 5
"""Between the signal that asks it to end and the one that nobody can catch."""
OUT_OF_MEMORY = 3


def main() -> None:
    """Play what stdin names: pack, level, seed, files, workload, company (TOML, may be empty)."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S + CPU_TO_END_S))
    asked: dict[str, Any] = json.load(sys.stdin)
    report = run_public(
        asked["pack"],
        asked["level"],
        asked["seed"],
        asked["files"],
        cast(Backend, None),  # nothing of the candidate's is run
        asked["workload"],
        read_profile(asked["company"]) if asked["company"] else DEFAULT,
    )
    json.dump(report.to_dict(), sys.stdout)


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
