"""A variant on disk: its layout, its bytes, what it keeps to itself, and what promtool says of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from scenarios.__main__ import main
from scenarios.company.profile import DEFAULT
from scenarios.packs import build, load_pack
from scenarios.troubleshooting import draw, variant
from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.draw import NoIncident
from scenarios.troubleshooting.handout import handed_out
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.materials import KINDS, materials
from scenarios.troubleshooting.tests.test_exposition import _GENUINE_LINT, promtool
from scenarios.troubleshooting.truth import make_incident
from scenarios.troubleshooting.variant import SEVERITIES

PACK, LEVEL, SEED = "troubleshooting/slow-training", "mid", 3
STAFF_WORDS = ("title", "story", "confused_with", "test", "mitigation", "fix", "risk", "why")


@dataclass(frozen=True)
class Variant:
    """A built variant, read back."""

    folder: Path
    manifest: dict[str, Any]
    key: dict[str, Any]

    def files(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Variant:
    root = tmp_path_factory.mktemp("variant")
    manifest = build(PACK, LEVEL, SEED, root / "out", key_file=root / "key.json")
    return Variant(root / "out", manifest, json.loads((root / "key.json").read_text()))


@pytest.mark.nightly
def test_another_process_writes_the_same_bytes(built: Variant, tmp_path: Path) -> None:
    out, key = tmp_path / "out", tmp_path / "key.json"
    arguments = ["build", PACK, "--level", LEVEL, "--seed", str(SEED), "--out", str(out)]
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "scenarios", *arguments, "--key", str(key)]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    again = Variant(out, {}, json.loads(key.read_text()))
    first, second = built.files(), again.files()
    assert first.keys() == second.keys()
    assert [path for path, body in first.items() if body != second[path]] == []
    assert again.key == built.key


@pytest.mark.nightly
def test_the_manifest_lists_every_file_with_its_hash(built: Variant) -> None:
    files = built.files()
    assert json.loads(files.pop("manifest.json")) == built.manifest
    # Nobody is shown this one: it belongs to the page that searches the logs.
    kept = json.loads(files.pop(SEVERITIES))
    assert kept
    for path, levels in kept.items():
        assert len(levels) == files[path].count(b"\n")
        assert set(levels) <= set("01234567")
    listed = {row["path"]: row["sha256"] for row in built.manifest["files"]}
    assert listed == {path: sha256(body).hexdigest() for path, body in files.items()}
    assert (
        sum(len(body) for body in files.values()) < 45_000_000
    )  # 72 h of a senior are half as much again
    for row in built.manifest["files"]:
        assert row.keys() == {"path", "kind", "title", "sha256", "before"}
        assert row["before"] in ("", *files)


@pytest.mark.nightly
def test_the_folder_has_what_the_pages_look_for(built: Variant) -> None:
    paths = built.files().keys()
    kinds = {row["path"]: row["kind"] for row in built.manifest["files"]}
    assert set(KINDS) | {"columns", "prom", "om", "markdown", "template"} <= set(kinds.values())
    for path in (
        "brief.md",
        "environment.md",
        "tools.md",
        "times.md",
        "sections.json",
        "template/answer.json",
        "template/answer.schema.json",
        "metrics/history.hncol",
        "metrics/baseline.hncol",
        "metrics/sample.om",
        "monitoring/alerts.rules.yml",
        "runs/slow/train.log",
        "runs/baseline/train.log",
        "slurm/sacct.txt",
        "people/changes.txt",
    ):
        assert path in paths
    nodes = built.manifest["incident"]["nodes"]
    assert {f"metrics/scrapes/{node}/dcgm-exporter.prom" for node in nodes} <= paths
    assert {f"config/now/nodes/etc/{name}" for name in ("fstab", "resolv.conf")} <= paths


def test_facts_are_those_of_the_histories(built: Variant) -> None:
    facts = built.manifest["incident"]
    history = Columns.open(built.folder / "metrics" / "history.hncol")
    baseline = Columns.open(built.folder / "metrics" / "baseline.hncol")
    assert (history.start_ms, history.end_ms) == (
        facts["window"]["from_ms"],
        facts["window"]["to_ms"],
    )
    assert history.start_ms < facts["run"]["from_ms"] < facts["now_ms"] < facts["run"]["to_ms"]
    assert baseline.start_ms < facts["baseline"]["from_ms"] < facts["baseline"]["to_ms"]
    assert facts["run"]["to_ms"] - facts["run"]["from_ms"] == pytest.approx(
        built.key["hours"] * 3_600_000, rel=0.001
    )
    assert (facts["job"], facts["baseline_job"]) == (built.key["job"], built.key["baseline_job"])
    assert set(facts["nodes"]) < set(facts["hosts"])


def test_nothing_that_only_staff_know_lies_in_the_folder(built: Variant) -> None:
    shown = b"\n".join(
        body for path, body in built.files().items() if not path.startswith("metrics/")
    ).decode()
    stories = [*built.key["causes"], *built.key["herrings"]]
    told = [story[name] for story in stories for name in STAFF_WORDS if name in story]
    told += [chart["shows"] for story in stories for chart in story["charts"]]
    assert len(told) > 30
    # One sentence each: a title may be short enough to be somebody's own words.
    assert [text for text in told if len(text) > 30 and text in shown] == []
    assert [story["key"] for story in built.key["causes"] if story["key"] in shown] == []
    for line in load_pack(PACK).guide(LEVEL).splitlines():
        assert len(line) < 60 or line not in shown
    told_names = json.dumps(built.manifest)
    for word in ("seed", "causal", "misleading", "supporting", "herring", "worth", "tag"):
        assert f'"{word}' not in told_names


def test_the_key_points_into_the_folder(built: Variant) -> None:
    assert {"pack", "level", "seed", "digest", "guide"} <= built.key.keys()
    paths = built.key["artefacts"].keys()
    assert paths <= built.files().keys()
    history = Columns.open(built.folder / "metrics" / "history.hncol")
    for story in [*built.key["causes"], *built.key["herrings"]]:
        assert story["lines"] or story["charts"]
        for place in story["lines"]:
            lines = (built.folder / place["path"]).read_text().splitlines()
            assert lines[place["spans"][0][0] - 1] == place["first"]
            assert place["spans"][-1][1] <= len(lines)
        for chart in story["charts"]:
            assert history.find(chart["metric"], chart["labels"])


def test_promtool_takes_what_was_written(built: Variant, tmp_path: Path) -> None:
    for scrape in (
        built.folder / "metrics" / "scrapes" / built.manifest["incident"]["nodes"][0]
    ).iterdir():
        done = promtool("check", "metrics", given=scrape.read_text())
        assert done.returncode in (0, 3), done.stderr
        said = (done.stdout + done.stderr).splitlines()
        assert [line for line in said if not line.endswith(_GENUINE_LINT)] == []
    rules = promtool("check", "rules", str(built.folder / "monitoring" / "alerts.rules.yml"))
    assert rules.returncode == 0, rules.stderr
    sample = str(built.folder / "metrics" / "sample.om")
    done = promtool("tsdb", "create-blocks-from", "openmetrics", sample, str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_metrics_command_exports_what_was_asked_for(built: Variant, tmp_path: Path) -> None:
    facts, out = built.manifest["incident"], tmp_path / "x.om"
    node = facts["nodes"][0]
    ask = ["metrics", str(built.folder), "--metric", "node_load1", "up", "--out", str(out)]
    assert (
        main(
            [
                *ask,
                "--label",
                f"node={node}",
                "--from",
                "2026-10-12T15:00+03:00",
                "--to",
                "2026-10-12T15:10",
            ]
        )
        == 0
    )
    samples = [line for line in out.read_text().splitlines() if not line.startswith("#")]
    times = {float(line.split()[-1]) for line in samples}
    assert facts["offset_min"] == 180  # so both ways of writing a time mean the same
    assert (min(times), max(times)) == (1_791_806_400, 1_791_807_000)
    assert all(node in line for line in samples)
    assert out.read_text().endswith("# EOF\n")
    ask[3:5] = ["train_step"]
    assert main([*ask, "--baseline"]) == 0
    last = [line for line in out.read_text().splitlines() if line.startswith("train_step{")][-1]
    assert abs(float(last.split()[-1]) * 1_000 - facts["baseline"]["to_ms"]) < 60_000


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--metric", "powr"], "There is no metric powr."),
        (["--metric", "POWER"], "Perhaps DCGM_FI_DEV_POWER_USAGE"),
        (["--metric", "up", "--from", "noon"], "noon is not a time"),
        (["--metric", "up", "--from", "2026-10-13", "--to", "2026-10-12"], "later"),
        (["--metric", "up", "--label", "node"], "NAME=VALUE"),
    ],
)
def test_metrics_command_refuses_in_one_line(
    built: Variant, extra: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.om"
    assert main(["metrics", str(built.folder), *extra, "--out", str(out)]) == 2
    message = capsys.readouterr().err
    assert said in message
    assert message.count("\n") == 1
    assert not out.exists()


def test_metrics_command_wants_a_variant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["metrics", str(tmp_path), "--metric", "up", "--out", str(tmp_path / "x.om")]) == 2
    assert "holds no variant with metrics" in capsys.readouterr().err


@pytest.mark.parametrize("level", LEVELS)
def test_words_are_complete_and_another_seed_has_others(level: str) -> None:
    found = [variant.words(DEFAULT, level, seed) for seed in (1, 2)]
    assert all(set(words) == set(variant.WORDS) for words in found)
    stakes = {name for name, text in found[0].items() if not text}
    assert stakes == (
        set() if level == "senior" else set(variant.words(DEFAULT, "mid", 1)) & stakes
    )
    assert bool(stakes) == (level != "senior")
    assert found[0]["job"] != found[1]["job"]
    assert found[0]["run_start"] != found[1]["run_start"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.by_day(but=["senior"])
def test_another_seed_has_another_answer(level: str) -> None:
    answers = set()
    for seed in range(4):
        incident = make_incident(DEFAULT, LEVELS[level], seed)
        answers.add(tuple((cause.key, cause.fault.places()) for cause in incident.causes))
    assert len(answers) == 4


@pytest.mark.nightly
def test_a_junior_gets_fewer_files_and_no_less_evidence() -> None:
    incident = make_incident(DEFAULT, LEVELS["junior"], 5)
    every = materials(incident)
    kept = handed_out(incident, every)
    assert len(kept) < 0.9 * len(every)
    left_out = set(every) - set(kept)
    assert [m.path for m in left_out if m.document.evidence() or m.splits] == []
    own = {node.name for node in incident.training.nodes}
    assert not {m.path for m in left_out if set(m.path.split("/")) & own}
    paths = {material.path for material in kept}
    assert {material.before for material in kept} - {""} <= paths
    assert handed_out(make_incident(DEFAULT, LEVELS["mid"], 5), every) == every


def test_a_cluster_without_an_incident_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(draw, "_attempt", lambda *_: None)
    with pytest.raises(NoIncident, match="take another seed or a larger cluster"):
        make_incident(DEFAULT, LEVELS["mid"], 1)
    arguments = ["build", PACK, "--level", "mid", "--seed", "987654", "--out", str(tmp_path / "x")]
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x").exists()
