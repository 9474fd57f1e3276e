"""What is in a candidate's kit, and what is not."""

from __future__ import annotations

import ast
import json
import sys

import pytest

from graders.kit import SOURCES, NoKit, kit_files, kit_name, sources_of, zipped
from graders.workloads import hidden_workloads, public_workload
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, all_packs, load_pack

SEED = 9_181_716_151_413_121_110
WORLDS = sorted({str(pack.data["world"]) for pack in all_packs() if "world" in pack.data})
PACKS = [pack for pack in all_packs() if "world" in pack.data]
ONE = load_pack("automation/queue-autoscaler")


def kit(pack: Pack = ONE, level: str = "mid", seed: int = SEED) -> dict[str, bytes]:
    return kit_files(pack, level, seed, {"controller.py": "x = 1\n"}, {"rationale": "Because."})


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
@pytest.mark.by_day(every=2)
def test_nothing_but_public_workloads_is_in_it(pack: Pack) -> None:
    found = kit(pack)
    hidden = [one.seed for one in hidden_workloads(pack, "mid", SEED)]
    goldens = [path.read_text()[:300] for path in (pack.folder / "goldens").rglob("*.py")]
    rubric = [text for one in pack.rubric("mid").criteria for text in one.levels.values()]
    guide = [line for line in pack.guide("mid").splitlines() if len(line) > 40]
    everything = "\n".join(body.decode() for body in found.values())
    for secret in [str(SEED), f"{SEED:x}", *hidden, *goldens, *rubric, *guide]:
        assert secret not in everything


def test_nothing_but_one_world_of_the_sources_is_in_it() -> None:
    paths = list(kit())
    worlds = {
        path.split("/")[3] for path in paths if path.startswith("headnode-local/scenarios/worlds/")
    }
    assert {name for name in worlds if not name.endswith(".py")} == {"queue_autoscaler"}
    for part in ("/packs/", "/tests/", "/commands/", "graders", "pack.toml", "sandbox"):
        assert [path for path in paths if part in path] == []


def test_the_program_that_plays_at_home_is_in_it() -> None:
    assert {
        "headnode-local/headnode_local/__main__.py",
        "headnode-sdk/headnode_sdk/__init__.py",
    } <= set(kit())


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.by_day(but=["queue_autoscaler"])
def test_the_simulator_needs_nothing_that_is_not_in_the_kit(world: str) -> None:
    files = sources_of(world)
    for path, body in ((path, body) for path, body in files.items() if path.endswith(".py")):
        for node in ast.walk(ast.parse(body)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            for name in names:
                file = name.replace(".", "/")
                there = f"{file}.py" in files or f"{file}/__init__.py" in files
                assert there or name.split(".")[0] in sys.stdlib_module_names, f"{path}: {name}"


def test_the_answer_the_documents_and_the_written_parts_are_in_it() -> None:
    found = kit()
    assert found["answer/controller.py"] == b"x = 1\n"
    assert "Because." in found["written/rationale.md"].decode()
    for document in ONE.documents("mid"):
        assert found[f"documents/{document.path}"].decode() == document.text
    assert "headnode-local run answer/controller.py" in found["README.md"].decode()


def test_workloads_are_those_that_run_plays() -> None:
    data = json.loads(kit()["workloads.json"])
    assert data["settings"] == ONE.level("mid").get("settings", {})
    assert data["profile"] == DEFAULT.basics()
    assert [row["name"] for row in data["workloads"]] == [
        name for name, _ in ONE.public_workloads("mid")
    ]
    for row in data["workloads"]:
        same = public_workload(ONE, "mid", SEED, row["name"])
        assert (row["family"], row["seed"], row["title"]) == (same.family, same.seed, same.title)


def test_same_kit_same_bytes() -> None:
    assert zipped("kit", kit()) == zipped("kit", kit())
    assert kit(seed=SEED + 1)["workloads.json"] != kit()["workloads.json"]
    assert kit_name(ONE, "mid") == "queue-autoscaler-mid"


def test_exercise_on_no_simulated_cluster_has_no_kit() -> None:
    with pytest.raises(NoKit, match="no kit"):
        kit_files(load_pack("gpu/low-utilisation"), "mid", SEED, {}, {})


def judges(world: str) -> set[str]:
    """The functions that the world's measures are made of."""
    text = (SOURCES / "worlds" / world / "measures.py").read_text()
    rows = [node for node in ast.parse(text).body if isinstance(node, ast.AnnAssign)]
    (table,) = [row for row in rows if getattr(row.target, "id", "") == "MEASURES"]
    names = {one.id for one in ast.walk(table) if isinstance(one, ast.Name)}
    assert names
    return names


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
@pytest.mark.by_day(
    but=[
        "automation/cloud-bursting",
        "automation/cluster-priorities",
        "automation/slurm-fair-partitions",
    ]
)
def test_how_a_day_is_judged_stays_at_home(pack: Pack) -> None:
    world = pack.world
    folder = f"headnode-local/scenarios/worlds/{world.name}"
    found = {path: body.decode() for path, body in kit(pack).items() if path.endswith(".py")}
    judging = found[f"{folder}/measures.py"]
    given = {node.name for node in ast.parse(judging).body if isinstance(node, ast.FunctionDef)}
    assert {"summary", "account"} <= given
    shared = {one.id for one in ast.walk(ast.parse(judging)) if isinstance(one, ast.Name)}
    assert judges(world.name) & given <= shared  # what the figures in short are made of as well
    assert judges(world.name) - given
    averages = found.get("headnode-local/scenarios/worlds/averages.py", "")
    assert "trouble_answered" not in judging + averages
    for path, body in found.items():
        compile(body, path, "exec")


@pytest.mark.parametrize("world", WORLDS)
def test_what_prints_the_figures_is_left_as_it_is(world: str) -> None:
    path = f"scenarios/worlds/{world}/measures.py"
    text, whole = sources_of(world)[path].decode(), (SOURCES.parent / path).read_text()
    names: dict[str, object] = {}
    exec(compile(text, path, "exec"), names)  # noqa: S102  our own source
    assert names["MEASURES"] == {}
    left = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(left) < sum(isinstance(node, ast.FunctionDef) for node in ast.parse(whole).body)
    for node in left:
        assert (ast.get_source_segment(text, node) or "nothing") in whole
