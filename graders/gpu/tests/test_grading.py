"""How trainings become a grade: on made-up programs, whose speed and result a test decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from graders.gpu import grading, playing
from graders.gpu.playing import PRACTICE, NoCardNow, device_for
from graders.gpu.tests.trainees import StageBackend, crasher, trainee
from graders.kinds import grade, grader_of, run_public
from sandbox import SandboxUnavailable
from sandbox.gpu import NotNow
from sandbox.gpu.lending import Cards
from scenarios.packs import load_pack

PACK = "gpu/low-utilisation"
NAIVE, BEST = 4.0, 0.5
CARD = {
    "gpus": [
        {
            "name": "Test Card",
            "series": [(100.0 + n / 10, 20.0, 300.0, 900, 1000.0 + 30 * n) for n in range(60)],
        }
    ]
}


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The anchors' sources name made-up programs too."""

    def named(name: str) -> Any:
        return lambda _pack, _level: {"train.py": name.encode()}

    for module in (grading, playing):
        monkeypatch.setattr(module, "shipped", named("naive"))
        monkeypatch.setattr(module, "reference", named("best"))
    monkeypatch.setattr(playing, "_REMEMBERED", {})


def stage(answer: Any, **more: Any) -> StageBackend:
    known = {"naive": trainee(NAIVE), "best": trainee(BEST), "answer": answer}
    return StageBackend(known, **more)


def graded(answer: Any, hidden: int = 2, **more: Any) -> dict[str, Any]:
    backend = stage(answer, **more)
    return grade(PACK, "mid", 3, {"train.py": "answer"}, backend, hidden).to_dict()


def score(report: Mapping[str, Any]) -> float:
    (measure,) = report["measures"]
    found: float = measure["score"]
    return found


def test_speed_lies_between_the_shipped_program_and_the_reference() -> None:
    assert score(graded(trainee(NAIVE))) == 0.0
    assert score(graded(trainee(BEST))) == 1.0
    assert score(graded(trainee(BEST / 2))) > 1
    rate = {seconds: 1 / seconds for seconds in (NAIVE, BEST, 1.0)}
    wanted = (rate[1.0] - rate[NAIVE]) / (rate[BEST] - rate[NAIVE])
    assert score(graded(trainee(1.0))) == pytest.approx(wanted, abs=1e-3)


def test_training_that_computes_something_else_is_worth_nothing() -> None:
    for wrong in (trainee(0.01, off=0.02), trainee(0.01, probe_off=0.02)):
        report = graded(wrong)
        assert report["status"] == "done"
        assert report["score"] == 0.0
        assert score(report) < 0
        assert "2 of them count as nothing" in report["detail"]
        assert [row["matches"] for row in report["evidence"][:2]] == [False, False]


def test_evidence_names_the_first_step_that_is_off() -> None:
    row = graded(trainee(0.01, off=0.02))["evidence"][0]
    assert row["first_step_off"] == 0
    assert row["replay"]["marks"] == [{"t": 0, "kind": "rule", "text": "The curves part here."}]
    assert "the loss of step 0" in row["detail"]
    curves = {series["key"]: series["values"] for series in row["replay"]["series"]}
    assert curves["loss"][5] == pytest.approx(curves["wanted"][5] * 1.02, abs=1e-4)


def test_program_that_never_finishes_is_not_measured() -> None:
    report = graded(crasher)
    assert (report["status"], report["score"], report["measures"]) == ("candidate_error", None, [])
    assert "ZeroDivisionError" in report["detail"]


def test_training_that_failed_counts_as_nothing_beside_others() -> None:
    ran = iter([True] * 5 + [False])

    def now_and_then(*given: Any) -> None:
        (trainee(0.4) if next(ran, False) else crasher)(*given)

    report = graded(now_and_then)
    assert report["status"] == "done"
    assert [row["status"] for row in report["evidence"][:2]] == ["ok", "candidate_error"]
    assert report["evidence"][1]["measures"][0]["value"] == 0.0


def test_quick_trainings_are_run_in_turn_and_the_fastest_counts() -> None:
    times = iter([0.9, 0.5, 0.7, 0.6, 0.8])

    def uneven(*given: Any) -> None:
        trainee(next(times))(*given)

    backend = stage(uneven)
    report = grade(PACK, "mid", 3, {"train.py": "answer"}, backend, 1).to_dict()
    assert backend.seen == ["naive", *["answer", "best"] * 5]
    assert report["evidence"][0]["seconds"] == {"answer": 0.5, "naive": NAIVE, "reference": BEST}


def test_one_wrong_run_among_right_ones_decides() -> None:
    right = trainee(0.5)
    runs = iter([right, trainee(0.1, off=0.05), right, right, right])

    def sometimes(*given: Any) -> None:
        next(runs)(*given)

    assert graded(sometimes, hidden=1)["score"] == 0.0


def test_failing_sandbox_says_nothing_about_the_answer() -> None:
    report = graded(trainee(1.0), status="sandbox_error")
    assert report["status"] == "infrastructure_error"
    assert "not at fault" in report["detail"]
    assert report["score"] is None


def test_reference_that_does_not_match_is_our_failure() -> None:
    backend = stage(trainee(1.0))
    backend.programs["best"] = trainee(BEST, off=0.05)
    report = grade(PACK, "mid", 3, {"train.py": "answer"}, backend, 1).to_dict()
    assert report["status"] == "infrastructure_error"
    assert "does not match" in report["detail"]


