"""A question to try before the start: about a small program of ours, so it tells nothing of an exercise."""

from __future__ import annotations

from django.utils.translation import gettext

from graders.own_work import CHOICE, OPEN, RIGHT, Question, judge

ANSWER = """\
IDLE_MINUTES = 10

def step(room):
    if room.people:
        room.light = "on"
        room.empty_since = None
    elif room.empty_since is None:
        room.empty_since = room.now
    elif room.now - room.empty_since >= IDLE_MINUTES:
        room.light = "off"
"""
QUESTION = Question(
    key="example",
    topic="next",
    prompt="This program is called once a minute. Above is what it finds at 18:07. What does it do from then "
    "until 18:12?",
    form=CHOICE,
    right="2",
    reckoning="",
    options=(
        ("1", "It switches the light off."),
        ("2", "Nothing: it lets the time pass."),
        ("3", "It switches the light on."),
        ("4", "It switches the light off and on again."),
    ),
    shown=(
        ("People in the room", "0"),
        ("Light", "on"),
        ("Just before", "At 18:04 the last person left, and the program noted the time."),
    ),
)
WHY = (
    "The room is empty since 18:04, and the light goes off after ten minutes: at 18:14. Until 18:12 the "
    "program only waits."
)


def said(given: str) -> str:
    """What stands below the example once something was chosen; "" before."""
    verdict = judge(QUESTION, given)
    if verdict == OPEN:
        return ""
    return f"{gettext('Right.' if verdict == RIGHT else 'Not quite.')} {gettext(WHY)}"
