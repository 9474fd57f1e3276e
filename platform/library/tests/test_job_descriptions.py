"""Job descriptions as companies write them, twelve for each level, and what is proposed for them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from library.choosing import Wish, propose
from library.models import Question, Seniority
from library.tests.test_choosing import bank
from library.vocabulary import find, level_of, phrases

__all__ = ["bank"]
# Text -> topics that it asks for, each with words of the text that have to be named as the reason.
JOBS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "junior": [
        (
            """\
Operations technician, research computing (m/f/d), first job welcome. You look after the batch system of
our university: people's jobs do not start, a node is drained, somebody's home is full. You answer
tickets, read logs, reboot what needs it and write it down. You know Linux and bash; Python is a plus.
We teach you Slurm and how a graphics card is watched.""",
            {"Q15": "jobs do not start", "Q22": "batch system"},
        ),
        (
            """\
Graduate site reliability engineer. You join the rota that carries the pager for two hundred GPU
servers, tidy noisy alerts and build Grafana boards, and learn from every post-mortem. PromQL, Linux,
some Go or Python. You ask early and write clearly.""",
            {"Q10": "PromQL", "Q26": "GPU servers", "Q20": "site reliability"},
        ),
        (
            """\
Associate cloud engineer. You keep our Terraform tidy, tag resources so that finance can read the
invoice, switch off what nobody uses and learn how spot capacity and autoscaling groups work on AWS.""",
            {"Q14": "Terraform", "Q18": "spot", "Q23": "tag resources"},
        ),
        (
            """\
Junior ML infrastructure engineer: help data scientists get their notebooks and PyTorch jobs onto our
Kubernetes cluster, build container images with CUDA, set requests and limits for GPUs, and find out why
a pod is pending.""",
            {"Q8": "pod is pending", "Q9": "PyTorch"},
        ),
    ],
    "mid": [
        (
            """\
HPC systems engineer. You run a 120-node cluster with Slurm: partitions, fair-share, backfill, QOS and
preemption for five institutes who all think that they come first. You plan maintenance windows, roll
firmware and CUDA drivers through the fleet while jobs go on, and you have chased an XID error or a
failing NVLink to its end.""",
            {
                "Q15": "backfill",
                "Q5": "roll firmware and CUDA drivers",
                "Q17": "fair-share",
                "Q26": "XID",
            },
        ),
        (
            """\
FinOps engineer, AI platform. Our GPU spend doubled. You find out who uses what, introduce showback,
decide what goes on reservations, what on spot with checkpoints and what stays on premises, and bring
utilisation from 38 % to 70 %.""",
            {"Q2": "spend", "Q23": "showback", "Q18": "spot", "Q15": "utilisation"},
        ),
        (
            """\
MLOps engineer. You own the path from a commit to a model in production: CI for training code,
experiment tracking, a model registry, scheduled retraining with Airflow, canary releases and a way back
when the new model is worse.""",
            {"Q12": "model registry"},
        ),
        (
            """\
Platform engineer, Kubernetes for AI. GPU operator, Kueue, MIG for the inference teams, Karpenter for
bursts to the cloud. You write controllers in Go or Python and review other people's Helm charts.""",
            {"Q3": "MIG", "Q1": "Karpenter", "Q22": "Kueue", "Q25": "bursts to the cloud"},
        ),
    ],
    "senior": [
        (
            """\
Staff engineer, distributed training. You make thousand-GPU runs go through: NCCL hangs, stragglers,
RDMA over InfiniBand, tensor and pipeline parallelism with Megatron or DeepSpeed, checkpoints that cost
minutes rather than hours, and restarts that nobody notices.""",
            {"Q4": "NCCL", "Q6": "RDMA", "Q24": "checkpoints"},
        ),
        (
            """\
Lead engineer, inference platform. Low-latency serving of large language models with vLLM and Triton,
batching, KV cache, autoscaling on queue depth, cost per token. You set service level objectives with
the product teams.""",
            {"Q2": "cost per token", "Q20": "service level", "Q1": "autoscaling"},
        ),
        (
            """\
Principal architect, sovereign AI cloud. You design a multi-tenant GPU cluster for ministries: isolation
of tenants, identity and RBAC, encrypted storage, audit, quotas and chargeback, disaster recovery
between two sites.""",
            {"A1": "multi-tenant", "Q11": "quotas", "Q23": "chargeback"},
        ),
        (
            """\
Head of AI infrastructure. You plan capacity for three years, negotiate with vendors, decide between
H200 and B200, colocation and cloud, explain to the board what a delay costs, and build a team of eight.""",
            {"A6": "plan capacity", "Q16": "negotiate"},
        ),
    ],
}
MORE = tomllib.loads(Path(__file__).with_name("job_descriptions.toml").read_text())["jobs"]
ALL = [(level, *row) for level, rows in JOBS.items() for row in rows]
ALL += [(job["level"], job["text"], job["topics"]) for job in MORE]


