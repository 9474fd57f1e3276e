"""Sessions, their rows and the process that hosts them: claims, bytes once and in order, every way to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.utils import timezone

from assessments import attempts
from assessments.models import (
    Attempt,
    TerminalChunk,
    TerminalCommand,
    TerminalSession,
)
from assessments.terminal import endings, host, sessions
from assessments.terminal.cluster import Cluster
from assessments.terminal.contents import spec_of
from assessments.terminal.guests import Shell
from assessments.terminal.tests.terminal_play import ESCAPES, small_cluster, small_folder
from assessments.tests.stage import Stage, begin, make_stage
from sandbox import Backend, Outcome, Spec, rootfs
from sandbox.tests.conftest import built_root, login_root, namespace, shared_state

__all__ = ["built_root", "login_root", "namespace", "shared_state"]
pytestmark = pytest.mark.django_db
Prepare = Callable[[TerminalSession], tuple[Spec, Cluster]]


@pytest.fixture
def scene() -> Stage:
    return make_stage(timezone.now())


@pytest.fixture
def ada(scene: Stage) -> Attempt:
    return begin(scene, timezone.now())


@pytest.fixture
def prepare(tmp_path: Path) -> Prepare:
    cluster, manifest = small_cluster(tmp_path), small_folder(tmp_path)

    def ready(row: TerminalSession) -> tuple[Spec, Cluster]:
        return spec_of(tmp_path, manifest, cluster, row.columns, row.rows), cluster

    return ready


@pytest.fixture
def hosting(namespace: Backend, login_root: rootfs.Root, prepare: Prepare) -> host.Host:
    return host.Host(namespace, 2, prepare)


class Page:
    """A page that types and looks, against a host that is turned by hand."""

    def __init__(self, attempt: Attempt, hosting: host.Host) -> None:
        self.hosting, self.key, self.number, self.after = hosting, uuid4(), 0, 0
        self.row = sessions.start(attempt, columns=80, rows=24, now=timezone.now())
        self.screen = ""

    def type(self, text: str) -> None:
        self.number += 1
        typed = sessions.Typed(self.key, self.number, text.encode())
        sessions.type_into(self.row.pk, typed, now=timezone.now())

    def sees(self, wanted: str, within_s: float = 40) -> None:
        until = time.monotonic() + within_s
        while wanted not in self.screen:
            assert time.monotonic() < until, (
                f"{wanted!r} did not come: {self.screen!r} {self.state()}"
            )
            self.turn()

    def turn(self, now: datetime | None = None) -> None:
        self.hosting.turn(now or timezone.now())
        out = sessions.printed(self.row, self.after, wait=False)
        self.after = out.upto
        self.screen = ESCAPES.sub("", self.screen + out.data.decode())
        time.sleep(0.02)

    def state(self) -> tuple[str, str]:
        self.row.refresh_from_db()
        return self.row.state, self.row.ending

    def ends(self, within_s: float = 40) -> str:
        until = time.monotonic() + within_s
        while self.state()[0] != "ended" or self.hosting._hosted:
            assert time.monotonic() < until, self.state()
            self.turn()
        return self.state()[1]


def test_typed_once_printed_in_order_and_recorded(ada: Attempt, hosting: host.Host) -> None:
    page = Page(ada, hosting)
    page.sees("~]$ ")
    page.type("echo $((6*7))\r")
    again = sessions.Typed(page.key, page.number, b"echo $((6*7))\r")
    assert sessions.type_into(page.row.pk, again, now=timezone.now()) == page.number
    page.sees("\n42\n")
    other = sessions.Typed(uuid4(), 1, b"nvidia-smi\r")
    sessions.type_into(page.row.pk, other, now=timezone.now())
    sessions.resize(page.row.pk, 120, 40, now=timezone.now())
    page.sees("H100")
    page.type("stty size\r")
    page.sees("\n40 120\n")
    assert page.screen.count("\n42\n") == 1
    page.type("exit 3\r")
    assert page.ends() == endings.LEFT
    lines = TerminalCommand.objects.values_list("source", "host", "line", "code")
    assert ("cluster", "login01", "nvidia-smi", 0) in lines
    assert [line for _, _, line, _ in lines].count("echo $((6*7))") == 1
    assert sessions.told(page.row, now=timezone.now())["sentence"].startswith("The shell has ended")


def test_only_one_terminal_at_a_time(ada: Attempt, hosting: host.Host) -> None:
    first = Page(ada, hosting)
    first.sees("~]$ ")
    second = Page(ada, hosting)
    assert first.state() == ("ended", endings.REPLACED)
    second.sees("~]$ ")
    second.type("exit\r")
    assert second.ends() == endings.LEFT


def test_places_are_counted_and_the_next_waits(
    scene: Stage, ada: Attempt, namespace: Backend, prepare: Prepare, login_root: rootfs.Root
) -> None:
    hosting = host.Host(namespace, 0, prepare)
    page = Page(ada, hosting)
    page.turn()
    assert page.state() == ("waiting", "")
    told = sessions.told(page.row, now=timezone.now() + timedelta(seconds=5))
    assert told["sentence"] == sessions.AWAY
    hosting._claimed = 0.0
    hosting.turn(timezone.now() + timedelta(seconds=60))
    assert page.state() == ("ended", endings.UNWANTED)


@pytest.mark.parametrize("ending", [endings.IDLE, endings.OVER])
def test_shell_ends_when_nobody_types_or_the_time_is_over(
    ending: str, ada: Attempt, hosting: host.Host
) -> None:
    page = Page(ada, hosting)
    page.sees("~]$ ")
    if ending == endings.IDLE:
        TerminalSession.objects.update(typed_at=timezone.now() - timedelta(minutes=31))
    else:
        now = timezone.now()
        answer: dict[str, dict[str, str]] = {"files": {}, "sections": {}}
        attempts.submit(ada.pk, client=uuid4(), seq=1, base=None, body=answer, now=now)
    hosting._hosted[page.row.pk].checked = 0.0
    assert page.ends() == ending


def test_our_trouble_is_said_to_be_ours(ada: Attempt, namespace: Backend) -> None:
    def fails(row: TerminalSession) -> tuple[Spec, Cluster]:
        raise OSError("no space left")

    page = Page(ada, host.Host(namespace, 2, fails))
    assert page.ends() == endings.TROUBLE
    page.row.refresh_from_db()
    assert "no space left" in page.row.trouble
    told = sessions.told(page.row, now=timezone.now())
    assert "our fault" in told["sentence"]
    assert "space" not in str(told)


def test_a_flood_ends_it_with_a_sentence(ada: Attempt, hosting: host.Host) -> None:
    page = Page(ada, hosting)
    page.sees("~]$ ")
    traffic = hosting._hosted[page.row.pk].traffic
    for _ in range(60):
        traffic.call("output", {"data": "QUJD" * 24_000})
    assert page.ends() == endings.FLOOD


def test_old_bytes_go_and_commands_stay(
    ada: Attempt, hosting: host.Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "KEPT_PRINTED", 4000)
    monkeypatch.setattr(host, "PRUNED_ABOVE", 5000)
    page = Page(ada, hosting)
    page.sees("~]$ ")
    for at in range(8):
        page.type(f"printf '%1500s' '' | tr ' ' {at}; echo end-{at}\r")
        page.sees(f"{at}end-{at}")
    hosting._hosted[page.row.pk].checked = 0.0
    page.turn()
    kept = TerminalChunk.objects.filter(session=page.row, direction="out")
    assert sum(len(bytes(row.data)) for row in kept) < 8000
    assert sessions.printed(page.row, 0, wait=False).skipped
    page.type("exit\r")
    page.ends()
    sessions.forget_typing(before=timezone.now() + timedelta(days=2))
    assert set(TerminalChunk.objects.values_list("direction", flat=True)) == {"out"}
    assert TerminalCommand.objects.filter(line__contains="end-7").exists()


def test_a_host_that_was_killed_is_noticed_by_page_and_by_the_next_host(
    ada: Attempt, hosting: host.Host
) -> None:
    """A real process under its name, killed; then one of another machine that has gone silent."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    started = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[19]
    name = f"{os.uname().nodename}:{child.pid}:{started}"
    now = timezone.now()
    row = sessions.start(ada, columns=80, rows=24, now=now)
    live = TerminalSession.objects.filter(pk=row.pk)
    live.update(state="live", worker=name, seen_at=now)
    hosting.turn(now)
    assert live.get().state == "live"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    hosting._swept = 0.0
    hosting.turn(now)
    assert (live.get().state, live.get().ending) == ("ended", endings.LOST)
    live.update(state="live", worker="elsewhere:1:1", ended_at=None)
    sessions.look(live.get(), now=now + timedelta(seconds=10))
    assert live.get().state == "live"
    sessions.look(live.get(), now=now + timedelta(seconds=25))
    assert live.get().ending == endings.LOST


