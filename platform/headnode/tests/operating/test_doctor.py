"""The doctor names what is wrong and what puts it right, for a person and as JSON, with an exit code."""

from __future__ import annotations

import io
import json
import smtplib
import socket
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from assessments.assistant.tests.model_server import speaking
from assessments.models import Presence, Pulse
from assessments.presences import own_version, report
from assessments.pulses import SCHEDULE, TERMINAL, WEB, WORKER
from headnode.doctor import assistant, fences, outside, parts, stores
from headnode.doctor.findings import Finding, State, looked_at
from headnode.management.commands.doctor import CHECKS
from integrations.models import Webhook
from integrations.sealed import seal

OK, WARNING, FAILED = State.OK, State.WARNING, State.FAILED


def states(findings: Iterable[Finding]) -> dict[str, State]:
    return {one.name: one.state for one in findings}


def only(findings: Iterable[Finding]) -> Finding:
    (one,) = list(findings)
    return one


def examined(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("doctor", *arguments, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.mark.django_db
def test_json_says_all_and_the_exit_code_says_whether_something_failed() -> None:
    code, text = examined("--json", "--only", "processes")
    found = json.loads(text)
    assert (code, found["well"]) == (1, False)
    assert {"name", "state", "said", "cure"} == set(found["findings"][0])
    for component in (WEB, WORKER, SCHEDULE):
        Pulse.objects.create(component=component, at=timezone.now())
    code, text = examined("--json", "--only", "processes")
    assert (code, json.loads(text)["well"]) == (
        0,
        True,
    )  # terminals are missing, which is no failure


@pytest.mark.django_db
def test_every_cure_of_a_missing_process_is_a_command() -> None:
    told = list(parts.processes())
    assert states(told)["terminals"] == WARNING
    assert [one.name for one in told if one.state == FAILED] == ["web server", "worker", "schedule"]
    assert all("headnode " in one.cure for one in told)


@pytest.mark.django_db
def test_a_silent_worker_is_told_with_when_it_was_seen() -> None:
    now = timezone.now()
    Pulse.objects.create(component=WORKER, at=now - timedelta(minutes=5))
    told = parts.alive(WORKER, now)
    assert told.state == FAILED
    assert "Last seen 5 minutes ago" in told.said


@pytest.mark.django_db
def test_database_is_well_and_lacks_nothing() -> None:
    told = list(stores.database())
    assert told[0].state == OK
    assert "every table" in told[0].said


@pytest.mark.django_db
def test_missing_migrations_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "unapplied", lambda: ["hiring.0012_more", "hiring.0013_yet_more"])
    told = only(stores.database())
    assert (told.state, told.cure) == (FAILED, "Run: headnode setup")
    assert "2 migrations" in told.said


def test_a_broker_that_is_not_there_is_said(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from celery import Celery

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{free.getsockname()[1]}/0"
    settings.CELERY_BROKER_URL = url
    monkeypatch.setattr(stores, "current_app", Celery("away", broker=url))
    told = only(stores.broker())
    assert told.state == FAILED
    assert "BROKER_URL" in told.cure


@pytest.mark.parametrize(
    ("offsets", "state"),
    [
        ({"this host": 0.01, "b": -0.1}, OK),
        ({"this host": 0.0, "b": 0.8}, WARNING),
        (
            {"this host": -1.5, "b": 1.5},
            FAILED,
        ),  # each is near enough, and they are not to each other
        ({"this host": 0.0, "b": -60.0}, FAILED),
    ],
)
def test_clocks_are_compared_with_the_database_and_with_each_other(
    offsets: dict[str, float], state: State
) -> None:
    told = stores.judged(offsets)
    assert told.state == state
    assert ("time servers" in told.cure) == (state != OK)


@pytest.mark.django_db
def test_other_hosts_clock_and_version_are_known_by_what_they_report() -> None:
    report(WORKER, now=timezone.now(), places=3)
    mine = Presence.objects.get()
    assert (mine.version, mine.places) == (own_version(), 3)
    assert abs(mine.ahead_ms) < 1000
    assert only(parts.versions()).state == OK
    Presence.objects.create(
        host="elsewhere", component=WORKER, at=timezone.now(), ahead_ms=-9000, version="0.1.0"
    )
    assert only(stores.clocks()).state == FAILED
    told = only(parts.versions())
    assert told.state == WARNING
    assert "elsewhere runs 0.1.0" in told.said
    Presence.objects.update(at=timezone.now() - timedelta(minutes=10))
    assert only(parts.versions()).state == OK  # it has gone


@pytest.mark.django_db
def test_places_of_terminals_are_those_of_all_hosts() -> None:
    for host in "ab":
        row = {"component": TERMINAL, "at": timezone.now(), "places": 4}
        Presence.objects.create(host=host, **row)
    assert only(parts.terminals()).said.startswith("8 ")


def test_disk_is_judged_by_what_is_free(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    settings.DATA = tmp_path
    for free, state in ((1 << 30, FAILED), (5 << 30, WARNING), (50 << 30, OK)):
        usage = type("Usage", (), {"free": free})()
        monkeypatch.setattr("shutil.disk_usage", lambda _, usage=usage: usage)
        assert only(stores.disk()).state == state
    settings.DATA = tmp_path / "gone"
    assert only(stores.disk()).state == FAILED


@pytest.mark.parametrize(
    ("key", "state"), [("k" * 60, FAILED), ("short", FAILED), ("0123456789abcdefghij" * 3, OK)]
)
def test_secret_key_is_long_and_of_many_characters(settings: Any, key: str, state: State) -> None:
    settings.SECRET_KEY = key
    assert only(outside.secret_key()).state == state


@pytest.mark.django_db
def test_a_key_that_opens_no_kept_secret_is_told_with_whose_they_are(settings: Any) -> None:
    assert list(outside.kept_secrets()) == []
    adam = User.objects.create(username="adam")
    Webhook.objects.create(
        url="https://h.example.com/", secret=seal("whsec_x"), made_by=adam, made_at=timezone.now()
    )
    assert only(outside.kept_secrets()).state == OK
    settings.SECRET_KEY = "another-one-0123456789-abcdefghijklmnopqrstuvwxyz-0123"
    told = only(outside.kept_secrets())
    assert (told.state, "h.example.com" in told.said) == (FAILED, True)
    assert "SECRET_KEY of before" in told.cure
    Webhook.objects.update(stopped_at=timezone.now())
    assert list(outside.kept_secrets()) == []


def test_names_have_to_match_the_sites_address(settings: Any) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS = "https://h.example.com", ["h.example.com"]
    settings.DEBUG = False
    assert states(outside.names()) == {"allowed hosts": OK}
    settings.ALLOWED_HOSTS = ["other.example.com"]
    assert only(outside.names()).cure == "Add it: ALLOWED_HOSTS=h.example.com"
    settings.ALLOWED_HOSTS, settings.DEBUG = ["*"], True
    assert states(outside.names()) == {"allowed hosts": FAILED, "debug": FAILED}


def test_plain_http_to_others_fails_and_to_this_machine_does_not(settings: Any) -> None:
    settings.SITE_URL = "http://h.example.com"
    assert only(outside.tls()).state == FAILED
    settings.SITE_URL = "http://localhost:8000"
    assert only(outside.tls()).state == OK


def test_certificate_that_ends_soon_is_told_before() -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    assert outside.certificate("h", "Nov 30 12:00:00 2026 GMT", now).state == OK
    assert outside.certificate("h", "Nov 10 12:00:00 2026 GMT", now).state == WARNING


class Server:
    """Stands where Django's connection to a mail server does."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def __call__(self, **options: Any) -> Server:
        return self

    def open(self) -> None:
        if self._error:
            raise self._error

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("error", "state", "cure"),
    [
        (None, OK, ""),
        (smtplib.SMTPAuthenticationError(535, b"no"), FAILED, "EMAIL_PASSWORD"),
        (ConnectionRefusedError(111, "refused"), FAILED, "EMAIL_HOST"),
    ],
)
def test_mail_is_asked_for_its_sign_in(
    settings: Any, monkeypatch: pytest.MonkeyPatch, error: Any, state: State, cure: str
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "mail.example.com"
    monkeypatch.setattr(outside, "get_connection", Server(error))
    told = only(outside.mail())
    assert told.state == state
    assert cure in told.cure


def sandbox_found(state: str, root: str = "built") -> dict[str, Any]:
    kept = {"state": root, "reason": "", "size_mb": 50}
    found = {"state": state, "reason": "limits is missing", "layers": [], "roots": {}}
    return {
        "backends": {"namespace": found},
        "roots": {"python": kept, "login": kept | {"state": "not built"}, "slurm": kept},
    }


def test_sandbox_is_told_as_workers_will_meet_it(settings: Any) -> None:
    settings.SANDBOX_BACKEND, settings.SANDBOX_ALLOW_REDUCED = "namespace", False
    told = states(fences.told(sandbox_found("full")))
    assert told == {
        "sandbox": OK,
        "root python": OK,
        "root login": WARNING,
        "root slurm": OK,
    }
    assert states(fences.told(sandbox_found("reduced")))["sandbox"] == FAILED
    assert states(fences.told(sandbox_found("full", "not built")))["root python"] == FAILED
    settings.SANDBOX_ALLOW_REDUCED = True
    assert states(fences.told(sandbox_found("reduced")))["sandbox"] == WARNING
    assert states(fences.told(sandbox_found("unusable")))["sandbox"] == FAILED


def test_a_sandbox_of_another_user_is_left_to_that_one(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root's, as in docs/operators.md: what the site's user would find there is not what workers do."""
    settings.SANDBOX_STATE = tmp_path
    assert fences.somebody_elses() == ""
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 4711)
    told = only(fences.sandbox())
    assert (told.state, tmp_path.owner() in told.cure) == (WARNING, True)
    settings.SANDBOX_STATE = tmp_path / "nowhere"
    assert fences.somebody_elses() == ""


def test_a_check_that_breaks_is_a_finding_and_stops_no_other() -> None:
    def broken() -> Any:
        raise RuntimeError("no such thing")

    told = list(looked_at({"first": broken, "names": outside.names}))
    assert told[0].state == FAILED
    assert "no such thing" in told[0].said
    assert len(told) > 1


def test_an_unknown_check_is_bad_input() -> None:
    with pytest.raises(CommandError, match="choose from database, broker") as caught:
        examined("--only", "weather")
    assert caught.value.returncode == 2


def test_everything_that_operators_were_promised_is_looked_at() -> None:
    wanted = {"database", "broker", "processes", "sandbox", "terminals", "mail", "clocks", "disk"}
    wanted |= {"secret-key", "kept-secrets", "names", "tls", "versions", "assistant"}
    assert wanted == set(CHECKS)


@pytest.mark.django_db
def test_an_assistant_is_asked_for_its_models(settings: Any) -> None:
    settings.ASSISTANT_URL = ""
    assert only(assistant.assistant()).state == OK
    with speaking() as model:
        settings.ASSISTANT_URL, settings.ASSISTANT_MODEL = model.url, "small-1"
        assert only(assistant.assistant()).state == OK
        model.way = "refuses"
        told = only(assistant.assistant())
        assert (told.state, told.cure) == (FAILED, "Correct ASSISTANT_KEY.")
        assert model.paths == ["/v1/models", "/v1/models"]
    assert only(assistant.assistant()).state == FAILED  # nobody is there now
