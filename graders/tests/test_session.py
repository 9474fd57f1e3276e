from __future__ import annotations

import pytest

from graders.session import EpisodeSession
from sandbox import CallRefused
from scenarios.company.profile import DEFAULT
from scenarios.packs import all_packs, load_pack
from scenarios.worlds import load_world
from scenarios.worlds.queue_autoscaler import WORLD
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day


@pytest.fixture
def session() -> EpisodeSession:
    return EpisodeSession(
        open_day(DEFAULT, Setting(), "steady", "session", faults=False), WORLD.methods
    )


def refused(session: EpisodeSession, method: str, **params: object) -> CallRefused:
    with pytest.raises(CallRefused) as caught:
        session.call(method, params)
    return caught.value


@pytest.mark.parametrize(
    "method",
    ["figures", "world", "run_out", "__class__", "_advance_to", "config", "complete", "", "tick()"],
)
def test_session_answers_only_the_calls_of_its_table(session: EpisodeSession, method: str) -> None:
    assert refused(session, method).code == "invalid"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tick", {"n": 5}),
        ("scale", {"pool": "ondemand"}),
        ("scale", {"pool": "ondemand", "size": True}),
        ("scale", {"pool": "ondemand", "size": 3.0}),
        ("scale", {"pool": "ondemand", "size": "3"}),
        ("scale", {"pool": "ondemand", "size": 10**15}),
        ("scale", {"pool": ["ondemand"], "size": 3}),
        ("scale", {"pool": "ondemand", "size": 3, "force": True}),
        ("drain", {"node": ""}),
        ("drain", {"node": "x" * 65}),
        ("preempt", {"job": None}),
        ("preempt", {"job": "0"}),
        ("log", {"text": 7}),
        ("log", {"text": "x" * 401}),
    ],
)
def test_session_refuses_parameters_of_the_wrong_kind(
    session: EpisodeSession, method: str, params: dict[str, object]
) -> None:
    assert refused(session, method, **params).code == "invalid"


def test_session_passes_the_worlds_refusals_on(session: EpisodeSession) -> None:
    assert refused(session, "scale", pool="moon", size=1).code == "not_found"
    assert refused(session, "release", node="od-999").code == "not_found"


def test_session_is_complete_when_the_day_is_over(session: EpisodeSession) -> None:
    for _ in range(1439):
        session.call("tick", {})
    assert not session.complete
    last = session.call("tick", {})
    assert isinstance(last, dict)
    assert last["done"] is True
    assert session.complete
    assert refused(session, "tick").code == "over"


@pytest.mark.parametrize("pack", [pack.name for pack in all_packs() if "world" in pack.data])
def test_every_method_of_a_world_exists_in_its_episodes(pack: str) -> None:
    chosen = load_pack(pack)
    world = load_world(chosen.world.name)
    for level in chosen.levels:
        episode = world.open(DEFAULT, chosen.settings(level), world.families[0], "table")
        assert {"tick", "log"} <= world.methods.keys()
        for method in world.methods:
            assert callable(getattr(episode, method))
        shown = [row["key"] for row in episode.replay()["series"]]
        assert shown
        assert len(set(shown)) == len(shown)
