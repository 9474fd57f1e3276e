from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graders.kinds import grade, run_public
from graders.tests.local_backend import LocalBackend
from graders.workloads import hidden_workloads
from sandbox import Outcome, Session, Spec
from scenarios.packs import PackNotFound, load_pack

PACK = "automation/queue-autoscaler"
GOLDENS = load_pack(PACK).folder / "goldens"
HEAD = "import headnode_sdk\ncluster = headnode_sdk.connect()\n"


def golden(name: str) -> dict[str, str]:
    return {"controller.py": (GOLDENS / f"{name}.py").read_text()}


def program(body: str) -> dict[str, str]:
    return {"controller.py": HEAD + body}


class BrokenBackend(LocalBackend):
    """Fails like a sandbox that lost its host."""

    def run(self, spec: Spec, session: Session, cancel: object = None) -> Outcome:
        return Outcome("sandbox_error", "The sandbox lost its memory cgroup.", "broken")


def graded(files: dict[str, str], hidden: int = 2) -> dict[str, Any]:
    report = grade(PACK, "mid", 3, files, LocalBackend(), hidden)
    plain: dict[str, Any] = json.loads(json.dumps(report.to_dict()))
    return plain


def test_grade_has_every_key_of_the_contract() -> None:
    report = graded(golden("competent"))
    assert report.keys() == {
        "pack",
        "level",
        "seed",
        "measures",
        "evidence",
        "score",
        "status",
        "detail",
        "marks",
        "versions",
    }
    assert report["versions"].keys() == {"pack", "grader", "simulator", "sdk", "image", "backend"}
    for row in report["measures"]:
        assert row.keys() == {
            "key",
            "label",
            "value",
            "unit",
            "better",
            "naive",
            "reference",
            "score",
            "explanation",
        }
    assert report["status"] == "done"
    scores = [min(1.0, max(0.0, row["score"])) for row in report["measures"]]
    assert report["score"] == pytest.approx(sum(scores) / len(scores), abs=1e-4)
    assert [row["kind"] for row in report["evidence"]] == ["workload", "workload", "code", "tests"]
    assert [row.get("name") for row in report["evidence"][:2]] == ["hidden-1", "hidden-2"]
    keys = [row["key"] for row in report["measures"]]
    for row in report["evidence"][:2]:
        assert [one["key"] for one in row["measures"]] == keys
        assert row["detail"].startswith("The controller saw the whole day: ")


@pytest.mark.nightly
def test_same_answer_and_seed_give_the_same_bytes() -> None:
    assert json.dumps(graded(golden("competent"))) == json.dumps(graded(golden("competent")))


@pytest.mark.nightly
def test_progress_is_told_after_each_day() -> None:
    seen: list[tuple[int, int]] = []
    grade(
        PACK,
        "mid",
        3,
        golden("do_nothing"),
        LocalBackend(),
        3,
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    "body",
    ["raise RuntimeError('broken')", "def f(:\n", "cluster.tick()\nimport os\nos._exit(9)", ""],
)
@pytest.mark.nightly
def test_program_that_never_runs_through_is_not_measured_and_never_a_zero(body: str) -> None:
    report = graded(program(body))
    assert report["status"] == "candidate_error"
    assert report["score"] is None
    assert report["measures"] == []
    assert report["detail"].startswith("Not measured: On hidden-1:")


@pytest.mark.nightly
def test_crasher_is_not_measured_and_says_where_it_stopped() -> None:
    report = graded(golden("crasher"))
    assert report["status"] == "candidate_error"
    assert "at 01:00 of the simulated day" in report["detail"]
    assert "KeyError" in report["evidence"][0]["stderr"]


@pytest.mark.nightly
def test_program_that_leaves_early_is_measured_with_the_rest_of_the_day() -> None:
    report = graded(program("while cluster.tick() and cluster.now < 6 * 3600:\n    pass\n"))
    assert report["status"] == "done"
    assert "those ran on without a controller" in report["detail"]
    assert report["evidence"][0]["status"] == "incomplete"
    assert report["evidence"][0]["stopped_at"] == 6 * 3600
    assert report["evidence"][0]["replay"]["t"][-1] == 86_400


