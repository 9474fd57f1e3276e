"""The API is what its description says: nothing that the description allows brings it down or out of form."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.conf import LazySettings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.urls import get_resolver
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import run_state_machine_as_test

from accounts.roles import ADMINISTRATOR
from assessments.models import Attempt
from assessments.tests.stage import Stage, member
from integrations.api import access
from integrations.api.schema import document
from integrations.tests.world import Program

NIGHT = bool(os.environ.get("HEADNODE_NIGHTLY"))
EXAMPLES = 60 if NIGHT else 4
RUNS, STEPS = (200, 12) if NIGHT else (4, 4)
BUDGET: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate),
    "database": None,
}


def operations() -> list[str]:
    return sorted(
        f"{method} {path}" for path, found in document()["paths"].items() for method in found
    )


def test_the_description_is_valid_and_without_a_warning() -> None:
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    assert out.getvalue().startswith("openapi: 3.1.0")


def test_every_address_is_described(client: Any) -> None:
    found = {
        "/api/v1/" + re.sub(r"<\w+:pk>", "{id}", str(entry.pattern))
        for resolver in get_resolver().url_patterns
        if str(resolver.pattern) == "api/v1/"
        for entry in _flat(resolver)
    }
    assert set(document()["paths"]) == found - {"/api/v1/schema"}
    assert client.get("/api/v1/schema").json()["openapi"] == "3.1.0"


def _flat(resolver: Any) -> Iterator[Any]:
    for entry in resolver.url_patterns:
        if hasattr(entry, "url_patterns"):
            yield from _flat(entry)
        else:
            yield entry


def test_every_operation_says_its_problems_and_its_key() -> None:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            assert {"401", "403", "429"} <= set(operation["responses"]), (method, path)
            names = {row["name"] for row in operation.get("parameters", [])}
            keyed = method == "post" and path not in (
                "/api/v1/webhooks",
                "/api/v1/invitations/{id}/link",
            )
            assert ("Idempotency-Key" in names) == keyed, (method, path)
            assert operation["security"] == [{"token": []}]


@pytest.fixture
def caller(
    api: Callable[..., Program], handed_in: Attempt, stage: Stage, settings: LazySettings
) -> Program:
    """Everything is allowed to it, and nothing that it makes up is sent anywhere."""
    return api(member("adam2", ADMINISTRATOR))


@pytest.fixture
def tested(caller: Program, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The description, asked without a network; a request that it allows may still be refused with 400 or 409.

    It cannot say that a window ends after it begins, or which cursors there are.
    """
    # as the test client does: a connection that belongs to the test outlives a request
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    found = schemathesis.openapi.from_wsgi("/api/v1/schema", WSGIHandler())
    monkeypatch.setattr(access.GUESSED, "take", lambda *_: True)

    @found.auth()
    class Token:
        def get(self, case: Any, context: Any) -> str:
            return f"Bearer {caller.text}"

        def set(self, case: Any, data: str, context: Any) -> None:
            # The client that asks without a network does not unpack what comes packed.
            plain = {"Accept-Encoding": "identity"}
            case.headers = {**(case.headers or {}), **plain, "Authorization": data}

    accepted = found.config.checks.positive_data_acceptance
    accepted.expected_statuses = [*accepted.expected_statuses, "400", "409", "422"]
    yield found
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.nightly
def test_answers_are_as_described(tested: Any) -> None:
    """Every operation with what its description allows, and with what it does not."""
    for described in tested.get_all_operations():
        operation = described.ok()

        @hypothesis.settings(max_examples=EXAMPLES, **BUDGET)
        @hypothesis.given(case=operation.as_strategy())
        def asked(case: Any) -> None:
            case.call_and_validate()

        with transaction.atomic():
            asked()
            transaction.set_rollback(True)


@pytest.mark.nightly
def test_one_answer_leads_to_the_next(tested: Any) -> None:
    """By the description's links: rows of a list are read, changed, read again."""

    class Walk(tested.as_state_machine()):  # type: ignore[misc]
        """Each finds the rows as the first did: the same choices lead to the same answers."""

        def setup(self) -> None:
            self.before = transaction.savepoint()

        def teardown(self) -> None:
            transaction.savepoint_rollback(self.before)

    settings = hypothesis.settings(max_examples=RUNS, stateful_step_count=STEPS, **BUDGET)
    run_state_machine_as_test(Walk, settings=settings)
