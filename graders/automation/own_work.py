"""Questions about a program: what it does next at a moment of its own day, and what a change would do to it.

Everything is right by construction: the program that was handed in is played in the sandbox on the public
workload that its author ran last, then with one of its own numbers changed, then without failing calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.automation.constants import HALF, TWICE, Constant, constants_of, with_changed
from graders.automation.moments import Stretch, before, state_at, stretches_of, telling
from graders.kinds import Asked
from graders.own_work import Asker, Own, Question, choice, drawn
from graders.playing import BadAnswer, play, spec_for
from graders.workloads import Workload, public_workload
from scenarios.packs import Measure

Figures = Mapping[str, Any]
MOST_MOMENTS = 6
MOST_CHANGES = 5
"""Times that the changed program is played, whatever comes of them."""
FELT = 0.05
"""Part by which a measure has to move to count as moved."""
STILL = 0.005
"""Part up to which it counts as not moved; what lies between is not asked about."""
CLEAR = 1.6
"""Times as far as the next one that the measure that moves most has to move."""
NONE_MOVES = "None of these moves by more than half a percent."


@dataclass(frozen=True, slots=True)
class Day:
    """A played workload: its replay and its raw figures."""

    replay: Mapping[str, Any]
    figures: Figures


Player = Callable[[Mapping[str, str], bool], Day | None]
"""Plays files with or without failing calls; None where the program did not run by itself to an end."""


class ProgramAsker(Asker):
    """Asks about programs that steer a simulated cluster."""

    needs_sandbox = True

    def proposed(self, own: Own) -> Iterator[Question]:
        """Raises SandboxFailed where the sandbox did: that says nothing about the answer."""
        workload = _workload(own)
        yield from questions_about(own, workload, in_sandbox(own.asked, workload))


class SandboxFailed(RuntimeError):
    """The sandbox could not play a program; the message says why."""


def in_sandbox(asked: Asked, workload: Workload) -> Player:
    """Plays in the sandbox of what is asked. The player raises SandboxFailed."""

    def played(files: Mapping[str, str], faults: bool) -> Day | None:
        try:
            spec = spec_for(asked.pack, files)
        except BadAnswer:
            return None
        found = play(spec, workload, asked.sandbox, asked.profile, asked.cancel, faults=faults)
        if found.outcome.status in ("sandbox_error", "cancelled"):
            raise SandboxFailed(found.outcome.detail or "The sandbox failed.")
        return Day(found.episode.replay(), found.figures) if found.counts else None

    return played


def _workload(own: Own) -> Workload:
    asked = own.asked
    names = [name for name, _ in asked.pack.public_workloads(asked.level)]
    name = own.workload if own.workload in names else names[0]
    return public_workload(asked.pack, asked.level, asked.seed, name)


def questions_about(own: Own, workload: Workload, player: Player) -> Iterator[Question]:
    """Everything that can be asked: two moments, then changes, then further moments."""
    day = player(own.asked.files, True)
    if day is None:
        return
    moments = _moments(own, workload, day)
    yield from _taken(moments, 2)
    yield from _changes(own, workload, day, player)
    yield from moments


def _taken(questions: Iterator[Question], count: int) -> Iterator[Question]:
    for _ in range(count):
        if one := next(questions, None):
            yield one


def _moments(own: Own, workload: Workload, day: Day) -> Iterator[Question]:
    stretches = stretches_of(day.replay)
    said = list(dict.fromkeys(one.said for one in stretches))
    for one in telling(stretches, day.replay, own.digest)[:MOST_MOMENTS]:
        wrong = drawn(
            f"{own.digest}/wrong/{one.number}", [text for text in said if text != one.said]
        )
        question = choice(
            own,
            f"next/{one.number}",
            "next",
            f"Your program on “{workload.title}”, as you handed it in. Below is what it finds at"
            f" {one.when.partition(' to ')[0]}. What does it do from then until"
            f" {one.when.partition(' to ')[2]}?",
            one.said,
            wrong,
            f"Played again in the sandbox on {workload.title}: from {one.when} it did this. {one.said}",
            near=_near(stretches, one),
            shown=[*state_at(day.replay, one), ("Just before", before(stretches, one))],
        )
        if question:
            yield question


def _near(stretches: Sequence[Stretch], one: Stretch) -> list[str]:
    """What shares an act with the right one."""
    return [other.said for other in stretches if set(other.acts) & set(one.acts)]


def _changes(own: Own, workload: Workload, day: Day, player: Player) -> Iterator[Question]:
    measures = own.asked.pack.measures(own.asked.level, own.asked.profile)
    values = _values(own, measures, day.figures)
    tries = [(one, factor) for one in constants_of(own.asked.files) for factor in (TWICE, HALF)]
    tried = sorted(tries, key=lambda row: row[1] != TWICE)[: MOST_CHANGES - 1]
    for one, factor in tried:
        changed = player(with_changed(own.asked.files, one, factor), True)
        if changed is None:
            continue
        what = f"If {one.name} in {one.path} were {one.scaled(factor)} in place of {_plain(one)}"
        key = f"constant/{one.name}/{factor:g}"
        after = _values(own, measures, changed.figures)
        if question := _effect(own, workload, key, "constant", what, measures, values, after):
            yield question
    calm = player(own.asked.files, False)
    if calm is not None:
        what = "If no call of the cluster’s API had failed on that day"
        after = _values(own, measures, calm.figures)
        if question := _effect(own, workload, "calm", "fault", what, measures, values, after):
            yield question


def _plain(one: Constant) -> str:
    return f"{one.value:g}"


def _values(own: Own, measures: Sequence[Measure], figures: Figures) -> dict[str, float]:
    found = {}
    for measure in measures:
        value = own.asked.pack.world.measures[measure.key]([figures])
        if value is not None:
            found[measure.key] = float(value)
    return found


def _effect(
    own: Own,
    workload: Workload,
    key: str,
    topic: str,
    what: str,
    measures: Sequence[Measure],
    values: Mapping[str, float],
    after: Mapping[str, float],
) -> Question | None:
    """Which way two measures move, a wait and a cost before others; else which one moves most, if any."""
    moves = {
        measure.key: _moved(values[measure.key], after[measure.key], measure.floor)
        for measure in measures
        if measure.key in values and measure.key in after
    }
    known = {measure.key: measure for measure in measures}
    felt = sorted((key for key in moves if abs(moves[key]) >= FELT), key=_interest)
    on = f"on “{workload.title}”"
    if len(felt) >= 2:
        return _ways(
            own,
            key,
            topic,
            f"{what}, {on}: which way would these two move?",
            [known[one] for one in felt[:2]],
            values,
            after,
        )
    return _most(
        own,
        key,
        topic,
        f"{what}, {on}: which of these would move most?",
        [known[one] for one in moves],
        moves,
    )


def _moved(first: float, second: float, floor: float) -> float:
    """By which part of itself a value moved; one near 0 is held against the measure's own floor."""
    return (second - first) / max(abs(first), floor, 1e-9)