@pytest.mark.nightly
def test_leaving_on_bad_days_does_not_pay() -> None:
    source = (GOLDENS / "competent.py").read_text()
    quitter = source.replace(
        "        try:\n", "        if cluster.now > 7200:\n            return\n        try:\n", 1
    )
    assert quitter != source
    stayed, left = graded(golden("competent")), graded({"controller.py": quitter})
    assert left["score"] < stayed["score"] - 0.3


def test_trouble_of_the_sandbox_is_never_the_candidates() -> None:
    report = grade(PACK, "mid", 3, golden("competent"), BrokenBackend(), 3).to_dict()
    assert report["status"] == "infrastructure_error"
    assert report["score"] is None
    assert "not the answer's fault" in report["detail"]
    assert len(report["evidence"]) == 1


@pytest.mark.parametrize(
    "files", [{}, {"other.py": "x"}, {"../controller.py": ""}, {"controller.py": "\ud800"}]
)
def test_files_that_cannot_be_a_program_are_the_candidates_error(files: dict[str, str]) -> None:
    report = graded(files)
    assert report["status"] == "candidate_error"
    assert report["detail"].endswith(".")
    run = run_public(PACK, "mid", 3, files, LocalBackend()).to_dict()
    assert run["status"] == "candidate_error"
    assert run["score"] is None


def test_run_shows_output_measures_and_a_timeline() -> None:
    files = program("print('hello')\nwhile cluster.tick():\n    cluster.log('minute')\n")
    run = run_public(PACK, "mid", 3, files, LocalBackend()).to_dict()
    assert run["status"] == "ok"
    assert run["stdout"] == "hello\n"
    assert {row["key"] for row in run["measures"]} >= {"wait_high_p95", "cost", "misfit"}
    times = run["timeline"]["t"]
    assert times[0] == 0
    assert times[-1] == 86_400
    assert all(len(line["values"]) == len(times) for line in run["timeline"]["series"])
    groups = {line["group"] for line in run["timeline"]["series"]}
    assert groups == {"queue", "nodes", "cost", "gpus"}
    assert {"t": 60, "kind": "log", "text": "minute"} in run["timeline"]["marks"]


@pytest.mark.nightly
def test_run_on_the_second_public_day_is_another_day() -> None:
    runs = [
        run_public(PACK, "mid", 3, golden("do_nothing"), LocalBackend(), name).to_dict()
        for name in ("public-1", "public-2")
    ]
    assert runs[0]["timeline"]["series"] != runs[1]["timeline"]["series"]


def test_starter_runs_through_the_day_as_it_is() -> None:
    files = load_pack(PACK).template("mid")
    run = run_public(PACK, "mid", 3, files, LocalBackend())
    assert run.status == "ok", run.stderr


def test_unknown_pack_and_level_are_refused() -> None:
    with pytest.raises(PackNotFound):
        grade("automation/none", "mid", 1, {}, LocalBackend())
    with pytest.raises(PackNotFound):
        grade(PACK, "director", 1, {}, LocalBackend())


def test_hidden_seeds_and_families_are_nowhere_in_what_the_program_is_given(
    tmp_path: Path,
) -> None:
    seen: list[Spec] = []

    class Recorder(LocalBackend):
        def run(self, spec: Spec, session: Session, cancel: object = None) -> Outcome:
            seen.append(spec)
            return super().run(spec, session)

    grade(PACK, "mid", 3, golden("do_nothing"), Recorder(), 2)
    given = b"".join(b"".join([*s.files.values(), *s.sdk.values()]) for s in seen)
    for day in hidden_workloads(load_pack(PACK), "mid", 3):
        assert day.seed.encode() not in given
        assert b"adversarial" not in given
