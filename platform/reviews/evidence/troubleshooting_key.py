"""The key to an attempt's variant as staff read it: causes, herrings, what each material is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from assessments.materials import rebuilding
from assessments.models import Attempt
from assessments.workplace.access import room as materials

SPANS_SHOWN = 6
WORTHS = {
    "causal": ("shows a cause", "good"),
    "supporting": ("helps to divide the lost time", "info"),
    "neutral": ("says nothing of it", ""),
    "misleading": ("shows a red herring alone", "warn"),
}
COMPONENTS = {
    "compute": "computing",
    "communication": "communication",
    "data": "waiting for data",
    "checkpoint": "checkpoints",
}


@dataclass(frozen=True)
class Place:
    """Lines of a material: where the room shows them, and the first as it reads."""

    path: str
    count: int
    spans: list[tuple[str, str]]
    """(words, address) of the first stretches."""
    more: int
    first: str


@dataclass(frozen=True)
class Chart:
    """A stretch of some series of one metric that show the same."""

    metric: str
    labels: list[str]
    url: str
    shows: str


@dataclass(frozen=True)
class Subject:
    """One cause or herring; `facts` is its row in the key."""

    facts: Mapping[str, Any]
    lines: list[Place]
    charts: list[Chart]
    component: str = ""
    percent: int = 0


@dataclass(frozen=True)
class Material:
    """One file and what it is worth."""

    path: str
    title: str
    worth: str
    says: str
    tone: str
    url: str


@dataclass(frozen=True)
class Sheet:
    """Everything on the key's page. Hours as in the variant's key."""

    facts: Mapping[str, Any]
    causes: list[Subject]
    herrings: list[Subject]
    materials: list[Material]
    counts: list[tuple[str, str, int]]
    """(worth, what it means, how many)."""


def key_of(attempt: Attempt) -> dict[str, Any]:
    """The key of the attempt's variant. Raises variants.NotBuilt."""
    return rebuilding.key(attempt)


def sheet(attempt: Attempt) -> Sheet:
    """The key with the way to each piece of evidence in the staff's room.

    Raises variants.NotBuilt and access.NotThere.
    """
    key = key_of(attempt)
    titles = {row["path"]: row["title"] for row in materials(attempt).manifest["files"]}
    room = reverse("admin:attempt-room", args=[attempt.pk])
    worths = key["artefacts"]
    return Sheet(
        facts=key,
        causes=[_subject(row, room) for row in key["causes"]],
        herrings=[_subject(row, room) for row in key["herrings"]],
        materials=[_material(path, worths[path], titles, room) for path in sorted(worths)],
        counts=[
            (worth, says, sum(1 for found in worths.values() if found == worth))
            for worth, (says, _) in WORTHS.items()
        ],
    )


def line_url(room: str, path: str, line: int) -> str:
    """Where the staff's room (`room` is its address) shows a line of a material."""
    return f"{room}#at?{urlencode({'path': path, 'line': line})}"


def _subject(row: Mapping[str, Any], room: str) -> Subject:
    component = str(row.get("component", ""))
    return Subject(
        facts=row,
        lines=[_place(found, room) for found in row["lines"]],
        charts=_charts(row["charts"], room),
        component=COMPONENTS.get(component, component),
        percent=round(100 * float(row.get("part", 0))),
    )


def _place(row: Mapping[str, Any], room: str) -> Place:
    path = str(row["path"])
    spans = [
        (str(first) if first == last else f"{first} to {last}", line_url(room, path, first))
        for first, last in row["spans"]
    ]
    more = max(0, len(spans) - SPANS_SHOWN)
    return Place(path, int(row["count"]), spans[:SPANS_SHOWN], more, str(row["first"]))


def _charts(rows: list[Mapping[str, Any]], room: str) -> list[Chart]:
    """Series of one metric that show the same in the same stretch are one entry."""
    found: dict[tuple[str, int, int, str], list[Mapping[str, str]]] = {}
    for row in rows:
        about = (row["metric"], row["from_ms"], row["to_ms"], row["shows"])
        found.setdefault(about, []).append(row["labels"])
    return [
        Chart(
            metric,
            [_labels(one) for one in labels],
            chart_url(room, metric, labels[0], start, end),
            shows,
        )
        for (metric, start, end, shows), labels in found.items()
    ]


def chart_url(room: str, metric: str, labels: Mapping[str, str], start: int, end: int) -> str:
    """Where the staff's room shows a metric between two instants, in ms since 1970."""
    wanted = {"metric": metric, "from_ms": start, "to_ms": end, "labels": json.dumps(dict(labels))}
    return f"{room}#chart?{urlencode(wanted)}"


def _labels(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in labels.items())


def _material(path: str, worth: str, titles: Mapping[str, str], room: str) -> Material:
    says, tone = WORTHS[worth]
    return Material(path, titles.get(path, ""), worth, says, tone, line_url(room, path, 1))
