"""The local simulator as a candidate uses it: unpacked, in processes of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graders.anchors import play_trusted
from graders.playing import play, spec_for
from graders.tests.kits import python_in, unpacked
from graders.tests.sandboxes import backend, unhurried
from graders.workloads import public_workload
from sandbox import Backend
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, all_packs, load_pack

__all__ = ["backend", "unhurried"]

SEED = 77
PACKS = [pack for pack in all_packs() if "world" in pack.data]
ONE = load_pack("automation/queue-autoscaler")
RUN = ["-m", "headnode_local", "run"]
BY_DAY = ("queue-autoscaler",)


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(ONE, "mid", SEED, tmp_path_factory.mktemp("kit"), ONE.golden("mid", "naive"))


def written(kit: Path, name: str, text: str) -> str:
    (kit / "answer" / name).write_text(text)
    return f"answer/{name}"


# By day plain answers, as in test_same_bytes.
@pytest.mark.by_day("pack", [one for one in PACKS if one.name.endswith(BY_DAY)])
@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
def test_figures_are_those_of_the_platform(pack: Pack, tmp_path: Path) -> None:
    source = pack.golden("mid", "naive")
    kit = unpacked(pack, "mid", SEED, tmp_path, source)
    done = python_in(kit, *RUN, f"answer/{pack.entry}", "--json")
    assert done.returncode == 0, done.stderr
    workload = public_workload(pack, "mid", SEED, "public-1")
    there = play_trusted(source, workload, DEFAULT, faults=True)
    local = json.loads(done.stdout)
    assert json.dumps(local["figures"]) == json.dumps(there)
    assert "score" not in done.stdout


@pytest.mark.nightly
def test_run_says_how_it_ended_with_the_figures_in_short(kit: Path) -> None:
    done = python_in(kit, *RUN, "answer/controller.py", "--replay", "replay.json")
    assert done.returncode == 0, done.stderr
    assert "ok: The controller saw the whole day:" in done.stdout
    assert "spend_usd" in done.stdout
    assert "no sandbox" in done.stderr
    replay = json.loads((kit / "replay.json").read_text())
    assert replay["t"]
    assert replay["series"]


@pytest.mark.nightly
def test_program_that_fails_shows_its_own_error(kit: Path) -> None:
    path = written(
        kit,
        "fails.py",
        "from headnode_sdk import connect\nconnect().tick()\nprint('seen')\n1 / 0\n",
    )
    done = python_in(kit, *RUN, path)
    assert done.returncode == 1
    assert "seen" in done.stdout
    assert "ZeroDivisionError" in done.stderr
    assert "candidate_error: Your program ended with exit code 1. That was at 00:01" in done.stdout


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("pass", "incomplete: Your program ended by itself"),
        ("import os; os.kill(os.getpid(), 9)", "crashed: Your program was ended by the signal"),
        (
            "import headnode_sdk; headnode_sdk._sock.sendall(b'\\0\\0\\0\\2[]')\nwhile True: pass",
            "protocol_error: Your program sent something that is not a call",
        ),
        (
            "import headnode_sdk; headnode_sdk._sock.sendall(b'xxxxxx')\nwhile True: pass",
            "protocol_error: Your program sent a message of",
        ),
    ],
)
@pytest.mark.by_day(every=4)
def test_every_other_end_is_said_in_a_sentence(kit: Path, source: str, status: str) -> None:
    done = python_in(kit, *RUN, written(kit, "other.py", source))
    assert status in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["answer/absent.py"], "There is no program"),
        (["answer/controller.py", "--workload", "hidden-1"], "there is public-1, public-2"),
        (["answer/controller.py", "--kit", "/"], "There is no workloads.json"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(kit: Path, arguments: list[str], said: str) -> None:
    done = python_in(kit, *RUN, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"format": 2}', '{"format": 1, "world": "none"}']
)
def test_broken_kit_is_one_sentence(kit: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "workloads.json").write_text(text)
    done = python_in(kit, "-m", "headnode_local", "list", "--kit", str(tmp_path))
    assert done.returncode == 2
    assert "kit" in done.stderr
    assert done.stderr.count("\n") == 1


def test_list_names_the_public_workloads(kit: Path) -> None:
    done = python_in(kit, "-m", "headnode_local", "list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["public-1", "public-2"]


STEPPED = """
import headnode_sdk
import pytest


def test_an_hour(local_cluster):
    for _ in range(60):
        assert local_cluster.tick()
    assert local_cluster.now == 3600
    assert isinstance(local_cluster.nodes()[0], headnode_sdk.Node)
    assert local_cluster.figures()["ticks"] == 60


@pytest.mark.workload("public-2", faults=False)
def test_the_rest_passes(local_cluster):
    with pytest.raises(headnode_sdk.InvalidRequest):
        local_cluster._ask("figures")
    local_cluster.run_out()
    assert local_cluster.complete
    assert local_cluster.summary()["ticks"] == 0


@pytest.mark.workload("public-9")
def test_no_such_workload(local_cluster):
    pass
"""


MANY = """
from types import SimpleNamespace as Any
from headnode_local.report import lines
summary = {
    "incidents": [{"t": number, "kind": "urgent job"} for number in range(300)],
    "waits": list(range(40)),
    "few": [1, 2],
}
kit = Any(title="", level="", workload=lambda name: Any(name="", title=""))
kit.world = Any(summary=lambda figures: summary)
print(*lines(kit, "", Any(status="", detail="", calls=0, wall_s=0.0, figures={})), sep="\\n")
"""


def test_long_lists_are_cut_and_say_where_the_rest_is(kit: Path) -> None:
    done = python_in(kit, "-c", MANY)
    printed = done.stdout.splitlines()[4:]
    assert len(printed) == 1 + 12 + 1 + 2, done
    assert printed[0].strip() == "incidents (300)"
    assert printed[13].strip() == "... and 288 more: --json prints them all"
    assert printed[-2].endswith("11 ... and 28 more")
    assert printed[-1].endswith("1, 2")


@pytest.mark.nightly
def test_tests_can_step_a_cluster(kit: Path) -> None:
    written(kit, "test_stepped.py", STEPPED)
    options = ["-m", "pytest", "-q", "-p", "headnode_local.fixtures", "-p", "no:cacheprovider"]
    done = python_in(kit, *options, "-p", "no:django", "answer")
    assert "2 passed, 1 error" in done.stdout, done.stdout
    assert "there is public-1, public-2" in done.stdout


@pytest.mark.usefixtures("unhurried")
@pytest.mark.nightly
def test_figures_are_those_of_a_run_in_the_sandbox(kit: Path, backend: Backend) -> None:
    source = (kit / "answer/controller.py").read_text()
    spec = spec_for(ONE, {**ONE.template("mid"), ONE.entry: source})
    workload = public_workload(ONE, "mid", SEED, "public-2")
    played = play(spec, workload, backend, DEFAULT)
    done = python_in(kit, *RUN, "answer/controller.py", "--workload", "public-2", "--json")
    local = json.loads(done.stdout)
    assert json.dumps(local["figures"]) == json.dumps(played.figures)
    assert (local["status"], local["detail"]) == (played.outcome.status, played.detail)