def _interest(key: str) -> tuple[bool, bool]:
    """Waits and money are what everybody has thought about."""
    return (not key.startswith("wait"), "cost" not in key)


def _ways(
    own: Own,
    key: str,
    topic: str,
    prompt: str,
    pair: Sequence[Measure],
    values: Mapping[str, float],
    after: Mapping[str, float],
) -> Question | None:
    first, second = pair
    ways = [after[one.key] > values[one.key] for one in pair]

    def said(up: bool, also: bool) -> str:
        return f"{first.label}: {_way(up)}; {second.label}: {_way(also)}."

    right = said(ways[0], ways[1])
    every = [said(up, also) for up in (True, False) for also in (True, False)]
    near = [said(not ways[0], ways[1]), said(ways[0], not ways[1])]
    told = "; ".join(
        f"{one.label} {values[one.key]:,.2f} to {after[one.key]:,.2f} {one.unit}" for one in pair
    )
    reckoning = f"Played both ways in the sandbox: {told}."
    return choice(own, key, topic, prompt, right, every, reckoning, near=near)


def _way(up: bool) -> str:
    return "up" if up else "down"


def _most(
    own: Own,
    key: str,
    topic: str,
    prompt: str,
    measures: Sequence[Measure],
    moves: Mapping[str, float],
) -> Question | None:
    """Which measure moves most; none where it is not clear which, or whether any does."""
    by_size = sorted(measures, key=lambda one: -abs(moves[one.key]))
    if len(by_size) < 3:
        return None
    largest, second = (abs(moves[one.key]) for one in by_size[:2])
    if largest <= STILL:
        wrong = [one.label for one in sorted(measures, key=lambda one: _interest(one.key))]
        told = f"Played both ways in the sandbox: no measure moves by more than {largest:.1%}."
        return choice(own, key, topic, prompt, NONE_MOVES, wrong, told)
    if largest < FELT or largest < CLEAR * second:
        return None
    wrong = [NONE_MOVES, *(one.label for one in by_size[1:])]
    told = ", ".join(f"{one.label} by {moves[one.key]:+.0%}" for one in by_size[:3])
    return choice(
        own,
        key,
        topic,
        prompt,
        by_size[0].label,
        wrong,
        f"Played both ways in the sandbox: {told}.",
    )


KIND = ProgramAsker()
