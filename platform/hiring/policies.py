"""What candidates are told they may consult, and the time limits an exercise starts from."""

from __future__ import annotations

from django.utils.translation import gettext

from scenarios.kinds import KINDS, kind_of

REFERENCES = (
    "You may read any public documentation, manual pages and your own notes while you work. "
    "Please do not ask other people for help and do not share the exercise."
)
ASSISTANTS = (
    "You may use an AI assistant as you would at work. Say in your answer where you used one and what "
    "you changed in what it gave you; in the conversation afterwards you will be asked to explain and "
    "defend every part."
)
ASSISTANTS_BY_RULE = {
    "forbidden": "Please do not use an AI assistant. We would like to see how you work by yourself.",
    "declared": ASSISTANTS,
    "open": (
        "You may use an AI assistant as you would at work, and need not say where. In the conversation "
        "afterwards you will be asked to explain and defend every part."
    ),
    "provided": (
        "There is an AI assistant in the workspace, which you may use as much or as little as you like. "
        "Please use no other one. In the conversation afterwards you will be asked to explain and defend "
        "every part."
    ),
}
"""Choice of `Exercise.assistants` -> what candidates read where nobody wrote a text of their own."""


def own_work_notice(when: str, minutes: str) -> str:
    """What candidates are told of the questions about their own answer before they start.

    when: "after" the answer was handed in, or "live" in the interview; minutes: in words.
    """
    begin = (
        gettext(
            "In your interview there is a short round of its own clock, {minutes}: up to four questions about "
            "your own answer."
        )
        if when == "live"
        else gettext(
            "After you handed in there is a short round of its own clock, {minutes}, which you begin yourself "
            "within a day: up to four questions about your own answer."
        )
    )
    what = gettext(
        "They are about what you did and what would become of it, are easy for whoever understands the answer, "
        "and need nothing new. Each asks for a choice or a number and one sentence of why. They are no part of "
        "any score: the interviewers read them beside what you explain in conversation."
    )
    return f"{begin.format(minutes=minutes)} {what}"


SHOWN_AHEAD = " or ".join(kind.title for kind in KINDS if kind.is_released_ahead)
"""Titles of the kinds whose materials may be read before the start."""


def default_limits(kind: str, *, take_home: bool) -> tuple[int, int]:
    """(minutes of work, minutes of revision) for an exercise that states none."""
    found = kind_of(kind)
    return found.take_home if take_home else found.on_site, found.revision


ADVISED_WEIGHT = range(40, 61)
LONGEST_SITTING = 150  # minutes of work and revision together
MOST_IN_ONE_SITTING = 2


def weight_warning(percent: int) -> str:
    """A sentence where the work samples weigh more or less than requirement E9 advises, else ""."""
    if percent in ADVISED_WEIGHT:
        return ""
    return (
        f"The work samples weigh {percent} % of the overall evaluation; 40 to 60 % is advised, "
        "with interviews making up the rest."
    )


def battery_warning(minutes: list[int], *, take_home: bool) -> str:
    """A sentence where the exercises are too much for one sitting (requirement E5), else "".

    minutes: work and revision of each exercise, added up.
    """
    if take_home:
        if len(minutes) > 1:
            return "A take-home link should hold one exercise; send another link for the second."
        return ""
    if len(minutes) > MOST_IN_ONE_SITTING or sum(minutes) > LONGEST_SITTING:
        return (
            f"{len(minutes)} exercises of {sum(minutes)} minutes together are too much for one "
            f"sitting: plan at most {MOST_IN_ONE_SITTING} exercises and {LONGEST_SITTING} minutes."
        )
    return ""
