"""Staff's pages speak to people: no names of fields, no words of the framework, no pictures for yes and no."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from assessments.models import Attempt
from headnode.permissions import NO_STAFF, Address
from headnode.tests.test_permission_matrix import (
    STAFF,
    all_addresses,
    ask,
    attempt,
    handed_in,
    in_workplaces,
    places,
    published,
    read_ahead,
    stage,
    visitors,
)
from reviews.tests.scene import score_all

__all__ = [
    "attempt", "handed_in", "in_workplaces", "places", "published", "read_ahead", "stage", "visitors",
]  # fmt: skip
OURS = ("accounts", "library", "hiring", "assessments", "reviews")
# What is typed or shown as it is: code, answers, fields, addresses of candidates' files.
QUOTED = re.compile(
    r"<(script|style|pre|code|textarea|kbd|svg|samp)\b.*?</\1>|<!--.*?-->"
    r'|<(\w+)[^>]*class="[^"]*\b(?:mono|numbered|code|q)\b[^"]*".*?</\2>',
    re.DOTALL,
)
FRAMEWORK = [
    r"(?<![.:]) None(?= [A-Z]|$)|: None\b",  # "None yet" and "None, or …" are somebody's words
    r"\b(?:True|False)(?= [A-Z]|$)",  # the exercises' documents speak of code within sentences
    r"\bSelect .{1,40} to (?:change|view)\b",
    r"\bBy (?:groups|is active|closed at)\b",
    r"\bHistory\b",
    r"\(None\)",
    r"\bEmpty\b(?!:)",
    r"\bNot empty\b",
    r"\bView on site\b",
    r"\bDjango\b",
    r"<[\w.]+ object at",
    r"\bobject \(\d+\)",
    r"\b(?:gradingrun|packversion|companyprofile|timeevent|questionset|interviewsession)s?\b",
    r"datetime\.|QuerySet|Decimal\(",
    r"icon-(?:yes|no|unknown)",
    r"-{4,}",
    r"\b\d+ (?:log entr(?:y|ies)|groups?)\b",
    r"\b\d{1,2}(?::\d\d)? [ap]\.m\.",
    r"\b(?:Last login|Date joined|Grading run|Api token)\b",
    r"\bSave and continue editing\b",
    r"\bPassword-based authentication\b",
]


def field_names() -> set[str]:
    """The models' field names that no sentence would hold."""
    return {
        field.name
        for app in OURS
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.get_fields()
        if "_" in field.name
    }


RAW = re.compile(rf"(?<![\w/.{{-])(?:{'|'.join(sorted(field_names()))})(?![\w/.=-])")


def shown(text: str) -> str:
    """What somebody reads of a page, its pictures' words among it."""
    text = QUOTED.sub(" ", text)
    alternatives = " ".join(re.findall(r'<img[^>]*\balt="([^"]+)"', text))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text) + " " + alternatives).split())


def wrong_in(text: str) -> list[str]:
    """The passages of a page that nobody wrote for a reader."""
    said = shown(text)
    found = [match for pattern in FRAMEWORK for match in re.finditer(pattern, said)]
    found += RAW.finditer(said)
    return [said[max(0, match.start() - 40) : match.end() + 30] for match in found]


def pages(path: Callable[[Address], str]) -> Iterator[tuple[str, str]]:
    for address in all_addresses():
        rule = address.rule
        if rule is None or rule.only_post or rule.scope in NO_STAFF:
            continue
        yield address.name, path(address)


# An administrator is let into nearly every page; what others see of it besides is looked at by night.
@pytest.mark.by_day("who", ["administrator"])
@pytest.mark.parametrize(
    "who", ["administrator", "recruiter", "hiring manager on the panel", "interviewer on the panel"]
)
def test_pages_are_written_for_people(
    who: str,
    visitors: Callable[[str], Client],
    places: Callable[[Address], str],
    handed_in: Attempt,
    stage: Any,
) -> None:
    assert who in STAFF
    score_all(handed_in, stage.ines)
    client, wrong, seen = visitors(who), [], 0
    for name, path in pages(places):
        answer = ask(client, path, sends=False)
        if answer.status_code != 200 or "text/html" not in answer.get("Content-Type", ""):
            continue
        seen += 1
        wrong += [f"{name}: …{passage}…" for passage in wrong_in(answer.content.decode())]
    assert seen > 15
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "<td>Grade</td><td>None</td><td>Yes</td>",
        '<img src="/static/admin/img/icon-no.svg" alt="False">',
        "<th>Hidden_workloads</th>".lower(),
        "<p>By weight_reason</p>",
        "<h1>Select candidate to change</h1>",
        "<li>gradingrun: view</li>",
        "<dd>Opening object (3)</dd>",
        "<p>5 groups</p>",
        "<dd>28 Nov 2026, 11:46 a.m.</dd>",
        "<li>Grading run: view, add</li>",
    ],
)
def test_what_nobody_wrote_for_a_reader_is_found(text: str) -> None:
    assert wrong_in(text)


def test_what_is_quoted_is_left_alone() -> None:
    assert not wrong_in("<pre>x = None</pre><textarea>True</textarea><code>started_at</code>")
