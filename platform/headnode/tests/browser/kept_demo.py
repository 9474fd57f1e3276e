"""The demo as it lies once its workers have nothing left to do, made once a run of tests and lent to each site.

Where modules share a site, its rows are set back to these before each, so that no module sees what another did.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from django.utils import timezone

from headnode.launcher import load_demo, prepare
from headnode.tests.browser.site import Site, keep_static, lend_static
from headnode.tests.migrated import lend_to_a_process

DATABASE, DRAWN = "headnode.sqlite3", "seeds-drawn"
MAKE = "from headnode.tests.browser.kept_demo import make; make({port})"


def make(port: int) -> None:
    """In a process of its own with a site's settings: load the demo and do what its workers would."""
    os.environ["SANDBOX_SPARES"] = "0"
    prepare(port)
    load_demo()
    from assessments.building import build_next
    from assessments.execution import execute_grading, take_run
    from assessments.models import GradingRun, PreparedVariant

    while PreparedVariant.objects.in_turn(timezone.now()).exists():
        build_next()
    while take_run():
        pass
    for run in GradingRun.objects.all():
        assert execute_grading(run.pk)


def lend(data: Path, kept: Path) -> None:
    """Copy the demo into a site's folder; the first of all processes that asks makes it."""
    with kept.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not kept.exists():
            making = Site(kept.with_suffix(".making"))
            making.use_roots()
            lend_static(making.data)
            lend_to_a_process(making.data)
            making.run(MAKE.format(port=making.port), within=1800)
            keep_static(making.data)
            making.data.rename(kept)
    without = shutil.ignore_patterns("static", "static.stamp", "broker", "sandbox")
    shutil.copytree(kept, data, symlinks=True, ignore=without, dirs_exist_ok=True)


def set_back(site: Site, kept: Path) -> None:
    """Give a running site the demo's rows again, all at once, and the seeds that it draws.

    Its pulses stay, as it was not away. Numbers of rows go on from the highest so far: a task
    that is left from before finds no row, and never another's.
    """
    with (
        closing(sqlite3.connect(":memory:")) as anew,
        closing(sqlite3.connect(kept / DATABASE)) as rows,
        closing(sqlite3.connect(site.data / DATABASE)) as used,
    ):
        rows.backup(anew)
        anew.execute("attach ? as used", [str(site.data / DATABASE)])
        anew.executescript(KEEP)
        anew.execute("detach used")
        anew.backup(used)
    (site.data / DRAWN).unlink(missing_ok=True)
    if (kept / DRAWN).exists():
        shutil.copyfile(kept / DRAWN, site.data / DRAWN)


KEEP = """
delete from assessments_pulse;
insert into assessments_pulse select * from used.assessments_pulse;
delete from sqlite_sequence;
insert into sqlite_sequence select * from used.sqlite_sequence;
"""
