"""A hypothesis board as staff read it: every word of the candidate's, in lines that pins can name."""

from __future__ import annotations

import json
from typing import Any

from reviews.evidence import answer_text, work_history
from reviews.evidence.board_text import readable
from reviews.evidence.ordinary_minutes import OrdinaryTime

CARD: dict[str, Any] = {
    "id": "h1",
    "claim": "GPU 4 of gpu-n003 is capped\nsince the power supply failed",
    "place": "gpu-n003, GPU 4",
    "status": "supported",
    "hours": 1.8,
    "seconds_per_step": 0.54,
    "priority": 1,
    "mitigation": "Drain the node.",
    "prevention": "Alert on SW power cap.",
    "reason": "Clock follows the limit.",
    "opened_min": 12,
    "decided_min": 30,
    "pins": [
        {
            "kind": "log",
            "path": "nodes/gpu-n003/dmesg.txt",
            "line": 7,
            "text": "one",
            "note": "the start",
        },
        {
            "kind": "chart",
            "metric": "DCGM_FI_DEV_SM_CLOCK",
            "labels": {"gpu": "4"},
            "from_ms": 0,
            "to_ms": 60_000,
        },
        {
            "kind": "command",
            "command": "nvidia-smi -q",
            "host": "gpu-n003",
            "at_ms": 0,
            "text": "a\nb\nc",
        },
    ],
}


def board(*cards: Any, **also: Any) -> str:
    return json.dumps({"hypotheses": list(cards), **also})


def test_all_that_was_written_stands_in_lines() -> None:
    lines = (readable(board(CARD, {"claim": "The network", "status": "refuted"})) or "").split("\n")
    assert lines == [
        "Hypothesis 1: supported",
        "Claim: GPU 4 of gpu-n003 is capped",
        "    since the power supply failed",
        "Place: gpu-n003, GPU 4",
        "Time lost: 1.8 hours, 0.54 seconds per step",
        "Priority: 1",
        "Mitigation: Drain the node.",
        "Prevention: Alert on SW power cap.",
        "Reason: Clock follows the limit.",
        "Written down in minute 12, decided in minute 30",
        "Pin 1: nodes/gpu-n003/dmesg.txt, line 7: “one” Note: the start",
        'Pin 2: chart of DCGM_FI_DEV_SM_CLOCK{gpu="4"}, 1 Jan 1970 00:00:00 to 1 Jan 1970 00:01:00 UTC',
        "Pin 3: nvidia-smi -q on gpu-n003: “a” (and 2 more lines)",
        "",
        "Hypothesis 2: refuted",
        "Claim: The network",
    ]


def test_minutes_do_not_tell_of_extra_time() -> None:
    """Somebody with half as much time again who decided in the last minute reads as everybody else."""
    late = CARD | {"opened_min": 45, "decided_min": 67.4}
    text = readable(board(late), OrdinaryTime(1.5, 45)) or ""
    assert "Written down in minute 30, decided in minute 44" in text
    extended = readable(board(CARD | {"opened_min": 52}), OrdinaryTime(1.0, 45)) or ""
    assert "minute 45" in extended


def test_what_nobody_expected_is_shown_too() -> None:
    odd = {
        "claim": 7,
        "pins": ["loose"],
        "priority": "first",
        "secret": {"a": 1},
        "opened_min": "x",
    }
    text = readable(board(odd)) or ""
    for said in ("Claim: 7", "Pin 1: loose", "Priority: first", 'Also, secret: {"a": 1}'):
        assert said in text


def test_a_board_that_is_none_is_shown_as_it_is() -> None:
    for text in ("", "{", "[]", '{"hypotheses": 3}', '{"hypotheses": ["x"]}', "[" * 100_000):
        assert readable(text) is None
    body = {"files": {"board.json": '{"hypotheses": 3}'}, "sections": {}}
    part = answer_text.parts(body, {})[0]
    assert (part.key, part.title, part.is_code) == ("board.json", "Hypothesis board", True)
    assert [line.text for line in part.lines] == ['{"hypotheses": 3}']


def test_an_empty_board_is_left_empty() -> None:
    part = answer_text.parts({"files": {"board.json": board()}, "sections": {}}, {})[0]
    assert (part.lines, part.is_code) == ([], False)


def test_rounds_and_steps_are_compared_in_words() -> None:
    bodies: list[dict[str, Any]] = [
        {"files": {"board.json": text}, "sections": {}}
        for text in (board(CARD), board(CARD | {"hours": 2.5}), board(CARD, kept="elsewhere"))
    ]
    change = answer_text.comparisons(bodies[0], bodies[1], {})[0]
    assert change.title == "Hypothesis board"
    changed = [row for row in change.pairs if row.kind == "changed"]
    assert [row.right.text for row in changed] == ["Time lost: 2.5 hours, 0.54 seconds per step"]
    assert work_history.changes(bodies[0], bodies[1], {})[0].title == "Hypothesis board"
    assert answer_text.comparisons(bodies[0], bodies[2], {}) == []
