"""OpenTelemetry: a span for each request and each job, sent by OTLP to where TRACES_URL says; off without it.

Few spans of our own and not the field's instrumentation of Django: that one writes addresses into its
spans, and addresses here hold candidates' secret links. A span says a page's pattern, and the ids that
lines of the log say. What else can be chosen (sampling, headers) the library reads from its OTEL_ variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

from accounts import log_marks

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

MISSING = (
    "TRACES_URL asks for traces, and OpenTelemetry is not installed: install headnode[traces]."
)
SERVICE = "headnode"


def start(url: str) -> None:
    """Send spans to the OTLP/HTTP address from now on. Raises ImproperlyConfigured."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ImproperlyConfigured(MISSING) from error
    _write_to(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))


def start_with(exporter: SpanExporter) -> None:
    """Give each span to the exporter at once."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    _write_to(SimpleSpanProcessor(exporter))


def _write_to(processor: Any) -> None:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from assessments.presences import own_version

    said = {"service.name": SERVICE, "service.version": own_version()}
    provider = TracerProvider(resource=Resource.create(said))
    provider.add_span_processor(processor)
    _state.provider = provider
    _state.tracer = provider.get_tracer(SERVICE)
    if _job not in log_marks.around:
        log_marks.around.append(_job)


class _State:
    """What this process writes spans with; nothing while traces are off."""

    provider: Any = None
    tracer: Any = None


_state = _State()


def stop() -> None:
    """Send what is left, and write no more."""
    if _state.provider is not None:
        _state.provider.shutdown()
        log_marks.around.remove(_job)
    _state.provider = _state.tracer = None


@contextmanager
def _job(ids: dict[str, str]) -> Iterator[None]:
    """A span for as long as a job is worked on; what is no job has none."""
    if "job" not in ids or _state.tracer is None:
        yield
        return
    with _state.tracer.start_as_current_span(ids["job"].partition(" ")[0], attributes=_named(ids)):
        yield


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """A span for each request, named by the page's pattern."""

    def answer(request: HttpRequest) -> Any:
        if _state.tracer is None:
            return get_response(request)
        from opentelemetry.trace import SpanKind, Status, StatusCode

        method = str(request.method)
        given = _named(log_marks.marks()) | {"http.request.method": method}
        with _state.tracer.start_as_current_span(
            method, kind=SpanKind.SERVER, attributes=given
        ) as span:
            response = get_response(request)
            found = request.resolver_match
            if found is not None:
                span.set_attribute("http.route", found.route)
                span.update_name(f"{method} {found.route}")
            span.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= 500:
                span.set_status(Status(StatusCode.ERROR))
            return response

    return answer


def _named(ids: dict[str, str]) -> dict[str, str]:
    return {f"{SERVICE}.{name}": value for name, value in ids.items()}
