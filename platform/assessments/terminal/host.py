"""Hosts terminals: claims the rows that ask for one, runs their sandboxes, carries bytes to and fro.

One thread does all that has to do with the database, `Host.serve`; each sandbox has a thread of its own that
knows only its Traffic. A row is this process's from the claim on; whoever finds its host silent ends it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.db import DatabaseError, IntegrityError, InterfaceError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from assessments.company import of_attempt
from assessments.execution import is_gone, worker_name
from assessments.materials import variants
from assessments.materials.manifest import manifest_of
from assessments.models.terminal import SILENT, TerminalChunk, TerminalCommand, TerminalSession
from assessments.terminal import contents, endings, sessions
from assessments.terminal.cluster import Cluster
from assessments.terminal.guests import Guest, Prepare, guest_of
from assessments.terminal.traffic import Traffic
from sandbox import Backend, Outcome, Spec

logger = logging.getLogger(__name__)
BUSY_S, QUIET_S = 0.02, 0.2
BUSY_FOR_S = 8.0
CHECK_S, CLAIM_S, SWEEP_S = 2.0, 0.4, 5.0
PAGE_GONE = timedelta(seconds=30)
KEPT_PRINTED, KEPT_TYPED = 1 << 20, 500
PRUNED_ABOVE = KEPT_PRINTED * 5 // 4
"""Bytes: a quarter too many before the oldest go, so that a busy screen is not pruned with every chunk."""
CHUNKS_AT_ONCE = 2_000
"""Of what was typed, in one turn: more comes in the next, and no paste holds up the other terminals."""
TROUBLE_KEPT = 800
"""Last characters of what the shell's process complained of: its traceback's end."""
TYPING_KEPT, TIDY_EVERY = timedelta(days=1), timedelta(hours=1)
IDLE = timedelta(minutes=endings.IDLE_MIN)
Direction, State = TerminalChunk.Direction, TerminalSession.State


def prepare(row: TerminalSession) -> tuple[Spec, Cluster]:
    """What a session's sandbox gets; may take some seconds. Raises variants.NotBuilt, OSError, ValueError."""
    attempt = row.attempt
    version = attempt.pack_version
    folder: Path = variants.folder_of(
        version.name, attempt.level, attempt.seed, version.digest, attempt.company
    )
    manifest = manifest_of(folder)
    cluster = contents.cluster_of(
        folder, manifest, attempt.level, attempt.seed, of_attempt(attempt)
    )
    return contents.spec_of(folder, manifest, cluster, row.columns, row.rows), cluster


def _is_practice(row: TerminalSession) -> bool:
    return row.attempt.exercise.opening.practice_of_id is not None


@dataclass
class Hosted:
    """A session of this process. `taken` and `given` number its newest rows, in and out."""

    row: TerminalSession
    guest: Guest
    thread: threading.Thread | None = None
    outcome: Outcome | None = None
    trouble: str = ""
    ending: str = ""
    taken: int = 0
    given: int = 0
    checked: float = 0.0
    sizes: deque[tuple[int, int]] = field(default_factory=deque)

    @property
    def traffic(self) -> Traffic:
        return self.guest.traffic

    @property
    def is_over(self) -> bool:
        return self.thread is None or not self.thread.is_alive()

    def how_it_ended(self) -> str:
        if self.ending:
            return self.ending
        if self.guest.trouble:
            return endings.TROUBLE
        if self.traffic.flooded:
            return endings.FLOOD
        if self.outcome is None or self.outcome.status == "sandbox_error":
            return endings.TROUBLE
        if self.traffic.has_left:
            return endings.LEFT
        limits = ("timeout", "cpu_limit", "oom", "output_limit", "protocol_error")
        return endings.LIMIT if self.outcome.status in limits else endings.LEFT


