"""Where invitations stand, in a few tags each: for lists that name one in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.models import User
from assessments.standing import Standing
from reviews.board.lines import Reader
from reviews.board.stored import of_links


def state_tags(viewer: User, links: Iterable[UUID], now: datetime) -> dict[UUID, SafeString]:
    """The state of each invitation that the viewer may see, in a constant number of queries."""
    people = Reader(viewer, of_links(viewer, list(links), now), now).people()
    return {UUID(one.link): tags_of([line.next.standing for line in one.lines]) for one in people}


def tags_of(standings: list[Standing]) -> SafeString:
    """Each state once, with how many exercises are in it where not all are."""
    counted = Counter(standings)
    several = len(counted) > 1
    return format_html_join(
        " ",
        '<span class="tag {}">{}</span>{}',
        (
            (
                standing.tone,
                f"{standing.words} · {number}" if several and number > 1 else standing.words,
                format_html(' <span class="muted small">{}</span>', standing.detail)
                if standing.detail
                else "",
            )
            for standing, number in counted.items()
        ),
    )
