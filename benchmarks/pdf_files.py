"""How long a report takes to be set as a PDF file, by a process that is kept and by one that is started for it.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.pdf_files

Builds two people's reports in a database of its own and writes benchmarks/pdf_files.json: pages, and medians
of seconds and of processor time in s, of which those of the kept process leave out what it has read before.
"""

from __future__ import annotations

import io
import json
import os
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from benchmarks.own_database import own_database

HERE = Path(__file__).parent
TIMES = 5
BAR_S = 3.0
BASE = "http://localhost/"


def reports() -> dict[str, str]:
    """Name -> the page as the site hands it to a worker: one exercise with its revision, and four of them."""
    from datetime import timedelta

    from assessments.models import Attempt
    from assessments.tests.stage import NOW, Stage, begin, submit
    from reviews.decisions.tests.report_scene import long_story
    from reviews.scoring import evaluations
    from reviews.tests.scene import LATER, grade
    from reviews.tests.story import whole

    def short_story(stage: Stage) -> Attempt:
        attempt = begin(stage)
        submit(attempt, "My reasons.", at=NOW + timedelta(minutes=30))
        grade(attempt)
        evaluations.assign(attempt=attempt, evaluator=stage.ines, by=stage.rhea, now=LATER)
        return whole(stage, Attempt.objects.get(pk=attempt.pk))

    return {name: html_of(told) for name, told in (("short", short_story), ("long", long_story))}


def html_of(told: Callable[[Any], Any]) -> str:
    """The report of a story that is told and forgotten again."""
    from django.db import transaction
    from django.test import Client
    from django.urls import reverse

    from assessments.tests.stage import NOW, make_stage
    from library.bank import load_questions
    from library.packs import load_packs
    from reviews.models import PdfFile

    with transaction.atomic():
        load_packs(now=NOW)
        load_questions(now=NOW)
        stage = make_stage()
        client = Client(SERVER_NAME="localhost")
        client.force_login(stage.hana)
        answer = client.get(reverse("admin:report", args=[told(stage).pk]) + "?pdf")
        assert answer.status_code == 202, answer.content.decode()
        html = str(PdfFile.objects.latest("pk").html)
        transaction.set_rollback(True)
    return html


def measured(html: str) -> dict[str, float | int]:
    from pypdf import PdfReader

    from reviews import pdf, pdf_process
    from reviews.typesetter import TYPESETTER

    file = pdf.pdf(html, base=BASE)
    kept = [timed(lambda: pdf.pdf(html, base=BASE))[0] for _ in range(TIMES)]

    def started() -> None:
        TYPESETTER.end()
        pdf.pdf(html, base=BASE)
        TYPESETTER.end()  # waited for, so that its processor time is counted

    new = [timed(started) for _ in range(TIMES)]
    shared = {name: str(path) for name, path in pdf.own_fonts().items()}
    page = pdf_process.ready(list(pdf.styles()), shared)
    page(pdf_process.SPECIMEN, "")
    forks = [
        timed(lambda: pdf_process.in_a_fork(lambda: page(html, BASE)))[1] for _ in range(TIMES)
    ]
    return {
        "pages": len(PdfReader(io.BytesIO(file)).pages),
        "kept_s": round(statistics.median(kept), 2),
        "kept_cpu_s": round(statistics.median(forks), 2),
        "started_s": round(statistics.median(wall for wall, _ in new), 2),
        "started_cpu_s": round(statistics.median(cpu for _, cpu in new), 2),
    }


def timed(what: Callable[[], object]) -> tuple[float, float]:
    """(seconds, processor time of children that ended meanwhile)"""
    used, began = _of_children(), time.perf_counter()
    what()
    return time.perf_counter() - began, _of_children() - used


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    load = os.getloadavg()[0]
    with own_database():
        found = {name: measured(html) for name, html in reports().items()}
    answer = {
        "commit": commit(),
        "times": TIMES,
        "bar_s": BAR_S,
        "processors": os.cpu_count(),
        "load_before": round(load, 1),  # well below the processors: the machine was quiet
        "reports": found,
    }
    text = json.dumps(answer, indent=2) + "\n"
    (HERE / "pdf_files.json").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