def test_nothing_printed_is_lost_while_the_database_is_away(
    ada: Attempt, hosting: host.Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    page = Page(ada, hosting)
    page.sees("~]$ ")
    create = TerminalChunk.objects.create

    def locked(**fields: object) -> TerminalChunk:
        raise OperationalError("database is locked")

    page.type("echo kept-$((40+2))\r")
    monkeypatch.setattr(TerminalChunk.objects, "create", locked)
    with pytest.raises(OperationalError):
        page.sees("kept-42")  # each of its turns also hands over what was typed
    monkeypatch.setattr(TerminalChunk.objects, "create", create)
    page.sees("kept-42")
    hosting.close()
    assert page.state() == ("ended", endings.LOST)


@pytest.mark.django_db(transaction=True)
def test_erased_session_does_not_hold_up_the_others(ada: Attempt, hosting: host.Host) -> None:
    page = Page(ada, hosting)
    page.sees("~]$ ")
    page.type("sleep 0.3; echo late\r")
    page.turn()
    TerminalChunk.objects.all().delete()
    TerminalSession.objects.all().delete()
    until = time.monotonic() + 15
    while hosting._hosted and time.monotonic() < until:
        hosting.turn(timezone.now())
        time.sleep(0.05)
    assert not hosting._hosted


def test_too_many_starts_are_refused(ada: Attempt) -> None:
    now = timezone.now()
    for _ in range(sessions.MOST_STARTED):
        sessions.start(ada, columns=80, rows=24, now=now)
    with pytest.raises(sessions.TooMany):
        sessions.start(ada, columns=80, rows=24, now=now)


def test_endings_follow_what_the_sandbox_says() -> None:
    row = TerminalSession()

    def ending(**fields: object) -> str:
        guest = Shell(row, threading.Event(), host.prepare)
        hosted = host.Hosted(row, guest)
        hosted.outcome = Outcome(detail="", backend="namespace", **fields)  # type: ignore[arg-type]
        guest.traffic.close()
        return hosted.how_it_ended()

    assert ending(status="oom") == endings.LIMIT
    assert ending(status="sandbox_error") == endings.TROUBLE
    assert ending(status="ok") == endings.LEFT
