"""Questions for a job description, for traits and for what came out weak."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library.bank import shipped_questions
from library.choosing import Weakness, Wish, propose
from library.models import Criterion, Question
from library.vocabulary import find, pattern_of, phrases, read_vocabulary, traits

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PLATFORM_JOB = """\
GPU Platform Engineer. You will run our Slurm cluster of 64 DGX nodes on InfiniBand, keep the
fair-share rules honest, and cut queue times. You know NCCL and NVLink and have debugged
distributed training. Prometheus and Grafana are your eyes; Terraform is how you change things."""
CLOUD_JOB = """\
Cloud cost engineer (FinOps). Spot instances, reserved instances and Kubecost; you run training on
AWS and GCP with Kubernetes and Karpenter, and you can explain the bill to stakeholders."""


def made(**values: Any) -> Question:
    return Question(created_at=NOW, **values)


@pytest.fixture(scope="module")
def bank() -> list[Question]:
    rows = []
    for at, question in enumerate(shipped_questions(), 1):
        values = {name: getattr(question, name) for name in question.__struct_fields__}
        values["text"] = values.pop("question")
        rows.append(made(pk=at, shipped=True, family=question.topic_id, **values))
    return rows


def topics(proposal: Any) -> list[str]:
    return [item.question.topic_id for item in proposal.chosen]


def test_every_topic_has_words_and_every_list_names_topics(bank: list[Question]) -> None:
    known = {question.topic_id for question in bank}
    data = read_vocabulary()
    assert set(data["topics"]) == known
    for group in (
        *(row["topics"] for row in data["traits"].values()),
        *data["dimensions"].values(),
    ):
        assert set(group) <= known
    weights = {w for words in data["topics"].values() for w in words.values()}
    assert weights <= {1, 2, 3}


def test_every_dimension_of_a_rubric_leads_to_questions() -> None:
    assert set(read_vocabulary()["dimensions"]) == set(Criterion.Dimension.values)


def test_every_word_of_the_vocabulary_is_found_as_it_is_written() -> None:
    assert [p.written for p in phrases() if not p.pattern.search(p.written.rstrip("*"))] == []


@pytest.mark.parametrize(
    ("written", "text", "found"),
    [
        ("ci cd", "our CI/CD pipelines", True),
        ("fair share", "Fair-share rules", True),
        ("mig", "we migrate to the cloud", False),
        ("spot", "spotless racks", False),
        ("slo", "slow storage", False),
        ("slo", "SLOs for compute", True),
        ("autoscal*", "Autoscaling groups", True),
        ("run ai", "Run:ai", True),
        ("service level", "service\nlevels", True),
    ],
)
def test_words_are_whole_words(written: str, text: str, found: bool) -> None:
    assert bool(pattern_of(written).search(text)) is found


def test_platform_job_is_asked_about_its_own_work(bank: list[Question]) -> None:
    found = propose(Wish(text=PLATFORM_JOB, level="senior", minutes=60), bank)
    assert {"Q4", "Q6", "Q15"} <= set(topics(found))
    assert "Q12" not in topics(found)
    assert found.minutes <= 60
    words = dict(found.words)
    assert "Fair-share with decay for competing teams" in words["fair-share"]
    assert "Networks in a GPU cluster" in words["infiniband"]


def test_cloud_job_gets_another_set(bank: list[Question]) -> None:
    found = topics(propose(Wish(text=CLOUD_JOB, level="mid", minutes=45), bank))
    assert {"Q23", "Q27"} <= set(found)
    assert "Q22" not in found


def test_each_question_says_why(bank: list[Question]) -> None:
    wish = Wish(text="Slurm", traits=["cost"], level="senior", minutes=60)
    found = {item.question.topic_id: item.why for item in propose(wish, bank).chosen}
    assert found["Q22"] == "text: “Slurm”"
    assert found["Q2"] == "trait: thinks of what it costs"


def test_optional_topic_comes_only_with_time_to_spare(bank: list[Question]) -> None:
    text = "vLLM, Triton and model serving; some Slurm and Prometheus"
    short = propose(Wish(text=text, level="senior", minutes=30), bank)
    assert "A4" not in topics(short)
    assert "A4" in {item.question.topic_id for item in short.left_out}
    assert topics(propose(Wish(text=text, level="senior", minutes=240), bank))[-1] == "A4"


def test_weak_criteria_lead_to_their_questions(bank: list[Question]) -> None:
    weak = [Weakness("Evidence before action", "method", 1.5)]
    wish = Wish(weaknesses=weak, exercise="troubleshooting", level="senior", minutes=20)
    found = propose(wish, bank).chosen
    assert found[0].question.topic_id == "Q15"
    assert found[0].why == "Evidence before action was rated 1.5 of 5"


def test_own_question_is_found_by_its_tags(bank: list[Question]) -> None:
    own = made(
        pk=900,
        topic_id="OWN1",
        topic="Our immersion tank",
        section="Ours",
        text="Why oil?",
        level="mid",
        tags=["immersion cooling"],
        expected_points=["Heat."],
    )
    found = propose(Wish(text="You know immersion cooling.", minutes=30), [*bank, own])
    assert [item.question.topic_id for item in found.chosen] == ["OWN1"]
    assert dict(found.words) == {"immersion cooling": ["Our immersion tank"]}


def test_nothing_said_is_nothing_proposed(bank: list[Question]) -> None:
    assert propose(Wish(text="A friendly baker wanted."), bank).chosen == []


@given(
    minutes=st.integers(5, 240),
    level=st.sampled_from(["junior", "mid", "senior"]),
    wanted=st.lists(st.sampled_from([key for key, _ in traits()]), max_size=4, unique=True),
    text=st.sampled_from(["", PLATFORM_JOB, CLOUD_JOB]),
)
def test_set_fits_the_time_and_is_always_the_same(
    bank: list[Question], minutes: int, level: str, wanted: list[str], text: str
) -> None:
    wish = Wish(text=text, traits=wanted, level=level, minutes=minutes)
    found = propose(wish, bank)
    assert found.minutes <= minutes
    assert len(set(topics(found))) == len(topics(found))
    assert topics(propose(wish, list(reversed(bank)))) == topics(found)


def test_long_text_is_searched_in_little_work() -> None:
    assert find("a " * 200_000 + "slurm", phrases()) == []  # what is past the limit is not read
