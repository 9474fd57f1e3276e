"""Lines of the logs name request, attempt, run and job; the launcher's files do not grow for ever."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pythonjsonlogger.json import JsonFormatter

from accounts.log_marks import marked, marks
from assessments.execution import perform
from assessments.models import Attempt
from assessments.tests.stage import attempt, published, run_of, stage
from headnode.children import rotate
from headnode.logs import JSON, Marks, Requests

__all__ = ["attempt", "published", "stage"]
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def as_json() -> Iterator[Any]:
    """The lines that were written since, as they are read again."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    form: dict[str, Any] = {name: value for name, value in JSON.items() if name != "()"}
    handler.setFormatter(JsonFormatter(**form))
    handler.addFilter(Marks())
    logging.root.addHandler(handler)
    level = logging.root.level
    logging.root.setLevel(logging.INFO)

    def lines() -> list[dict[str, Any]]:
        found = [json.loads(line) for line in written.getvalue().splitlines()]
        written.truncate(written.seek(0))
        return found

    yield lines
    logging.root.removeHandler(handler)
    logging.root.setLevel(level)


def test_a_line_is_one_json_object_with_its_traceback(as_json: Any) -> None:
    try:
        raise ValueError("a\nb")
    except ValueError:
        logging.getLogger("x").exception("Two\nlines, “quoted”")
    (line,) = as_json()
    assert (line["level"], line["logger"]) == ("ERROR", "x")
    assert line["message"] == "Two\nlines, “quoted”"
    assert "ValueError" in line["exc_info"]
    assert line["process"] == os.getpid()
    assert line["time"][10] == "T"


def test_requests_have_an_id_that_the_answer_and_the_log_say(as_json: Any) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        logging.getLogger("x").info("Inside.")
        return HttpResponse()

    number, run = uuid4(), uuid4()
    ask = RequestFactory().get
    path = f"/api/attempts/{number}/runs/{run}"
    answer = Requests(view)(ask(path, headers={"X-Request-ID": "from-the-proxy-1"}))
    (line,) = as_json()
    assert answer["X-Request-ID"] == line["request"] == "from-the-proxy-1"
    assert (line["attempt"], line["run"]) == (str(number), str(run))
    answer = Requests(view)(ask("/t/secret-of-a-link/", headers={"X-Request-ID": "a b\t{}"}))
    (line,) = as_json()
    assert len(answer["X-Request-ID"]) == 32
    assert "secret-of-a-link" not in json.dumps(line)
    assert "attempt" not in line
    assert marks() == {}


@pytest.mark.django_db
def test_workers_name_the_job_and_its_attempt(
    attempt: Attempt, published: Any, as_json: Any
) -> None:
    run = run_of(attempt)

    def work() -> dict[str, Any]:
        raise RuntimeError("our failure")

    perform(run, work, lambda report: "done")
    line = next(line for line in as_json() if "failed on our side" in line["message"])
    assert (line["job"], line["attempt"]) == (f"Run {run.pk}", str(attempt.pk))


def test_marks_of_an_inner_block_end_with_it() -> None:
    with marked(request="r", attempt=None):
        with marked(job=7):
            assert marks() == {"request": "r", "job": "7"}
        assert marks() == {"request": "r"}


WORKER = """
import logging, os
os.environ["LOG_FORMAT"] = "json"
import django
django.setup()
from headnode.celery import app
app.log.setup(loglevel=logging.WARNING)
logging.getLogger("x").info("Too quiet.")
logging.getLogger("x").warning("From a worker.")
"""


@pytest.mark.nightly
def test_celerys_processes_write_json_as_well(tmp_path: Path) -> None:
    env = os.environ | {"HEADNODE_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", WORKER], env=env, capture_output=True, text=True, check=True
    )
    (line,) = map(json.loads, done.stderr.splitlines())
    assert line["message"] == "From a worker."


def test_a_log_that_has_grown_is_put_aside_and_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    with log.open("ab") as writer:
        for number in range(5):
            writer.write(f"{number}".encode() * 100)
            writer.flush()
            assert rotate(log, most=100, kept=2)
        writer.write(b"after")
    assert log.read_bytes() == b"after"
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["web.log", "web.log.1", "web.log.2"]
    assert (tmp_path / "web.log.1").read_bytes() == b"4" * 100
    assert (tmp_path / "web.log.2").read_bytes() == b"3" * 100
    assert not rotate(log, most=100, kept=2)