@pytest.mark.parametrize(("level", "text", "wanted"), ALL)
def test_each_gets_its_own_topics_at_its_own_level_and_says_by_which_words(
    bank: list[Question], level: str, text: str, wanted: dict[str, str]
) -> None:
    found = propose(Wish(text=text, level=level, minutes=60), bank)
    reasons = {item.question.topic_id: item.why for item in found.chosen}
    assert {item.question.level for item in found.chosen} == {level}
    for topic, words in wanted.items():
        assert f"“{words}”" in reasons.get(topic, ""), (topic, reasons)
    for item in found.chosen:
        assert item.why.startswith("text: “")
    for words, _ in found.words:
        assert words in " ".join(text.lower().split())


@pytest.mark.parametrize(("level", "text", "wanted"), ALL)
def test_questions_of_another_level_come_where_they_are_asked_for(
    bank: list[Question], level: str, text: str, wanted: dict[str, str]
) -> None:
    found = propose(Wish(text=text, level=level, minutes=300, other_levels=True), bank)
    assert {item.question.level for item in found.chosen} > {level}
    assert wanted.keys() <= {item.question.topic_id for item in found.chosen}


def test_one_text_for_three_levels_gives_three_sets(bank: list[Question]) -> None:
    text = JOBS["mid"][0][0]
    sets = [
        {q.question.family for q in propose(Wish(text=text, level=level, minutes=60), bank).chosen}
        for level in Seniority.values
    ]
    assert not set.intersection(*sets)


@pytest.mark.parametrize(
    "text",
    [
        "Hybrid working, two days at home.",
        "We offer a learning budget and room for growth.",
        "You spot problems before others do.",
        "Billions of people see what you build.",
        "Relocation costs are ours, and you will spend your first month in Oslo.",
        "Be mentored by people who like to teach; a network of professional networks.",
    ],
)
def test_what_every_advertisement_says_names_no_topic(text: str) -> None:
    assert not [one for one in find(text, phrases()) if one.weight > 1]


def test_what_is_named_is_found_beside_it() -> None:
    text = "Hybrid working; a hybrid cloud on your own budget, with spot instances; spot a fault early."
    assert {"A5", "Q2", "Q18"} <= {one.topic for one in find(text, phrases()) if one.weight > 1}


def test_names_are_found_in_their_own_order(bank: list[Question]) -> None:
    text = "NOC operator, GPU cloud: you watch Alertmanager."
    assert "Q3" not in {one.topic for one in find(text, phrases())}
    assert "Q3" in {one.topic for one in find("You run the NVIDIA GPU operator.", phrases())}


def test_an_inference_engineer_is_asked_about_inference(bank: list[Question]) -> None:
    """What waits for time to spare in other sets is what this job is about."""
    text = next(job["text"] for job in MORE if "40 million requests" in job["text"])
    found = propose(Wish(text=text, level="mid", minutes=45), bank)
    assert found.chosen[0].question.topic_id == "A4"
    assert len({item.question.topic_id for item in found.chosen}) > 1


def test_several_faint_words_are_no_name(bank: list[Question]) -> None:
    text = "Prometheus is yours. Vendors visit us, and the hall needs cooling."
    found = propose(Wish(text=text, level="junior", minutes=60), bank)
    assert {item.question.topic_id for item in found.chosen} == {"Q10"}


@pytest.mark.parametrize(
    ("title", "level"),
    [
        ("Junior HPC Support Engineer", "junior"),
        ("Head of Inference", "senior"),
        ("We are looking for a Staff Engineer", "senior"),
        ("GPU platform engineer", ""),
        ("Senior or junior engineer", ""),
        ("HPC engineer. " + "You run Slurm. " * 9 + "A senior colleague reviews.", ""),
    ],
)
def test_a_title_tells_the_level(title: str, level: str) -> None:
    assert level_of(title)[0] == level
