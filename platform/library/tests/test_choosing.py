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
        values["text"], family = values.pop("question"), values.pop("key")
        rows.append(made(pk=at, shipped=True, family=family, **values))
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
    text = "Slurm, backfill and fair-share, Prometheus and Grafana; some model serving"
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
        tags=["immersion baths"],
        expected_points=["Heat."],
    )
    found = propose(Wish(text="You know immersion baths.", minutes=30), [*bank, own])
    assert [item.question.topic_id for item in found.chosen] == ["OWN1"]
    assert dict(found.words) == {"immersion baths": ["Our immersion tank"]}


def test_nothing_said_is_nothing_proposed(bank: list[Question]) -> None:
    assert propose(Wish(text="A friendly baker wanted."), bank).chosen == []


@given(
    minutes=st.integers(5, 240),
    level=st.sampled_from(["junior", "mid", "senior"]),
    wanted=st.lists(st.sampled_from([key for key, _ in traits()]), max_size=4, unique=True),
    text=st.sampled_from(["", PLATFORM_JOB, CLOUD_JOB]),
)
@pytest.mark.nightly
def test_set_fits_the_time_and_is_always_the_same(
    bank: list[Question], minutes: int, level: str, wanted: list[str], text: str
) -> None:
    wish = Wish(text=text, traits=wanted, level=level, minutes=minutes)
    found = propose(wish, bank)
    assert found.minutes <= minutes
    assert len({item.question.family for item in found.chosen}) == len(found.chosen)
    assert {item.question.level for item in found.chosen} <= {level}
    assert topics(propose(wish, list(reversed(bank)))) == topics(found)


def test_long_text_is_searched_in_little_work() -> None:
    assert find("a " * 200_000 + "slurm", phrases()) == []  # what is past the limit is not read


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("You upgrade drivers without downtime.", "Q5"),
        ("Help us drive down our cloud bill.", "Q2"),
        ("You run GPU workloads on k8s.", "Q8"),
        ("Spend on cloud GPUs is yours to reduce.", "Q2"),
    ],
)
def test_words_count_in_any_order_and_by_what_they_mean(text: str, topic: str) -> None:
    assert topic in {found.topic for found in find(text, phrases()) if found.weight >= 1}


def test_words_of_different_sentences_make_no_phrase() -> None:
    found = find("You own the drivers. Upgrade your career with us.", phrases())
    assert "driver upgrade" not in {one.words.lower() for one in found}
    assert not [one for one in found if one.topic == "Q5" and one.weight > 1]


def test_found_words_are_quoted_as_they_stand() -> None:
    found = find("You will upgrade NVIDIA drivers every quarter.", phrases())
    assert {one.words for one in found if one.topic == "Q5"} == {"upgrade NVIDIA drivers"}


JOBS = {
    "junior": [
        ("Junior HPC operator: Slurm queues, sacct, first-line help for users of A100 nodes.", {"Q15", "Q22"}),
        ("Associate platform engineer. Prometheus, Grafana and on-call for fifty GPU servers.", {"Q10"}),
        ("Trainee cloud engineer: spot instances, cost reports, Terraform.", {"Q2", "Q14", "Q18"}),
        ("Kubernetes operator, entry level: k8s, device plugin, GPU scheduling.", {"Q8"}),
    ],
    "mid": [
        ("GPU platform engineer. You upgrade drivers without downtime on k8s.", {"Q5"}),
        ("FinOps engineer: drive down our cloud bill; Kubecost, chargeback.", {"Q2", "Q23"}),
        ("MLOps engineer: ML pipelines, model registry, retraining, MLflow.", {"Q12"}),
        ("Storage engineer for training: Lustre, Ceph, data loading, Parquet.", {"Q13"}),
    ],
    "senior": [
        ("Principal engineer, LLM training on InfiniBand: NCCL, checkpointing, faults.", {"Q4", "Q24"}),
        ("Architect: multi-tenant GPU platform, RBAC, isolation, quotas for research teams.", {"A1", "Q17"}),
        ("Lead of inference: Triton, vLLM, low latency, model serving.", {"A4"}),
        ("Head of capacity: roadmap, procurement, capacity planning, multi-region growth.", {"A6"}),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("level", "text", "wanted"),
    [(level, *row) for level, rows in JOBS.items() for row in rows],
)
def test_job_descriptions_get_their_own_topics_at_their_own_level(
    bank: list[Question], level: str, text: str, wanted: set[str]
) -> None:
    found = propose(Wish(text=text, level=level, minutes=60), bank)
    assert wanted <= set(topics(found))
    assert {item.question.level for item in found.chosen} == {level}
    assert all("“" in item.why for item in found.chosen)


def test_name_of_a_card_does_not_bring_mig_in_kubernetes(bank: list[Question]) -> None:
    for level in ("junior", "mid", "senior"):
        found = propose(Wish(text="Slurm on A100 and H100 nodes.", level=level, minutes=90), bank)
        assert "Q3" not in topics(found)
        assert {"Q22", "Q15"} & set(topics(found))


def test_what_is_only_hinted_at_waits_for_what_is_named(bank: list[Question]) -> None:
    wish = Wish(text="Prometheus, Grafana; some on-call.", level="junior", minutes=60)
    found = propose(wish, bank)
    assert "A2" not in topics(found)
    assert "A2" in {item.question.topic_id for item in found.left_out}
    alone = propose(Wish(text="Some on-call.", level="junior", minutes=60), bank)
    assert "A2" in topics(alone)


def test_of_two_that_fit_alike_the_less_asked_comes_first(bank: list[Question]) -> None:
    pair = [row for row in bank if (row.topic_id, row.level) == ("Q22", "junior")]
    wish = Wish(text="Slurm", level="junior", minutes=6)
    for asked in pair:
        for row in pair:
            row.times_asked = 3 if row is asked else 0  # type: ignore[attr-defined]
        assert [item.question for item in propose(wish, pair).chosen] != [asked]


def test_other_levels_come_only_where_they_are_asked_for(bank: list[Question]) -> None:
    wish = Wish(text="Slurm and backfill", level="junior", minutes=60, other_levels=True)
    found = propose(wish, bank)
    assert len({item.question.level for item in found.chosen}) > 1
    assert found.chosen[0].question.level == "junior"