def test_practice_is_marked_on_everything() -> None:
    report = graded(trainee(1.0))
    assert report["marks"] == [PRACTICE]
    assert {row["device"] for row in report["evidence"][:2]} == {PRACTICE}
    assert [row["key"] for row in report["measures"]] == ["samples_per_s"]
    run = run_public(PACK, "mid", 3, {"train.py": "answer"}, stage(trainee(1.0)))
    assert run.marks == [PRACTICE]


class WithCards(StageBackend):
    cards: Any = None


class StandIn(Cards):
    """Cards that are there and are not asked."""

    def __init__(self, trouble: str = "", packages: bool = True) -> None:
        self._trouble, self._packages = trouble, packages
        self.refusal: NotNow | None = None

    @property
    def has_packages(self) -> bool:
        return self._packages

    def obstacle(self) -> str:
        return self._trouble

    @contextmanager
    def held(self, count: int = 1, purpose: str = "") -> Iterator[NotNow | None]:
        yield self.refusal


def on_card(answer: Any, device: Mapping[str, Any] = CARD) -> WithCards:
    backend = WithCards(
        {"naive": trainee(NAIVE), "best": trainee(BEST), "answer": answer},
        outcome={"device": dict(device)},
    )
    backend.cards = StandIn()
    return backend


def test_device_is_a_card_only_where_one_can_be_lent_and_used() -> None:
    backend = on_card(trainee(1.0))
    assert device_for(backend) == "cuda"
    backend.cards = StandIn("Every GPU of this host is out of service.")
    assert device_for(backend) == "cpu"
    backend.cards = StandIn(packages=False)
    assert device_for(backend) == "cpu"
    assert device_for(stage(trainee(1.0))) == "cpu"


def test_card_adds_utilisation_and_energy_of_the_training_alone() -> None:
    backend = on_card(trainee(1.0))
    report = grade(PACK, "mid", 3, {"train.py": "answer"}, backend, 1).to_dict()
    found = {row["key"]: row for row in report["measures"]}
    plan_samples = found["samples_per_s"]["value"] * 1.0
    assert found["utilisation"]["value"] == 20.0
    assert found["millijoule_per_sample"]["value"] == pytest.approx(
        300_000 / plan_samples, rel=0.01
    )
    assert report["marks"] == []
    assert report["evidence"][0]["device"] == "Test Card"
    assert all(spec.gpus == 1 for spec in backend.specs)


def test_wrong_training_on_a_card_saves_nothing() -> None:
    backend = on_card(trainee(0.01, off=0.05))
    report = grade(PACK, "mid", 3, {"train.py": "answer"}, backend, 1).to_dict()
    assert report["score"] == 0.0
    assert all(row["score"] <= 0 for row in report["measures"])


def test_waiting_for_a_card_is_no_result_at_all() -> None:
    backend = on_card(trainee(1.0), {"waiting": True})
    backend.status = "sandbox_error"
    with pytest.raises(NoCardNow) as caught:
        run_public(PACK, "mid", 3, {"train.py": "answer"}, backend)
    assert isinstance(caught.value, SandboxUnavailable)


@pytest.mark.parametrize("hopeful", [True, False])
def test_card_that_is_lent_out_is_waited_for_before_anything_is_tried(hopeful: bool) -> None:
    backend = on_card(trainee(1.0))
    backend.cards.refusal = NotNow("0 of 1 GPUs are free.", hopeful)
    with pytest.raises(SandboxUnavailable) as caught:
        grade(PACK, "mid", 3, {"train.py": "answer"}, backend, 1)
    assert isinstance(caught.value, NoCardNow) is hopeful
    assert backend.seen == []


def test_public_anchors_are_measured_once() -> None:
    backend = stage(trainee(1.0))
    for _ in range(2):
        run_public(PACK, "mid", 3, {"train.py": "answer"}, backend)
    assert backend.seen == ["naive", *["best"] * 5, "answer", "answer"]


def test_public_run_shows_both_curves_and_one_sentence() -> None:
    run = run_public(PACK, "mid", 3, {"train.py": "answer"}, stage(trainee(1.0))).to_dict()
    assert run["status"] == "ok"
    assert run["detail"].startswith("Trained in 1.00 s of processor time:")
    assert "match the shipped program's" in run["detail"]
    assert run["timeline"]["axis"] == "step"
    assert len(run["timeline"]["series"]) == 2
    assert 0 < run["score"] < 1


def test_unmatched_public_run_tells_where_the_curves_part() -> None:
    run = run_public(PACK, "mid", 3, {"train.py": "answer"}, stage(trainee(1.0, off=0.05)))
    assert "It computes something else: the loss of step 0" in run.detail


def test_read_only_files_are_ours_and_the_rest_of_one_file_is_as_shipped() -> None:
    pack = load_pack(PACK)
    files = playing.program(pack, "senior", {"train.py": "mine", "task.py": "not mine"})
    assert files["task.py"].decode() == pack.template("senior")["task.py"]
    assert "loader.py" not in files
    alone = playing.program(pack, "senior", {"train.py": "mine"})
    assert alone["loader.py"].decode() == pack.template("senior")["loader.py"]


def test_answer_without_its_entry_is_not_run() -> None:
    report = grade(PACK, "mid", 3, {"other.py": "x"}, stage(trainee(1.0)), 1)
    assert (report.status, report.evidence) == ("candidate_error", [])
    assert "train.py" in report.detail


def test_same_grading_gives_the_same_bytes_where_the_clock_does() -> None:
    assert graded(trainee(1.0)) == graded(trainee(1.0))


def test_grader_serves_its_kind() -> None:
    assert grader_of(PACK) is grading.KIND
