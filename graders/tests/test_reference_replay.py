from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from graders.anchors import anchor_figures
from graders.reference_replay import has_reference, reference_replay, workload_named
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, load_pack

PACK = load_pack("automation/queue-autoscaler")
SEED = 11


def played(name: str) -> dict[str, Any]:
    return reference_replay(PACK, "mid", SEED, name)


def last(replay: dict[str, Any], key: str) -> float:
    return float(next(one["values"][-1] for one in replay["series"] if one["key"] == key))


@pytest.mark.nightly
def test_replay_is_the_same_each_time_and_another_for_another_workload() -> None:
    first = json.dumps(played("hidden-1"))
    assert json.dumps(played("hidden-1")) == first
    assert json.dumps(played("hidden-2")) != first
    assert json.dumps(played("public-1")) != first


@pytest.mark.nightly
def test_it_is_the_run_that_measures_are_scaled_by() -> None:
    workload = workload_named(PACK, "mid", SEED, "hidden-1")
    _, figures = anchor_figures(PACK, "mid", workload, DEFAULT)
    assert last(played("hidden-1"), "cost") == pytest.approx(figures["spend_usd"], abs=0.01)


@pytest.mark.parametrize("name", ["hidden-0", "hidden-101", "hidden-1\n", "public-9", "", "x" * 99])
def test_unknown_workload_is_said_in_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match=r"There is no workload|must be from 1 to 100"):
        played(name)


def test_a_bound_cannot_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pack, "anchor", lambda self, level, which: None)
    assert not has_reference(PACK, "mid")
    with pytest.raises(LookupError, match="is a bound"):
        played("hidden-1")


def test_packs_of_other_kinds_have_none() -> None:
    assert has_reference(PACK, "mid")
    pack = load_pack("gpu/low-utilisation")
    assert not has_reference(pack, pack.levels[0])


@pytest.mark.nightly
def test_command_prints_the_replay_or_one_sentence() -> None:
    def said(*asked: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "graders.reference_replay", *asked]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = said(PACK.name, "mid", str(SEED), "hidden-1")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(json.dumps(played("hidden-1")))
    bad = said(PACK.name, "mid", str(SEED), "hidden-0")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("There is no workload 'hidden-0'")
    assert len(bad.stderr.splitlines()) == 1
