"""Questions about an own answer: right by construction, no gift to a guess, none that it answers itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.automation.constants import constants_of, with_changed
from graders.automation.moments import masked, stretches_of
from graders.automation.own_work import questions_about
from graders.automation.trusted import in_process
from graders.cost.makers import write_golden as bill_of
from graders.kinds import Asked
from graders.own_work import (
    CHOICE,
    LEAST,
    MOST_CHANCE,
    NEAR,
    NUMBER,
    OPEN,
    RIGHT,
    WANTED,
    WRONG,
    Own,
    Question,
    asker_of,
    chance,
    choice,
    is_blank,
    is_given_away,
    is_good,
    judge,
    number_in,
    question_from,
    questions_of,
)
from graders.scaling.makers import write_golden as plan_of
from graders.troubleshooting.makers import write_golden as board_of
from graders.workloads import public_workload
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

SEED = 5
WRITTEN = {
    "cost/fleet-bill": (bill_of, ("expert", "solid", "silent")),
    "scaling-plan/growth-year": (plan_of, ("expert", "solid", "silent")),
    "troubleshooting/slow-training": (board_of, ("expert", "competent", "silent")),
}
ONE = Question(
    "k", "t", "Which?", CHOICE, "2", "", (("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")), ("3",)
)
HOURS = Question("n", "t", "How many?", NUMBER, 40.0, "", unit="hours")


def own(pack: str, level: str, files: Mapping[str, str], prose: str = "") -> Own:
    return Own(Asked(load_pack(pack), level, SEED, files), prose)


@pytest.mark.parametrize(
    ("question", "said", "verdict"),
    [
        (ONE, "2", RIGHT),
        (ONE, "3", NEAR),
        (ONE, "4", WRONG),
        (ONE, "", OPEN),
        (ONE, None, OPEN),
        (ONE, "<b>", WRONG),
        (HOURS, "40", RIGHT),
        (HOURS, "43.9 h", RIGHT),
        (HOURS, "49", NEAR),
        (HOURS, "4", WRONG),
        (HOURS, "forty", OPEN),
        (HOURS, True, OPEN),
    ],
)
def test_an_answer_is_judged(question: Question, said: object, verdict: str) -> None:
    assert judge(question, said) == verdict


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,240", 1240.0),
        ("1 240 USD", 1240.0),
        ("12'000", 12000.0),
        (" 3.5 hours", 3.5),
        ("x", None),
    ],
)
def test_numbers_are_read_as_people_type_them(text: str, number: float | None) -> None:
    assert number_in(text) == number


@given(st.text(max_size=40))
def test_whatever_is_typed_has_a_verdict(text: str) -> None:
    for question in (ONE, HOURS):
        assert judge(question, text) in (RIGHT, NEAR, WRONG, OPEN)


def test_what_the_answer_says_itself_is_not_asked() -> None:
    assert is_given_away(HOURS, "It took 40.0 hours longer.")
    assert not is_given_away(HOURS, "It took 140 hours, or 44.")
    words = Question("k", "t", "?", CHOICE, "1", "", (("1", "node n7"), ("2", "node n8")))
    assert is_given_away(words, "The fault is on node n7.")
    assert not is_given_away(words, "Node n7 and node n8 differ.")
    assert not is_given_away(words, "Some node.")


def test_four_options_or_no_question() -> None:
    one = own("cost/fleet-bill", "junior", {"answer.json": "{}"})
    assert choice(one, "k", "t", "?", "a", ["b", "c"], "") is None
    assert choice(one, "k", "t", "?", "a", ["b", "c", "a", "b"], "") is None
    made = choice(one, "k", "t", "?", "a", ["b", "c", "d", "e"], "")
    assert made is not None
    assert dict(made.options)[str(made.right)] == "a"
    assert made == choice(one, "k", "t", "?", "a", ["b", "c", "d", "e"], "")


def test_right_stands_in_any_place() -> None:
    places = set()
    for number in range(40):
        one = own("cost/fleet-bill", "junior", {"answer.json": f"{{{number}"})
        made = choice(one, "k", "t", "?", "a", ["b", "c", "d"], "")
        assert made is not None
        places.add(made.right)
    assert places == {"1", "2", "3", "4"}


def sound(questions: list[Question], prose: str) -> None:
    assert len(questions) == 0 or LEAST <= len(questions) <= WANTED
    assert len({one.key for one in questions}) == len(questions)
    for one in questions:
        assert chance(one) <= MOST_CHANCE
        assert is_good(one, prose)
        assert one.reckoning
        right = one.right if one.form == NUMBER else str(one.right)
        assert judge(one, right) == RIGHT
        assert sum(judge(one, key) == RIGHT for key, _ in one.options) == (one.form != NUMBER)
        assert question_from(json.loads(json.dumps(one.to_dict()))) == one
        told = one.asked()
        assert not {"right", "near", "reckoning", "topic"} & set(told)


def cases() -> Iterator[tuple[str, str, str]]:
    for pack, (_, names) in WRITTEN.items():
        for level in ("junior", "mid", "senior"):
            yield from ((pack, level, name) for name in names)


@pytest.mark.by_day(
    "pack,level,golden",
    [
        ("cost/fleet-bill", "mid", "solid"),
        ("cost/fleet-bill", "mid", "silent"),
        ("scaling-plan/growth-year", "junior", "solid"),
        ("troubleshooting/slow-training", "mid", "expert"),
        ("troubleshooting/slow-training", "mid", "competent"),
    ],
)  # each kind once with rows and one answer of which nothing can be asked
@pytest.mark.parametrize(("pack", "level", "golden"), list(cases()))
def test_questions_about_written_goldens(pack: str, level: str, golden: str) -> None:
    files = WRITTEN[pack][0](load_pack(pack), level, golden, SEED)
    prose = "\n".join(files.values())
    found = questions_of(own(pack, level, files, prose))
    sound(found, prose)
    assert found == questions_of(own(pack, level, files, prose))
    if golden == "silent":
        assert found == []


@pytest.mark.nightly
def test_a_bill_leaves_of_a_saving_what_its_model_says() -> None:
    """Reckoned by the other way to it: the scenario's own model, and not the grader's reading."""
    from scenarios.cost.catalogue import levers
    from scenarios.cost.model import model_of

    pack = load_pack("cost/fleet-bill")
    files = bill_of(pack, "mid", "expert", SEED)
    asker = asker_of(pack.name)
    assert asker is not None
    left = [one for one in asker.proposed(own(pack.name, "mid", files)) if one.topic == "left"]
    assert left
    model = model_of(DEFAULT, "mid", SEED)
    for one in left:
        _, key, other = one.key.split("/")
        if levers()[key].group and levers()[key].group == levers()[other].group:
            assert "only one can be had" in dict(one.options)[str(one.right)]
            continue
        part = (model.saved([key, other]) - model.saved([other])) / model.saved([key])
        said = re.search(r": (\d+)%", one.reckoning)
        assert said is not None
        assert abs(100 * part - float(said[1])) < 1


PACK = "automation/queue-autoscaler"


def of_program(pack: str, level: str, golden: str) -> tuple[Own, list[Question]]:
    chosen = load_pack(pack)
    files = {chosen.entry: chosen.golden(level, golden)}
    one = own(pack, level, files)
    name = chosen.public_workloads(level)[0][0]
    workload = public_workload(chosen, level, SEED, name)
    player = in_process(chosen.entry, workload, DEFAULT)
    return one, list(questions_about(one, workload, player))


PACKS = [
    "automation/cloud-bursting",
    "automation/cluster-priorities",
    "automation/gpu-idle-alerts",
    "automation/mig-sharing",
    "automation/queue-autoscaler",
    "automation/slurm-fair-partitions",
    "automation/spot-checkpointing",
]


@pytest.mark.by_day("pack", [PACK])
@pytest.mark.parametrize("pack", PACKS)
def test_questions_about_programs(pack: str) -> None:
    _, found = of_program(pack, "mid", "competent")
    good = [question for question in found if is_good(question, "")]
    sound(good[:WANTED], "")
    assert {"next"} <= {question.topic for question in good}
    assert len(good) >= WANTED
    assert found == of_program(pack, "mid", "competent")[1]


def test_a_program_that_does_not_run_is_asked_nothing() -> None:
    assert of_program(PACK, "mid", "crasher")[1] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ('{"sections": {}, "plan": {}}', True),
        ('{"rows": [{"cause": " ", "hours": null}]}', True),
        ('{"plan": {"phases": [{"month": 1}]}}', False),
        ('{"sections": {"risks": "none"}}', False),
        ("import headnode_sdk", False),
    ],
)
def test_an_answer_of_which_nothing_was_filled_in_is_blank(text: str, expected: bool) -> None:
    assert is_blank(text) is expected


def test_where_one_thing_is_done_how_often_tells_moments_apart() -> None:
    marks = [
        {"t": at, "kind": "action", "text": f"job {at} placed in kestrel"}
        for at in (1, 11, 12, 21, 22, 23)
    ]
    found = stretches_of({"t": [0, 10, 20, 30, 40], "series": [], "marks": marks})
    assert [one.said for one in found] == [
        "Job … placed in kestrel.",
        "Job … placed in kestrel, twice.",
        "Job … placed in kestrel, three times or more.",
        "Nothing: it lets the time pass.",
    ]
    marks += [
        {"t": at, "kind": "action", "text": text} for at, text in ((2, "a"), (13, "b"), (24, "c"))
    ]
    found = stretches_of(
        {"t": [0, 10, 20, 30, 40], "series": [], "marks": sorted(marks, key=lambda mark: mark["t"])}
    )
    assert "twice" not in " ".join(one.said for one in found)


def test_a_shown_act_tells_no_figure() -> None:
    assert masked("spot: 2 to 5 nodes") == "more nodes for spot"
    assert masked("spot: 5 to 2 nodes") == "fewer nodes for spot"
    assert masked("preempt job 4711") == "preempt job …"
    assert masked("release gpu-12") == "release …"
    assert masked("admit team-c-prep-01 to spot-t4") == "admit … to …"
    assert masked("n01/0: 4g.40gb, 1g.10gb, 2g.20gb") == "… is set to …"
    assert (
        masked("llm-13b: resumed from step 6,526, 230 steps") == "…: resumed from step …, … steps"
    )


SOURCE = """\
IDLE = 20
RATE: float = 0.5
TWICE = 1

def step(limit=30, name="x"):
    depth = 4
    depth = 5
    return IDLE * RATE
"""


def test_constants_are_found_and_changed_one_at_a_time() -> None:
    files = {"controller.py": SOURCE}
    found = {one.name: one for one in constants_of(files)}
    assert list(found) == ["IDLE", "RATE", "limit"]
    changed = with_changed(files, found["limit"], 2.0)["controller.py"]
    assert changed == SOURCE.replace("limit=30", "limit=60")
    assert "RATE: float = 0.25" in with_changed(files, found["RATE"], 0.5)["controller.py"]
    assert constants_of({"controller.py": "def"}) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("pack", [name for name in WRITTEN if "training" not in name])
@settings(max_examples=15, deadline=None)
@given(data=JSON, rows=JSON)
@pytest.mark.by_day(but=["scaling-plan/growth-year"])
def test_whatever_is_handed_in_is_no_error(pack: str, data: Any, rows: Any) -> None:
    keys = {"cost/fleet-bill": "opportunities", "scaling-plan/growth-year": "plan"}
    text = json.dumps({"sections": data, keys[pack]: rows})
    found = questions_of(own(pack, "junior", {"answer.json": text}, text))
    sound(found, text)
