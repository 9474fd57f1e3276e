"""Whatever a plan holds, it is read or refused in a sentence, and what is read gives plain findings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders.scaling import claims
from graders.scaling.answer import parse
from graders.scaling.assess import assess
from graders.scaling.findings import findings
from graders.scaling.playing import Anchors, unchanged
from graders.scaling.reading import read, year_rows
from graders.written import BadAnswer
from scenarios.company.profile import DEFAULT
from scenarios.scaling.draw import scene_of

SCENE = scene_of(DEFAULT, "senior", 4)
MONTHS = [one.name for one in SCENE.months]
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
ANY = st.none() | st.booleans() | st.integers() | FLOAT | st.text(max_size=12)
MONTH = st.sampled_from([*MONTHS, "", "2019-13", "soon"])
ITEM = st.sampled_from(["spine", "leaf", "rack", "power", "node:H100 node", "storage:Scratch", "x"])
SITE = st.sampled_from([*(one.site.name for one in SCENE.places), "", "Mars"])
NUMBER = st.integers(-3, 400) | FLOAT | st.just("12") | st.none()


def row(**columns: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(
        st.fixed_dictionaries({key: one | ANY for key, one in columns.items()}), max_size=4
    )


PLANS = st.fixed_dictionaries(
    {},
    optional={
        "purchases": row(id=ANY, month=MONTH, item=ITEM, count=NUMBER, site=SITE),
        "cloud": row(
            id=ANY,
            kind=st.sampled_from(["spot", "reserved_1y"]),
            gpus=NUMBER,
            **{"from": MONTH, "to": MONTH},
        ),
        "retire": row(id=ANY, month=MONTH, item=st.text(max_size=5), count=NUMBER, site=SITE),
        "policies": row(
            id=ANY, month=MONTH, policy=st.sampled_from([*SCENE.policies, "x"]), value=ANY
        ),
        "phases": row(
            id=ANY, name=ANY, depends=st.lists(ANY, max_size=3), **{"from": MONTH, "to": MONTH}
        ),
        "risks": row(id=ANY, risk=ANY, likelihood=ANY, impact=ANY, trigger=ANY),
        "sheet": row(
            label=st.sampled_from(["Capital", "Opex", "x"]), values=st.lists(NUMBER, max_size=14)
        ),
        "claims": st.dictionaries(st.sampled_from([*claims.STATED, "x"]), ANY, max_size=4) | ANY,
    },
)


@pytest.fixture(scope="module", autouse=True)
def one_year() -> Any:
    """Nothing is played anew for each plan."""
    year = unchanged(DEFAULT, "senior", 4)
    patch = pytest.MonkeyPatch()
    patch.setattr(claims, "play_median", lambda scene, plan: year)
    yield year
    patch.undo()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=PLANS | ANY, said=st.text(max_size=80))
@pytest.mark.nightly
def test_any_plan_is_read_or_refused(one_year: Any, plan: Any, said: str) -> None:
    text = json.dumps({"sections": {"money": said}, "plan": plan})
    try:
        answer = parse(text)
    except BadAnswer as error:
        refused = str(error)
    else:
        refused = ""
    assert not refused or refused.endswith(".")
    if refused:
        return
    anchors = Anchors([one_year], [one_year])
    reading = read(answer, SCENE, [one_year], anchors)
    found = assess(json.loads(json.dumps(reading)))
    assert {row["finding"] for row in reading["findings"]} <= set(findings())
    assert len({row["id"] for row in reading["findings"]}) == len(reading["findings"])
    assert all(row["text"].strip() for row in reading["findings"])
    json.dumps([one.to_dict() for one in found.measures], allow_nan=False)
    json.dumps([*found.evidence, *year_rows(SCENE, [one_year], anchors)], allow_nan=False)
