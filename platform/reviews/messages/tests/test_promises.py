"""Every sentence on a page that promises a message is listed here with the occasion that keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hiring.messages.occasions import occasions

PLATFORM = Path(__file__).resolve().parents[3]
PROMISE = re.compile(
    r"[^.<>%{}]*\b(?:will be told|you are told|we (?:will )?(?:write|tell|let)\b|will write to you|"
    r"told by e?-?mail|everybody[^.<>%{}]* is told|the candidate[^.<>%{}]* is told|"
    r"by a message|is also reminded|hear from us|will be reminded|get a message|are notified)[^.<>%{}]*",
    re.IGNORECASE,
)
KEPT_BY = {
    "You will be told; this link stays the same": "revision_opened",
    "If the interviewers ask for a revision, you will be told, and it starts from this page": (
        "revision_opened"
    ),
    "You are told when you are asked to score, when an answer waits for you, and when something is owed": (
        "assigned card_owed decision_owed"
    ),
    "If they ask you for a short revision, you will be told by a message like this one": (
        "revision_opened"
    ),
    "What does will stand here, and you are told of it by mail": (
        "assigned card_owed third_evaluator dispute decision_owed grading_failed"
    ),
    "If the answer is in, you can begin at once; if not, you are told when it is": "card_owed",
    "With a time the candidate and the interviewers get a message with a calendar file": (
        "interview_planned interview_asked"
    ),
    "get a message that takes it out of their calendars": "interview_called_off interview_off",
    "Whoever was invited by mail is also reminded by itself, a day before the window closes": "reminder",
    "You are told by mail when it is": "answered",
    "A new question is told by mail to whoever invited and to the opening’s hiring manager": (
        "question_waits"
    ),
    "Everybody is told the time in their own zone": "interview_planned interview_asked",
    "The candidate and everybody who holds the talk is told": "interview_planned interview_asked",
    "Everybody who knew its time is told": "interview_called_off interview_off",
    "Whoever is asked is told by e-mail": "assigned",
    "and is told by e-mail can start until": "reminder invitation",
    "The candidate is told": "reminder invitation",
    "Whether the candidate is told": "reminder invitation",
    "Somebody of  will write to you about the next step; until then, questions reach us at": "",
}
"""Sentence as the pages have it -> occasions that keep it; "" where it promises what a person does."""
IGNORED = ("tests", "migrations", "vendor", "node_modules", "bank", "exemplars", "static")


def written() -> dict[Path, str]:
    files = [path for kind in ("html", "txt", "toml", "py") for path in PLATFORM.rglob(f"*.{kind}")]
    return {path: path.read_text() for path in files if not set(path.parts) & set(IGNORED)}


def promises() -> set[str]:
    """What pages and messages promise, in one line each."""
    found = set()
    for path, text in written().items():
        if path.suffix == ".py":
            text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)  # is for whoever reads the code
            text = re.sub(r'"\s*\n\s*f?"', "", text)  # one sentence over several lines of code
            text = "\n".join(re.findall(r'"([^"\n]{20,})"', text))
        if path.suffix == ".toml":
            text = re.sub(r"\{\{ \w+ \}\}", "", text)
        text = re.sub(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", "", text, flags=re.DOTALL)
        found |= {" ".join(hit[0].split()).strip(" ,:“”") for hit in PROMISE.finditer(text)}
    return found


def test_every_promise_on_a_page_has_its_message() -> None:
    known = {" ".join(sentence.split()) for sentence in KEPT_BY}
    assert promises() - known == set(), "list the sentence with the occasion that keeps it"


@pytest.mark.nightly
def test_no_promise_is_listed_that_no_page_makes() -> None:
    known = {" ".join(sentence.split()) for sentence in KEPT_BY}
    assert known - promises() == set()


def test_what_keeps_a_promise_is_an_occasion() -> None:
    kept = {key for keys in KEPT_BY.values() for key in keys.split()}
    assert kept <= set(occasions())


def test_every_occasion_is_told_by_somebody() -> None:
    """An occasion whose key no code names is a message that never goes out."""
    code = "\n".join(text for path, text in written().items() if path.suffix == ".py")
    assert [key for key in occasions() if f'"{key}"' not in code] == []
