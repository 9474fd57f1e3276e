"""Stage changes that Lever reported: kept at once, taken in by a worker, which asks Lever who each is about."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from accounts.not_possible import NotPossible
from integrations.models import Arrival, Connection
from integrations.sealed import Unreadable, unseal
from integrations.sending import WHOLE_S, Answer, NoAnswer, NotAllowed, send
from integrations.tracking import lever, orders
from integrations.tracking.connections import note_trouble

LEASE = timedelta(seconds=3 * WHOLE_S)
PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
PATIENCE, KEPT = timedelta(days=1), timedelta(days=30)
AT_ONCE = 20
MOST_READ = 500_000
NOBODY = "Lever's answer names no address to invite."


def keep(connection: Connection, *, token: str, external_id: str, now: datetime) -> bool:
    """Note that somebody reached the stage; False where the same request came before."""
    _, made = Arrival.objects.get_or_create(
        connection=connection,
        token=token,
        defaults={"external_id": external_id, "arrived_at": now, "due_at": now},
    )
    return made


def _startable(now: datetime) -> QuerySet[Arrival]:
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    return Arrival.objects.filter(free, ended_at=None, due_at__lte=now, connection__ended_at=None)


def take_in_due(worker: str, clock: Callable[[], datetime]) -> int:
    """Take in what is due, oldest first; how many were tried."""
    keys = _startable(clock()).order_by("due_at", "pk").values_list("pk", flat=True)[:AT_ONCE]
    return sum(_take_in(pk, worker, clock()) for pk in list(keys))


def _take_in(pk: int, worker: str, now: datetime) -> bool:
    claimed = _startable(now).filter(pk=pk)
    if not claimed.update(worker=worker, lease_until=now + LEASE, tries=F("tries") + 1):
        return False
    row = Arrival.objects.select_related("connection__person", "connection__exercise__opening").get(
        pk=pk
    )
    try:
        answer = _asked(row)
    except (NoAnswer, NotAllowed, Unreadable) as error:
        answer = Answer(0, str(error), 0)
    if answer.status == 200:
        _order(row, answer.text, now)
    else:
        _put_off(row, f"{answer.status or 'No answer'}: {answer.text}", now)
    return True


def _asked(row: Arrival) -> Answer:
    key = unseal(row.connection.outward_key)
    return send(lever.who(row.connection, row.external_id, key=key), most=MOST_READ)


def _order(row: Arrival, text: str, now: datetime) -> None:
    person, exercise = lever.person_of(text), row.connection.exercise
    if person is None or exercise is None:
        _end(row, NOBODY, now)
        return
    try:
        # its opening may have been closed meanwhile, or be hidden from the person by now
        exercise = orders.exercise_of(row.connection, str(exercise.pk))
        order = orders.place(row.connection, exercise, person, external_id=row.external_id, now=now)
    except NotPossible as error:
        _end(row, str(error), now)
        return
    Arrival.objects.filter(pk=row.pk).update(order=order, ended_at=now, lease_until=None, worker="")


def _end(row: Arrival, said: str, now: datetime) -> None:
    Arrival.objects.filter(pk=row.pk).update(
        ended_at=now, said=said[:500], lease_until=None, worker=""
    )
    note_trouble(row.connection, said, now=now)


def _put_off(row: Arrival, said: str, now: datetime) -> None:
    said = " ".join(said.replace("\x00", " ").split())[:500]
    if now - row.arrived_at > PATIENCE:
        _end(row, said, now)
        return
    pause = min(PAUSE * 2 ** min(row.tries - 1, 10), LONGEST_PAUSE)
    rows = Arrival.objects.filter(pk=row.pk, worker=row.worker)
    rows.update(due_at=now + pause, said=said, lease_until=None, worker="")


def forget_old(now: datetime) -> int:
    """Let go what was taken in, or could not be, long ago; how many."""
    return Arrival.objects.filter(arrived_at__lt=now - KEPT).delete()[0]
