"""The shipped question bank (requirements Q1 to Q27, A1 to A6): content, versions, export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from library.bank import (
    FOLDER,
    BankProblem,
    ShippedQuestion,
    load_questions,
    read_file,
    shipped_questions,
)
from library.management.commands import export_questions
from library.models import Question, Seniority
from scenarios.kinds import KINDS

ROOT = Path(__file__).resolve().parents[3]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOPICS = {f"Q{n}" for n in range(1, 28)} | {f"A{n}" for n in range(1, 7)}
KEYS = {
    "topic_id",
    "topic",
    "section",
    "optional",
    "question",
    "level",
    "tags",
    "related_exercise",
    "expected_points",
    "follow_ups",
    "follow_up_answers",
    "weak_answers",
    "red_flags",
    "hints",
    "discussion_points",
    "key",
}
LISTS = (
    "expected_points",
    "follow_ups",
    "follow_up_answers",
    "weak_answers",
    "red_flags",
    "hints",
    "discussion_points",
    "tags",
)

# What each row of the requirements names, separated by "; ", as it stands in the expected points.
NAMED = {
    "Q1": "cluster autoscaler; hpa; vpa; trade-off; spot; preemptible; priorityclass; preemption; "
    "cpu pools; maintenance; scale-down-disabled; burst workloads",
    "Q2": "on-demand plus spot; bin packing; fragmentation; mig; nvidia-smi; dcgm; "
    "prometheus/grafana; idle gpus; high-value before low-value; buy more versus schedule better",
    "Q3": "driver level; profiles; gpu operator; device-plugin strategy; memory fit; "
    "slice versus whole; single; mixed; scheduling effect; isolation; below kubernetes; "
    "within kubernetes; inference",
    "Q4": "affinity; anti-affinity; topology manager; numa alignment; nvlink versus pcie; rdma; "
    "infiniband; dedicated interconnect; ddp; mirroredstrategy; nsys; nvidia-smi topo",
    "Q5": "node-pool scaling; adding pools; driver upgrade; cuda; replica and image; "
    "volume expansion; without downtime; rebuild is forced; terraform apply",
    "Q6": "control plane; private clusters; interconnect; infiniband; ethernet; service mesh; "
    "pod ip; load balancing; ingress; diagnosis",
    "Q7": "gpu utilisation; framebuffer; cpu starvation; inter-gpu latency; disk and pvc; "
    "memory fragmentation; cpu/gpu correlation; gpu/interconnect correlation; "
    "predicting gpu failure",
    "Q8": "device plugin; nvidia.com/gpu; kubelet registration; selectors; affinity; taints; "
    "no over-allocation; two pods ask for one gpu; fair sharing",
    "Q9": "process check; cpu-bound data loading; batch size; profilers; cpu-bound shows; "
    "gpu-bound shows",
    "Q10": "dcgm; prometheus; grafana; together; nvidia-smi; memory leaks; alerting",
    "Q11": "resource quotas; priority and preemption; fair-share; one team taking everything; "
    "limits per namespace",
    "Q12": "data stage; training stage; validation stage; deployment stage; ordinary ci/cd; "
    "testing a model before deployment; pipelines/tracking tools; model versions; rollback; "
    "retraining",
    "Q13": "loader workers; file formats; tfrecord; parquet; nfs; parallel file systems; "
    "effect of slow storage on training speed; network-related slowness",
    "Q14": "terraform; cloudformation; pulumi; vendor clis; trade-offs; state; drift; "
    "cluster stability",
    "Q15": "observe; sacct; prometheus; tail effects; last node; isolate; over-requesting; "
    "poor backfill; crashes; optimise; validate; above 70 %; queue time; sprint",
    "Q16": "situation; task; action; result; technical limits; business impact",
    "Q17": "clusterqueue; nominal quota; cohort; borrow; 40 %; 60 %; hierarchical fair-share tree; "
    "idle quota is redistributed; 7-day; decay; starvation",
    "Q18": "preemption reasons; capacity; price; mean spot lifetime; checkpoint frequency; 70/30; "
    "resourceflavors; from 15 to 2 minutes; sharded; smaller; "
    "saves gpu memory by recomputing; does not change the size of a checkpoint",
    "Q19": "indivisible; node-level packing; right-sizing; before asking for more",
    "Q20": "100 gpu-hours; 24 h; sla tiers; best effort; scheduler settings; teaching engineers",
    "Q21": "mig; vgpu; time slicing; cgroups v2; isolat",
    "Q22": "slurm; kueue; volcano; vendor cluster managers; fits",
    "Q23": "kubecost; cost explorer; dcgm exporter; nsight",
    "Q24": "framework checkpointers; elastic launchers; sidecars; other workloads; recovery proof",
    "Q25": "federation; cost rule; data movement; one interface; one place for logs",
    "Q26": "pcie; nvlink; vram; drivers; containers; reading nvidia-smi",
    "Q27": "instance families; on-demand/spot/reserved; networks and subnets; ddp; fsdp; mentoring",
    "A1": "partitioning; workload isolation; policies; idle gpus; rbac; per-tenant usage; hoarding",
    "A2": "burst; preemption; spot; free gpus; cost balance; network/storage impact",
    "A3": "checkpoint/resume; distributed training; data loss; quick diagnosis; less downtime; "
    "rescheduling",
    "A4": "serving stack; batching; precision; cpu inference; on-prem or cloud; "
    "latency/throughput; cold start",
    "A5": "placement; data gravity; identity; network; cost; burst",
    "A6": "scale out or up; bandwidth; storage design; containers; multi-region; "
    "next gpu generation; policies as load grows",
}

SMALL = """\
[[questions]]
topic_id = "Q1"
topic = "Scaling"
section = "Kubernetes"
question = "{question}"
level = "mid"
expected_points = ["One."]
"""

bank = {question.key: question for question in shipped_questions()}
each_topic = pytest.mark.parametrize("topic", sorted(TOPICS))
each_question = pytest.mark.parametrize("key", sorted(bank))


def folder_with(folder: Path, question: str) -> Path:
    (folder / "small.toml").write_text(SMALL.format(question=question))
    return folder


def texts(question: ShippedQuestion) -> list[str]:
    lists = [text for name in LISTS for text in getattr(question, name)]
    return [question.question, question.topic, question.section, *lists]


def run_export(data: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "manage.py", "export_questions", *options],
        env={**os.environ, "HEADNODE_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_bank_holds_every_topic_q1_to_q27_and_a1_to_a6() -> None:
    assert {question.topic_id for question in bank.values()} == TOPICS
    assert set(bank) >= TOPICS


@each_topic
def test_topic_has_two_questions_for_every_level_under_one_title(topic: str) -> None:
    found = [question for question in bank.values() if question.topic_id == topic]
    levels: list[str] = [question.level for question in found]
    assert all(levels.count(level) >= 2 for level in Seniority.values)
    assert len({(question.topic, question.section) for question in found}) == 1


@pytest.mark.parametrize(
    ("topic", "term"),
    [
        ("Q19", "defragment"),
        ("A4", "onnx"),
        ("A4", "tensorflow serving"),
        ("Q13", "ceph"),
        ("Q9", "tensorflow's profiler"),
    ],
)
def test_what_teams_ask_for_by_name_is_there(topic: str, term: str) -> None:
    found = [question for question in bank.values() if question.topic_id == topic]
    assert term in " ".join(text for question in found for text in texts(question)).lower()


@each_topic
def test_expected_points_cover_what_the_requirement_names(topic: str) -> None:
    points = " ".join(bank[topic].expected_points).lower()
    assert [term for term in NAMED[topic].split("; ") if term not in points] == []


@each_question
def test_question_helps_the_interviewer_to_ask_to_judge_and_to_go_on(key: str) -> None:
    question = bank[key]
    assert 5 <= len(question.expected_points) <= 9
    assert len(question.follow_ups) == len(question.follow_up_answers) >= 3
    assert len(question.weak_answers) >= 2
    assert len(question.red_flags) >= 1
    assert len(question.hints) >= 1
    assert question.tags


@each_question
def test_question_names_a_level_and_an_exercise_that_exist(key: str) -> None:
    assert bank[key].level in Seniority.values
    assert bank[key].related_exercise in {*(kind.key for kind in KINDS), ""}


@each_question
def test_question_has_no_empty_or_repeated_text(key: str) -> None:
    written = texts(bank[key])
    assert all(text and text == text.strip() and "\n" not in text for text in written)
    assert len(set(written)) == len(written)


@pytest.mark.parametrize("topic", [f"A{n}" for n in range(1, 7)])
def test_architecture_question_has_points_to_discuss(topic: str) -> None:
    assert len(bank[topic].discussion_points) >= 5
    assert bank[topic].section == "Architecture"


def test_only_the_inference_topic_a4_is_optional() -> None:
    assert {question.topic_id for question in bank.values() if question.optional} == {"A4"}


def test_no_question_is_asked_twice() -> None:
    written = [question.question for question in bank.values()]
    assert len(set(written)) == len(written)


def test_all_levels_and_exercises_have_questions() -> None:
    assert {question.level for question in bank.values()} == set(Seniority.values)
    assert {question.related_exercise for question in bank.values()} >= {kind.key for kind in KINDS}


def test_each_file_is_one_section() -> None:
    sections = [
        {question.section for question in read}
        for read in (read_file(path).questions for path in sorted(FOLDER.glob("*.toml")))
    ]
    assert all(len(names) == 1 for names in sections)
    assert len(set.union(*sections)) == len(sections)


def test_topic_written_twice_is_refused(tmp_path: Path) -> None:
    folder_with(tmp_path, "How?")
    (tmp_path / "twice.toml").write_text(SMALL.format(question="Why?"))
    with pytest.raises(BankProblem, match=r"twice\.toml: Q1"):
        shipped_questions(tmp_path)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ('topic_id = "Q1"', 'topic_id = "first"'),
        ('level = "mid"', 'level = "expert"'),
        ("expected_points", "points"),
        ('section = "Kubernetes"', "section = "),
    ],
)
def test_broken_file_is_named(tmp_path: Path, good: str, bad: str) -> None:
    (tmp_path / "small.toml").write_text(SMALL.replace(good, bad))
    with pytest.raises(BankProblem, match=r"^small\.toml: "):
        shipped_questions(tmp_path)


@pytest.mark.django_db
def test_load_brings_every_topic_in_once() -> None:
    assert load_questions(now=NOON) == len(bank)
    assert load_questions(now=NOON) == 0
    current = Question.objects.filter(shipped=True, replaced_at=None)
    assert set(current.values_list("family", flat=True)) == set(bank)


@pytest.mark.django_db
def test_load_keeps_the_old_version_of_a_changed_text(tmp_path: Path) -> None:
    load_questions(now=NOON, folder=folder_with(tmp_path, "How?"))
    later = NOON.replace(hour=13)
    assert load_questions(now=later, folder=folder_with(tmp_path, "How exactly?")) == 1
    old, new = Question.objects.order_by("version")
    assert (old.text, old.version, old.replaced_at) == ("How?", 1, later)
    assert (new.text, new.version, new.replaced_at) == ("How exactly?", 2, None)


@pytest.mark.django_db
def test_load_leaves_own_questions_alone() -> None:
    mine = own_question()
    load_questions(now=NOON)
    mine.refresh_from_db()
    assert (mine.replaced_at, mine.version) == (None, 1)


def own_question(**fields: Any) -> Question:
    return Question.objects.create(
        topic_id="OWN-1",
        topic="Our racks",
        section="Ours",
        text="Which rack is the warmest?",
        level="junior",
        expected_points=["Rack 4."],
        created_at=NOON,
        **fields,
    )


@pytest.mark.nightly
def test_export_is_the_contract_and_needs_no_database(tmp_path: Path) -> None:
    done = run_export(tmp_path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    exported = json.loads(done.stdout)
    assert all(set(question) == KEYS for question in exported)
    numbers = [question["topic_id"] for question in exported]
    assert list(dict.fromkeys(numbers))[:3] == ["Q1", "Q2", "Q3"]
    assert [one["key"] for one in exported][-1] == "A6"
    assert set(numbers) == TOPICS
    assert not list(tmp_path.glob("*.sqlite3"))


@pytest.mark.nightly
def test_export_of_own_questions_says_plainly_that_the_database_is_missing(tmp_path: Path) -> None:
    done = run_export(tmp_path, "--all")
    assert (done.returncode, done.stdout) == (3, "")
    assert "database" in done.stderr
    assert "Traceback" not in done.stderr


def test_export_without_json_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("export_questions")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["TOPIC", "LEVEL", "SECTION", "ABOUT"]
    assert lines[1].startswith("Q1 ")
    assert lines[-1] == f"{len(bank)} questions."


def test_export_names_a_broken_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text("questions = 4")
    monkeypatch.setattr(export_questions, "shipped_questions", lambda: shipped_questions(tmp_path))
    with pytest.raises(CommandError, match=r"small\.toml") as problem:
        call_command("export_questions")
    assert problem.value.returncode == 2


@pytest.mark.django_db
def test_export_all_adds_own_questions_as_they_are_now(capsys: pytest.CaptureFixture[str]) -> None:
    load_questions(now=NOON)
    own_question()
    own_question(replaced_at=NOON)
    call_command("export_questions", "--json", "--all")
    exported = json.loads(capsys.readouterr().out)
    assert len(exported) == len(bank) + 1
    assert set(exported[-1]) == KEYS
    assert exported[-1]["question"] == "Which rack is the warmest?"


@pytest.mark.django_db
def test_export_without_all_leaves_own_questions_out(capsys: pytest.CaptureFixture[str]) -> None:
    own_question()
    call_command("export_questions", "--json")
    exported = json.loads(capsys.readouterr().out)
    assert {question["topic_id"] for question in exported} == TOPICS
