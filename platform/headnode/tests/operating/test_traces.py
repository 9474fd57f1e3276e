"""Spans say what was asked and worked on by the ids of the logs, hold no secret, and are off by themselves."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from accounts import log_marks
from assessments.execution import perform
from assessments.models import Attempt
from assessments.tests.stage import Stage, attempt, published, run_of, stage
from headnode import traces
from integrations.tests.world import Receiver, receiver

__all__ = ["attempt", "published", "receiver", "stage"]


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    traces.start_with(exporter)
    yield exporter
    traces.stop()


def test_a_request_is_a_span_with_its_pattern_and_no_secret(
    stage: Stage, spans: InMemorySpanExporter
) -> None:
    answer = Client().get(f"/t/{stage.token}/", headers={"X-Request-ID": "from-the-proxy-1"})
    (span,) = spans.get_finished_spans()
    assert span.name == "GET t/<str:token>/"
    said = dict(span.attributes or {})
    assert said["headnode.request"] == "from-the-proxy-1"
    assert said["http.response.status_code"] == answer.status_code
    assert stage.token not in span.to_json()
    assert span.resource.attributes["service.name"] == "headnode"


def test_a_job_is_a_span_with_its_attempt(
    attempt: Attempt, published: Any, spans: InMemorySpanExporter
) -> None:
    run = run_of(attempt)
    with log_marks.marked(request="no job"):
        perform(run, lambda: {"status": "ok"}, lambda report: "done")
    (span,) = spans.get_finished_spans()
    said = dict(span.attributes or {})
    assert (span.name, said["headnode.job"]) == ("Run", f"Run {run.pk}")
    assert said["headnode.attempt"] == str(attempt.pk)


def test_a_collector_is_sent_them_as_otlp(receiver: Receiver, stage: Stage) -> None:
    traces.start(f"{receiver.url}/v1/traces")
    try:
        Client().get(f"/t/{stage.token}/")
    finally:
        traces.stop()
    (got,) = receiver.got
    assert got.path == "/v1/traces"
    sent = ExportTraceServiceRequest.FromString(got.body)
    (span,) = sent.resource_spans[0].scope_spans[0].spans
    assert span.name == "GET t/<str:token>/"
    assert stage.token.encode() not in got.body


@pytest.mark.nightly
def test_nothing_is_loaded_and_written_until_an_address_is_named(client: Client, db: None) -> None:
    client.get("/healthz")
    assert log_marks.around == []
    program = (
        "import sys, django; django.setup(); from headnode import traces\n"
        "print(traces._state.tracer, [name for name in sys.modules if 'opentelemetry' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "None []", done.stderr


def test_without_the_library_a_start_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(ImproperlyConfigured, match=r"headnode\[traces\]"):
        traces.start("http://127.0.0.1:4318/v1/traces")
