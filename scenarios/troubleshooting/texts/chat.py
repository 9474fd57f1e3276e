"""Excerpts of the chat, in the site's local time: people who wait for the run, and everybody else."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.stakes import Stakes
from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.lines import Document, Line, in_order
from scenarios.troubleshooting.truth import Incident


def chat(incident: Incident) -> Document:
    """Messages from two days before the run to the end of the window."""
    lines = [
        _line(
            incident,
            trace.at_ms,
            str(trace.fields["channel"]),
            str(trace.fields["who"]),
            str(trace.fields["text"]),
            trace.tag,
        )
        for trace in incident.traces()
        if trace.kind == "chat.message"
    ]
    lines += [
        _line(incident, at, channel, who, text) for at, channel, who, text in _asked(incident)
    ]
    lines += [
        _line(incident, at, channel, who, text) for at, channel, who, text in _noise(incident)
    ]
    return in_order("people/chat.txt", lines)


def _line(
    incident: Incident, at_ms: int, channel: str, who: str, text: str, tag: str | None = None
) -> Line:
    return Line(
        at_ms, f"{incident.calendar.local(at_ms):%a %d %b %H:%M} {channel} {who}: {text}", tag
    )


def _asked(incident: Incident) -> Iterator[tuple[int, str, str, str]]:
    """The owner notices, somebody answers, the run ends late. Figures are the run's own."""
    run, calendar, training = incident.run, incident.calendar, incident.training
    channel, owner, job = "#pretraining", training.user, incident.slow.id
    first = run.first_ms + 75 * MINUTE
    step = run.step_at(first)
    recent = float(run.step_s[max(step - 500, 0) : step].mean())
    yield calendar.job_start + 40 * SECOND, channel, owner, f"{job} is up, see you in eight hours"
    yield (
        first,
        channel,
        owner,
        f"hm, {recent:.1f} s a step, last time it was 2.4. Same code, same batch. @ops anything going on?",
    )
    yield (
        first + 9 * MINUTE,
        "#ops",
        "m.ferrari",
        f"{owner} says {job} is slow. All nodes are green here.",
    )
    yield (
        first + 14 * MINUTE,
        channel,
        owner,
        "dashboards say the GPUs are busy, so it can't be the data, can it?",
    )
    half = int(run.starts[6_000])
    hours = (half - run.first_ms) / HOUR
    yield half, channel, owner, f"half of the steps after {hours:.1f} h. I'd have been done by now."
    end = run.end_ms + 6 * MINUTE
    yield (
        end,
        channel,
        owner,
        f"done, {run.hours:.1f} h instead of 8. Please somebody find out before the next one.",
    )
    if (rule := incident.constraint) is not None:
        yield rule.said_ms, "#ops", rule.who, rule.said
    if incident.stakes is not None:
        yield from _pressed(incident, incident.stakes)


def _pressed(incident: Incident, stakes: Stakes) -> Iterator[tuple[int, str, str, str]]:
    """What a senior has to weigh: the deadline, what a day costs, what the other site offers."""
    calendar = incident.calendar
    due = calendar.local(stakes.deadline_ms)
    at = incident.run.end_ms + 17 * MINUTE
    yield (
        at,
        "#pretraining",
        stakes.who,
        f"{stakes.what} has to be ready on {due:%A %d %B at %H:%M} our time, that is {stakes.runs} more runs "
        f"like this one. Every day later costs about {stakes.cost_of_delay_usd // 1000}k dollars.",
    )
    yield (
        at + 6 * MINUTE,
        "#ops",
        "r.lindqvist",
        f"{stakes.site} ({stakes.zone.name}) could lend {stakes.free_nodes} nodes for {stakes.free_hours} h. "
        f"Their fabric is smaller, our model makes {stakes.step_s:.1f} s a step there on a good day. "
        f"The data set ({stakes.dataset_tb} TB) is not there, the line gives {stakes.line_gbps} Gb/s.",
    )


def _noise(incident: Incident) -> Iterator[tuple[int, str, str, str]]:
    calendar, draw = incident.calendar, Stream(incident.seed, "chat")
    start, end = calendar.job_start - 2 * DAY, calendar.window_end
    offset = calendar.zone.offset * MINUTE
    for entry in _texts():
        if draw.chance(0.75):
            day = (start + offset) // DAY + int(draw.between(0, max((end - start) // DAY, 1)))
            at = day * DAY - offset + int(draw.between(8.2, 18.5) * HOUR)
            at -= max(calendar.local(at).weekday() - 4, 0) * DAY
            if start <= at < end:
                yield at, entry["channel"], entry["who"], entry["text"]
    for at, row in fleet.between_runs(incident, "chat"):
        yield at, row["channel"], row["who"], row["text"]


@cache
def _texts() -> tuple[dict[str, str], ...]:
    path = Path(__file__).with_name("chat_noise.toml")
    return tuple(tomllib.loads(path.read_text(encoding="utf-8"))["message"])
