"""Whatever a program sends, a world answers JSON or refuses: anything else would pass as our own failure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.inprocess import run_trusted
from graders.session import EpisodeSession
from graders.workloads import hidden_workloads
from sandbox import CallRefused, Session
from scenarios.company.profile import DEFAULT
from scenarios.packs import all_packs, load_pack
from scenarios.worlds import load_world
from scenarios.worlds.checks import Check

WORLDS = [pack.name for pack in all_packs() if pack.kind == "automation"]
CODES = ("invalid", "not_found", "conflict", "timeout", "rate_limited", "unavailable", "over")
TICKS, RATE = 100, 0.35
NUMBERS = [0, 1, -1, 2, 7, 63, 600, 86_400, 1_000_000, -1_000_000, 10**15, 0.5, -0.0, 1e308]
TEXTS = [
    "",
    " ",
    "a" * 64,
    "x" * 400,
    "x" * 4000,
    "\x00",
    "é" * 40,
    "🙂" * 64,
    "n01/0/",
    "//",
    "n01/²",
    "٣",
    "{0}",
    "%s",
    "nan",
    "inf",
    "1e999",
    "-1",
    "1_0",
    "9" * 64,
    "9" * 399,
    "none",
    "gpu",
]
WORDS = [
    "sync",
    "async",
    "page",
    "ticket",
    "queued",
    "running",
    "completed",
    "training",
    "inference",
    "log",
    "process",
    "job",
    "node",
    "util",
    "memory",
    "power",
    "last_sample",
    "window",
    "priority",
    "grp_gpus",
    "user_jobs",
    "temperature",
    "%",
    "MiB",
    "C",
    "W",
]


class _Enough(Exception):
    """The program has played for long enough."""


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def _check(refusal: CallRefused) -> None:
    assert refusal.code in CODES
    assert 0 < len(refusal.message) < 1000


class Hostile:
    """Stands between a program and its session: sends calls of its own between the program's."""

    def __init__(self, session: Session, methods: Mapping[str, Mapping[str, Check]], dice: Random):
        self.session, self.dice = session, dice
        self.methods = {name: checks for name, checks in methods.items() if checks}
        self.seen: dict[str, list[Any]] = {}
        self.words, self.numbers = [*TEXTS, *WORDS], list[Any](NUMBERS)
        self.ticks = 0

    @property
    def complete(self) -> bool:
        return self.session.complete

    def call(self, method: str, params: dict[str, object]) -> object:
        self.ticks += method == "tick"
        if self.ticks > TICKS:
            raise _Enough
        for name, value in params.items():
            self.seen[name] = [*self.seen.get(name, []), value][-40:]
        answer = self._ask(method, params)
        self._learn(answer)
        while self.dice.random() < RATE:
            self.attack()
        return answer

    def _ask(self, method: str, params: dict[str, object]) -> object:
        try:
            return self.session.call(method, params)
        except CallRefused:
            raise
        except Exception as error:
            raise AssertionError(f"{method} {params!r:.300}: {error!r}") from error

    def _learn(self, answer: object) -> None:
        if self.dice.random() < 0.05:
            leaves = list(_leaves(json.loads(json.dumps(answer))))
            some = self.dice.sample(leaves, min(20, len(leaves)))
            self.words = [*TEXTS, *WORDS, *self.words, *(x for x in some if type(x) is str)][-300:]
            self.numbers = [*NUMBERS, *self.numbers, *(x for x in some if type(x) is int)][-300:]

    def attack(self) -> None:
        """One call, mostly such as passes the checks; an answer has to be JSON, a refusal words."""
        method = self.dice.choice(sorted(self.methods))
        params = {name: self._value(name, one) for name, one in self.methods[method].items()}
        params = json.loads(json.dumps(params))
        try:
            json.dumps(self._ask(method, params), allow_nan=False).encode()
        except CallRefused as refusal:
            _check(refusal)

    def _value(self, name: str, check: Check) -> object:
        if self.seen.get(name) and self.dice.random() < 0.6:
            return self.dice.choice(self.seen[name])
        for _ in range(60):
            value = self._any()
            if check(value) or self.dice.random() < 0.02:
                return value
        return None

    def _any(self) -> object:
        dice = self.dice

        def word() -> str:
            return dice.choice(self.words)

        def number() -> Any:
            return dice.choice(self.numbers)

        def either() -> str:
            return word() if dice.random() < 0.7 else str(number())

        few = range(dice.randrange(8))
        shapes: list[Any] = [
            word(),
            number(),
            dice.choice(WORDS),
            dice.choice(TEXTS),
            dice.choice(NUMBERS),
            True,
            None,
            [word() for _ in few],
            [number() for _ in few],
            {word(): number() for _ in few},
            [[word(), word(), number()] for _ in few],
            [[dice.choice(WORDS), either(), either()] for _ in few],
            [[word(), word(), dice.choice(WORDS), dice.choice(WORDS), number()] for _ in few],
        ]
        return dice.choice(shapes)


@pytest.mark.parametrize("name", WORLDS)
@given(seed=st.integers(0, 2**32), level=st.sampled_from(["junior", "mid", "senior"]))
@settings(max_examples=5, deadline=None, derandomize=True, database=None)
@pytest.mark.by_day(ids=["automation/cloud-bursting", "automation/gpu-idle-alerts"])
def test_nothing_but_answers_and_refusals_comes_out(name: str, seed: int, level: str) -> None:
    pack, dice = load_pack(name), Random(seed)
    level = level if level in pack.levels else next(iter(pack.levels))
    workload = dice.choice(hidden_workloads(pack, level, 5, 5))
    world, episode = load_world(workload.world), workload.open(DEFAULT)
    hostile = Hostile(EpisodeSession(episode, world.methods), world.methods, dice)
    golden = pack.golden(level, dice.choice(["competent", "thrasher", "cheater"]))
    # the golden meets answers that it has not caused, and may stumble over them
    with suppress(_Enough, IndexError, KeyError, ValueError):
        run_trusted(golden, hostile)
    figures = episode.figures()
    json.dumps([figures, world.summary(figures), episode.replay()], allow_nan=False).encode()
    assert world.account(figures).endswith(".")
