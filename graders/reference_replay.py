"""The reference program's run on one workload of a variant, to be drawn beside an answer's."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from graders.inprocess import run_trusted
from graders.session import EpisodeSession
from graders.workloads import Workload, hidden_workloads, public_workload
from scenarios.company.profile import DEFAULT, Profile, load_profile
from scenarios.packs import Pack, load_pack
from scenarios.simulator import VERSION as SIMULATOR
from scenarios.worlds import load_world

HIDDEN = re.compile(r"hidden-(?:(2)-)?([1-9][0-9]{0,2})\Z")


def workload_named(pack: Pack, level: str, seed: int, name: str) -> Workload:
    """A hidden or a public workload by its name. Raises ValueError where there is none."""
    if found := HIDDEN.match(name):
        return hidden_workloads(pack, level, seed, int(found[2]), int(found[1] or 1))[-1]
    return public_workload(pack, level, seed, name)


def reference_replay(
    pack: Pack, level: str, seed: int, name: str, profile: Profile = DEFAULT
) -> dict[str, Any]:
    """What `Timeline.replay` tells of the reference on the workload: JSON data.

    It plays as `graders.anchors` lets it play, without API faults, so the last figures are
    those that measures are scaled by. Raises LookupError where the pack has no reference
    program, since its reference is a bound, and ValueError for an unknown workload.
    """
    source = pack.anchor(level, "reference")
    if source is None:
        raise LookupError(f"The reference of {pack.name} is a bound and not a program.")
    workload = workload_named(pack, level, seed, name)
    episode = workload.open(profile, faults=False)
    run_trusted(source, EpisodeSession(episode, load_world(workload.world).methods))
    episode.run_out()
    replay: dict[str, Any] = episode.replay()
    return replay


def has_reference(pack: Pack, level: str) -> bool:
    """Whether there is a reference program to be watched."""
    return "world" in pack.data and pack.anchor(level, "reference") is not None


def made_with(pack: Pack) -> dict[str, str]:
    """What a workload depends on besides its seed, as a grade's versions name it."""
    return {"pack": f"{pack.version}+{pack.digest[:12]}", "simulator": SIMULATOR}


def main(arguments: list[str]) -> int:
    """PACK LEVEL SEED WORKLOAD [PROFILE.toml]: the replay on stdout; 2 and one sentence for bad input.

    It makes way for whatever else the machine does.
    """
    os.nice(10)
    try:
        pack, level, seed, name = arguments[:4]
        profile = load_profile(Path(arguments[4])) if len(arguments) > 4 else DEFAULT
        replay = reference_replay(load_pack(pack), level, int(seed), name, profile)
    except (LookupError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    json.dump(replay, sys.stdout, separators=(",", ":"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
