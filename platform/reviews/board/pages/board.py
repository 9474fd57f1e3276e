"""An opening's board: everybody's state and whose turn it is. The page asks for its rows again by itself."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.crypto import salted_hmac
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.staff_admin import allow
from assessments.standing import Standing, Turn
from hiring.models import Opening
from hiring.oversight import oversees
from reviews.board.filters import Wanted, chosen, states_of, who_acts
from reviews.board.lines import Line, Person, Reader
from reviews.board.stored import of_opening
from reviews.board.whose_turn import ELSE
from reviews.messages.results import TELLS
from reviews.names_seen import note_names
from reviews.visibility import openings_visible_to

PAGE = 30
ANY_KEY = UUID(int=0)
DONE_AT = {
    Turn.SCORING: "score",
    Turn.DISCUSSING: "discussion",
    Turn.FEEDING_BACK: "feedback",
    Turn.DECIDING: "decision",
    Turn.ASSIGNING: "assign",
    Turn.GRADING: "regrade",
    Turn.TELLING: "decision-tell",
}
OF_A_ROUND = (Turn.SCORING, Turn.DISCUSSING)


class Shown(NamedTuple):
    """One line as the page says it. who: names, or words where nobody is named; url: where the viewer
    does it, decide: where they may decide meanwhile."""

    exercise: str
    standing: Standing
    who: str
    action: str
    url: str
    decide: str
    overdue: bool
    waits: str
    where: str


def opening_for(request: HttpRequest, pk: int) -> tuple[User, Opening]:
    """The viewer and an opening that they may see; Http404 otherwise."""
    viewer = allow(request, "hiring.view_opening")
    opening = openings_visible_to(viewer).filter(pk=pk).first()
    if opening is None:
        raise Http404
    return viewer, opening


@require_safe
def board(request: HttpRequest, pk: int) -> HttpResponse:
    """?state= ?next= ?overdue=yes ?q= ?page=."""
    viewer, opening = opening_for(request, pk)
    context = _context(request, viewer, opening)
    may_announce = viewer.has_perm("assessments.add_announcement") and oversees(viewer, opening)
    context |= {**admin.site.each_context(request), "title": f"Board: {opening}"}
    context["may_announce"] = may_announce
    context["may_tell"] = viewer.has_perm(TELLS) and oversees(viewer, opening)
    return render(request, "reviews/board.html", context)


@require_safe
def rows(request: HttpRequest, pk: int) -> HttpResponse:
    """The part that changes, for the page's script; 304 where it says what it said before."""
    viewer, opening = opening_for(request, pk)
    text = render_to_string("reviews/_board_rows.html", _context(request, viewer, opening), request)
    etag = quote_etag(salted_hmac("board", text).hexdigest())
    answer = get_conditional_response(request, etag=etag, response=HttpResponse(text))
    if answer is None:
        raise Http404
    answer["ETag"] = etag
    patch_cache_control(answer, private=True, no_cache=True)
    return answer


def _context(request: HttpRequest, viewer: User, opening: Opening) -> dict[str, Any]:
    now, wanted = timezone.now(), Wanted.asked(request.GET.dict())
    reader = Reader(viewer, of_opening(viewer, opening.pk, now), now)
    people, words = reader.people(), Wording(reader)
    found = chosen(people, wanted, viewer)
    page = Paginator(found.people, PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    note_names(viewer, {one.candidate for one in shown if one.named}, "board", now=now)
    several = len({line.exercise for one in people for line in one.lines}) > 1
    return {
        "opening": opening,
        "everybody": len(people),
        "several": several,
        "wanted": wanted,
        "page": page,
        "people": [
            (one, lines, _says(one, lines, several))
            for one, lines in (
                (one, [words.shown(one, line) for line in one.lines]) for one in shown
            )
        ],
        "states": [
            (state, words, number, state == wanted.state, _query(wanted, state=state))
            for state, words, number in states_of(found.counts, wanted)
        ],
        "all_states": (found.total, _query(wanted, state=None)),
        "choices": who_acts(people, reader.staff, viewer),
        "page_query": _query(wanted, state=wanted.state),
        "untold": sum(any(line.next.turn == Turn.TELLING for line in one.lines) for one in people),
        "overdue_count": sum(any(line.overdue for line in one.lines) for one in people),
    }


def _query(wanted: Wanted, state: Any) -> str:
    sent = {
        "state": state or "",
        "next": wanted.next,
        "overdue": "yes" if wanted.overdue else "",
        "q": wanted.text,
    }
    return urlencode({name: value for name, value in sent.items() if value})


class Wording:
    """Says lines in words, for one request: each exercise is named once, each address reversed once."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.me = reader, reader.me
        self.exercises = {pk: str(row) for pk, row in reader.stored.exercises.items()}
        self.sees_links = reader.viewer.has_perm("hiring.view_invitation")
        self._addresses: dict[tuple[object, ...], str] = {}

    def shown(self, person: Person, line: Line) -> Shown:
        reader, done = self.reader, line.next
        yours, decides = self.me in done.people, self.me in done.deciders
        names = sorted(reader.staff.name(pk) for pk in done.people if pk != self.me)
        link = "and" if done.turn in (Turn.SCORING, Turn.DISCUSSING) else "or"
        others = "Candidate" if done.turn == Turn.CANDIDATE else _listed(names, link)
        return Shown(
            exercise=self.exercises[line.exercise],
            standing=done.standing,
            who=others or ("" if yours else ELSE.get(done.turn, "")),
            action=done.action,
            url=self._place(person, line) if yours else "",
            decide=self._at("decision", line.attempt) if decides else "",
            overdue=line.overdue,
            waits="" if line.mine else _waits(reader.at - line.since if line.since else -1),
            where=self._row(person, line),
        )

    def _row(self, person: Person, line: Line) -> str:
        """Where the line's own page is, for those who have one."""
        if line.attempt:
            return self._at("attempt", line.attempt)
        return self._at("hiring_invitation_change", person.link) if self.sees_links else ""

    def _place(self, person: Person, line: Line) -> str:
        """Where the viewer does what is theirs to do."""
        if line.next.turn == Turn.EXTENDING or not line.attempt:
            return self._at("hiring_invitation_change", person.link)
        turn = line.next.turn
        more = [line.round] if turn in OF_A_ROUND else []
        return self._at(DONE_AT[turn], line.attempt, *more)

    def _at(self, name: str, key: str, *more: int) -> str:
        """An address of the staff's by the row's key: hundreds on a page differ in that alone."""
        about = (name, *more)
        if about not in self._addresses:
            self._addresses[about] = reverse(f"admin:{name}", args=[ANY_KEY, *more])
        return self._addresses[about].replace(str(ANY_KEY), str(UUID(key)))


def _says(person: Person, lines: list[Shown], several: bool) -> str:
    """The person's lines in a sentence, which is read out when they change."""
    said = (
        f"{line.exercise} {line.standing.words.lower()}" if several else line.standing.words.lower()
        for line in lines
    )
    return f"{person.label}: {', '.join(said)}"


def _listed(names: list[str], link: str) -> str:
    """ "Ines, Otto and Priya"."""
    return f" {link} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _waits(seconds: int) -> str:
    """How long it has been somebody's turn, in whole days; "" of less than nothing."""
    days = seconds // 86_400
    if days < 1:
        return "" if days < 0 else "for less than a day"
    return f"for {days} day{'' if days == 1 else 's'}"