class Host:
    """At most `places` terminals of this process."""

    def __init__(self, backend: Backend, places: int, prepare: Prepare = prepare) -> None:
        self.news = threading.Event()
        self._backend, self._places, self._prepare = backend, places, prepare
        self._name = worker_name()
        self._hosted: dict[UUID, Hosted] = {}
        self._busy_until = self._claimed = self._swept = 0.0
        self._tidied: datetime | None = None

    def serve(self, stop: threading.Event) -> None:
        """Until `stop`; then every shell is ended and said to be."""
        while not stop.is_set():
            try:
                self.turn(timezone.now())
            except (DatabaseError, InterfaceError) as error:
                logger.warning("Terminals wait for the database: %s", error)
                connection.close()
                time.sleep(0.5)
            busy = time.monotonic() < self._busy_until
            self.news.wait(BUSY_S if busy else QUIET_S)
            self.news.clear()
        self.close()

    def close(self) -> None:
        for hosted in self._hosted.values():
            hosted.ending = hosted.ending or endings.LOST
            hosted.traffic.stop.set()
        for hosted in self._hosted.values():
            if hosted.thread is not None:
                hosted.thread.join(10)
        self.turn(timezone.now(), claims=False)

    def turn(self, now: datetime, *, claims: bool = True) -> None:
        """Everything there is to do once. Raises DatabaseError; nothing is lost by it."""
        clock = time.monotonic()
        if clock - self._swept > SWEEP_S:
            self._swept = clock
            self._sweep(now)
        if claims and clock - self._claimed > CLAIM_S:
            self._claimed = clock
            self._claim(now)
        if not self._hosted:
            return
        self._take_in()
        failed: Exception | None = None
        for hosted in list(self._hosted.values()):
            try:
                self._look_after(hosted, now)
            except (DatabaseError, InterfaceError) as error:  # the others have their turn first
                failed = error
        if failed is not None:
            raise failed

    def _look_after(self, hosted: Hosted, now: datetime) -> None:
        over, clock = hosted.is_over, time.monotonic()
        self._give_out(hosted, now)
        hosted.guest.tend(now)
        if over:
            self._finish(hosted, now)
        elif clock - hosted.checked > CHECK_S:
            hosted.checked = clock
            self._check(hosted, now)

    def _sweep(self, now: datetime) -> None:
        """End sessions whose host has gone, and let what was typed in old ones go."""
        live = TerminalSession.objects.filter(state=State.LIVE).exclude(pk__in=self._hosted)
        for row in live:
            if row.is_silent(now) or is_gone(row.worker):
                sessions.end(TerminalSession.objects.filter(pk=row.pk), endings.LOST, now=now)
        if self._tidied is None or now - self._tidied > TIDY_EVERY:
            self._tidied = now
            sessions.forget_typing(before=now - TYPING_KEPT)

    def _claim(self, now: datetime) -> None:
        """Take rows that wait, oldest first, while there is a place; only a look where none does.

        Practice comes last, and never takes the half of the places that is kept for exercises.
        """
        waiting = TerminalSession.objects.filter(state=State.WAITING).order_by("asked_at")
        waiting = waiting.select_related("attempt__pack_version", "attempt__exercise__opening")
        room = self._places - len(self._hosted)
        for row in sorted(waiting, key=_is_practice):
            mine = TerminalSession.objects.filter(pk=row.pk, state=State.WAITING)
            if now - row.looked_at > PAGE_GONE + SILENT:
                sessions.end(mine, endings.UNWANTED, now=now)
            elif (
                room > (self._places // 2 if _is_practice(row) else 0)
                and now - row.looked_at <= PAGE_GONE
            ):
                changes = {"worker": self._name, "started_at": now, "seen_at": now}
                if mine.update(state=State.LIVE, **changes):
                    room -= 1
                    self._begin(row)

    def _begin(self, row: TerminalSession) -> None:
        """The thread makes all ready first, so that nobody else waits for that."""
        hosted = Hosted(row, guest_of(row, self.news, self._prepare))

        def run() -> None:
            try:
                spec = hosted.guest.prepare()
                hosted.outcome = self._backend.run(spec, hosted.traffic, hosted.traffic.stop)
            except Exception as error:
                logger.exception("Terminal %s could not be run", row.pk)
                hosted.trouble = f"{type(error).__name__}: {error}"
            finally:
                connection.close()
                self.news.set()

        hosted.thread = threading.Thread(target=run, name=f"terminal-{row.pk}", daemon=True)
        hosted.thread.start()
        self._hosted[row.pk] = hosted
        self._busy_until = time.monotonic() + BUSY_FOR_S

    def _take_in(self) -> None:
        """Hand over what was typed since the last turn."""
        wanted = Q()
        for pk, hosted in self._hosted.items():
            wanted |= Q(session=pk, seq__gt=hosted.taken)
        rows = TerminalChunk.objects.filter(wanted, direction__in=(Direction.IN, Direction.SIZE))
        fields = ("session_id", "seq", "direction", "data")
        for pk, seq, direction, data in rows.order_by("seq").values_list(*fields)[:CHUNKS_AT_ONCE]:
            hosted = self._hosted[pk]
            hosted.taken = seq
            self._busy_until = time.monotonic() + BUSY_FOR_S
            if direction == Direction.IN:
                hosted.traffic.type(bytes(data))
            else:
                columns, rows_ = bytes(data).split(b",")
                hosted.traffic.resize(int(columns), int(rows_))

    def _give_out(self, hosted: Hosted, now: datetime) -> None:
        """Keep what was printed and run since the last turn; on trouble all of it waits for the next."""
        data, ran = hosted.traffic.printed(), hosted.traffic.ran()
        if not data and not ran:
            return
        row = hosted.row
        try:
            with transaction.atomic():
                if data:
                    TerminalChunk.objects.create(
                        session=row,
                        direction=Direction.OUT,
                        seq=hosted.given + 1,
                        at=now,
                        data=data,
                    )
                TerminalCommand.objects.bulk_create(
                    TerminalCommand(
                        session=row,
                        source=one.source,
                        at=datetime.fromtimestamp(one.at, UTC),
                        host=one.host,
                        line=one.line,
                        code=one.code,
                        ms=one.ms,
                    )
                    for one in ran
                )
        except IntegrityError:
            # The session's row has gone, with the candidate's data: there is nobody to print for.
            hosted.ending = endings.REPLACED
            hosted.traffic.stop.set()
        except (DatabaseError, InterfaceError):
            hosted.traffic.put_back(data)
            hosted.traffic.put_back_ran(ran)
            raise
        if data:
            hosted.given += 1
            hosted.sizes.append((hosted.given, len(data)))
            self._busy_until = time.monotonic() + BUSY_FOR_S

    def _finish(self, hosted: Hosted, now: datetime) -> None:
        outcome, ending = hosted.outcome, hosted.how_it_ended()
        trouble = hosted.trouble or hosted.guest.trouble
        if ending in (endings.TROUBLE, endings.LIMIT) and outcome is not None and not trouble:
            trouble = f"{outcome.status}: {outcome.detail} {outcome.stderr[-TROUBLE_KEPT:]}"
            logger.warning("Terminal %s ended: %s", hosted.row.pk, trouble)
        mine = TerminalSession.objects.filter(pk=hosted.row.pk)
        sessions.end(mine, ending, now=now, trouble=trouble)
        hosted.traffic.close()
        del self._hosted[hosted.row.pk]

    def _check(self, hosted: Hosted, now: datetime) -> None:
        """Say that it lives; end it where it was replaced, is idle or its time is over. Prune."""
        mine = TerminalSession.objects.filter(pk=hosted.row.pk)
        is_there = mine.filter(state=State.LIVE).update(seen_at=now)
        if not hosted.ending and not is_there:
            hosted.ending = endings.REPLACED
        elif not hosted.ending:
            row = mine.select_related("attempt__exercise").get()
            phase = row.attempt.phase(now)
            if not phase.accepts or row.attempt.round != row.round:
                hosted.ending = endings.OVER
            elif row.typed_at is not None and now - row.typed_at > IDLE:
                hosted.ending = endings.IDLE
        if hosted.ending and hosted.guest.may_stop(now):
            hosted.traffic.stop.set()
        self._prune(hosted)

    def _prune(self, hosted: Hosted) -> None:
        """Let the oldest bytes go, once there are a quarter too many."""
        sizes, chunks = hosted.sizes, TerminalChunk.objects.filter(session=hosted.row.pk)
        total = sum(size for _, size in sizes)
        if total > PRUNED_ABOVE:
            last = 0
            while total > KEPT_PRINTED:
                last, size = sizes.popleft()
                total -= size
            chunks.filter(direction=Direction.OUT, seq__lte=last).delete()
        if (
            hosted.taken > KEPT_TYPED and hosted.taken % 50 < 10
        ):  # now and then: few rows, one query
            chunks.exclude(direction=Direction.OUT).filter(
                seq__lte=hosted.taken - KEPT_TYPED
            ).delete()
