"""What candidates are told they may consult, and the time limits an exercise starts from."""

from __future__ import annotations

from collections.abc import Mapping

from library.models import Kind

REFERENCES = (
    "You may read any public documentation, manual pages and your own notes while you work. "
    "Please do not ask other people for help and do not share the exercise."
)
ASSISTANTS = (
    "You may use an AI assistant as you would at work. Say in your answer where you used one and what "
    "you changed in what it gave you; in the conversation afterwards you will be asked to explain and "
    "defend every part."
)

# Minutes on site: requirements E1 to E4 (upper end of each range). Take-home links: 120 to 180, but for
# troubleshooting, where working under time is part of the exercise.
ON_SITE_MINUTES = {
    Kind.SCALING: 60,
    Kind.TROUBLESHOOTING: 45,
    Kind.COST: 60,
    Kind.AUTOMATION: 60,
    Kind.GPU: 60,
}
TAKE_HOME_MINUTES = {
    Kind.SCALING: 180,
    Kind.TROUBLESHOOTING: 45,
    Kind.COST: 180,
    Kind.AUTOMATION: 180,
    Kind.GPU: 120,
}
REVISION_MINUTES = {
    Kind.SCALING: 10,
    Kind.TROUBLESHOOTING: 10,
    Kind.COST: 10,
    Kind.AUTOMATION: 15,
    Kind.GPU: 15,
}
WORKPLACES: Mapping[str, str] = {
    Kind.TROUBLESHOOTING: "incident",
    Kind.COST: "bill",
    Kind.SCALING: "plan",
}
"""Kinds at which the candidate works with generated materials -> the workspace made for them."""

WORKED_AT = {Kind.AUTOMATION, Kind.GPU, *WORKPLACES}
"""Kinds for which there is a workspace; a pack of another could be built and graded, and not be chosen."""

# Released 24 to 48 hours ahead (requirement E8); the others are a surprise.
RELEASED_AHEAD = {Kind.SCALING, Kind.COST}


def default_limits(kind: str, *, take_home: bool) -> tuple[int, int]:
    """(minutes of work, minutes of revision) for an exercise that states none."""
    work = TAKE_HOME_MINUTES if take_home else ON_SITE_MINUTES
    return work[Kind(kind)], REVISION_MINUTES[Kind(kind)]


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
