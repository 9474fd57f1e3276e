"""Grade one reference answer of each pack and keep the report for the catalogue of exercises.

    python -m benchmarks.samples [PACK ...]

Writes platform/library/samples/KIND/NAME.json: the answer, its measures, and the versions that it was
graded with; what needs a card has none. Neither the best answer nor a poor one: what somebody competent
hands in.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from graders.kinds import grade, needs_sandbox
from sandbox import open_backend
from scenarios.kinds import kind_of
from scenarios.packs import Pack, all_packs, load_pack

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "platform/library/samples"
LEVEL, SEED = "mid", 7
GOLDENS = {
    "cost": "solid",
    "live-slurm": "competent",
    "scaling-plan": "solid",
    "troubleshooting": "competent",
}
PROGRAM = "competent"


def files_of(pack: Pack) -> dict[str, str]:
    """The golden's files: a program, or what is written for the variant."""
    if pack.kind not in GOLDENS:
        return {pack.entry: pack.golden(LEVEL, PROGRAM)}
    makers = import_module(f"graders.{kind_of(pack.kind).name}.makers")
    files: dict[str, str] = makers.write_golden(pack, LEVEL, GOLDENS[pack.kind], SEED)
    return files


def briefs(pack: Pack) -> dict[str, str]:
    """What candidates read, by level, where it is drawn with the materials and takes seconds."""
    return {level: pack.brief(level) for level in pack.levels} if pack.generator else {}


def sample(pack: Pack) -> dict[str, Any]:
    """What is kept of the grading."""
    files = files_of(pack)
    backend = open_backend("namespace", state_dir=ROOT / "data/sandbox", allow_reduced=True)
    with closing(backend):
        needed = backend if needs_sandbox(pack.name) else None
        whole = dict(pack.template(LEVEL)) | files if pack.kind not in GOLDENS else files
        report = grade(pack.name, LEVEL, SEED, whole, needed).to_dict()
    return {
        "pack": pack.name,
        "digest": pack.digest,
        "level": LEVEL,
        "seed": SEED,
        "golden": GOLDENS.get(pack.kind, PROGRAM),
        "answer": files,
        "briefs": briefs(pack),
        **{key: report[key] for key in ("status", "score", "measures", "versions")},
    }


def main(names: list[str]) -> int:
    plain = [pack for pack in all_packs() if not kind_of(pack.kind).needs_card]
    for pack in [load_pack(name) for name in names] or plain:
        found = sample(pack)
        if found["score"] is None:
            raise SystemExit(f"{pack.name} was not graded ({found['status']}): nothing is kept.")
        path = FOLDER / f"{pack.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        print(f"{pack.name}: {found['status']}, {found['score']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
