"""Words of messages: variables and nothing else, in the right zone, as text, HTML and calendar files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError

from hiring.invitations import invite
from hiring.message_rows import known_zone
from hiring.messages.calendar_file import Event, calendar_file
from hiring.messages.occasions import Occasion, occasions
from hiring.messages.to_candidates import calendar_of, invitation_told, invite_by_mail
from hiring.messages.wording import Words, as_html, check, fill, words_for, written
from hiring.messages.zones import in_zones, zones_for
from hiring.models import Exercise, Invitation, MailPreference, MessageWords, Mode, Opening
from hiring.tests.desk import NOW, Desk

INVITATION = occasions()["invitation"]


@pytest.fixture
def invitation(desk: Desk) -> Invitation:
    made, _ = invite(
        opening=desk.opening,
        candidate=desk.ada,
        exercises=[desk.exercise],
        opens_at=NOW,
        closes_at=NOW + timedelta(days=7),
        by=desk.rhea,
        now=NOW,
    )
    return made


@pytest.mark.parametrize("occasion", occasions().values(), ids=lambda one: one.key)
def test_shipped_words_use_known_variables_only_and_say_them_all(occasion: Occasion) -> None:
    for source in (occasion.subject, occasion.text):
        check(source, occasion)
    said = written(occasion, Words(occasion.subject, occasion.text), occasion.examples())
    assert "{{" not in said.text
    assert said.text.count("\n\n") >= 2
    unsaid = {
        name
        for name in occasion.names
        if f"{{{{ {name} }}}}" not in occasion.subject + occasion.text
    }
    assert unsaid <= {"name", "organisation", "contact_email", "page", "link", "opening"}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("{% load static %}", "is a tag"),
        ("{% if name %}x{% endif %}", "is a tag"),
        ("{# secret #}", "is a tag"),
        ("{{ candidate.email }}", "is no variable of this message"),
        ("{{ settings }}", "is no variable of this message"),
        ("{{ name|safe }}", "is no variable of this message"),
        ("{{ name.__class__ }}", "is no variable of this message"),
        ("{{ }}", "is no variable"),
        ("Dear {{ name", "is left over"),
        ("{{ na\nme }}", "is left over"),
        ("name }}", "is left over"),
    ],
)
def test_what_is_more_than_a_variable_is_refused_in_one_sentence(
    source: str, sentence: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        check(source, INVITATION)
    (said,) = refused.value.messages
    assert sentence in said
    assert said.endswith(".")


def test_values_are_never_read_as_a_template() -> None:
    assert fill("Hello {{ name }}", {"name": "{% load x %}{{ link }} <b>&"}) == (
        "Hello {% load x %}{{ link }} <b>&"
    )


def test_html_escapes_everything_and_makes_addresses_pressable() -> None:
    page = as_html('Hello <script>alert("x")</script>\nyou\n\nhttps://a.example/t/x/?a=1&b=2.\n')
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert '<a href="https://a.example/t/x/?a=1&amp;b=2">' in page
    assert page.count("<p>") == 2


def test_subject_is_one_line_whatever_is_in_it() -> None:
    words = Words("Hi {{ opening }}", "text")
    assert written(INVITATION, words, {"opening": "a\r\nBcc: x"}).subject == "Hi a Bcc: x"


def test_words_of_the_opening_come_before_those_of_the_organisation(desk: Desk) -> None:
    def keep(opening: Opening | None, text: str) -> None:
        MessageWords.objects.create(
            occasion="invitation",
            opening=opening,
            subject="S",
            text=text,
            changed_by=desk.rhea,
            changed_at=NOW,
        )

    assert words_for(INVITATION, desk.opening).text == INVITATION.text
    keep(None, "everybody's")
    assert words_for(INVITATION, desk.opening).text == "everybody's"
    keep(desk.opening, "this one's {{ name }}")
    assert words_for(INVITATION, desk.opening).text == "this one's {{ name }}"
    assert words_for(INVITATION, None).text == "everybody's"
    keep(desk.opening, "")  # undone
    assert words_for(INVITATION, desk.opening).text == "everybody's"


def test_times_are_in_the_candidates_zone_and_in_the_senders(
    desk: Desk, invitation: Invitation
) -> None:
    desk.ada.time_zone = "America/Los_Angeles"
    MailPreference.objects.create(user=desk.rhea, time_zone="Europe/Berlin")
    assert zones_for(desk.ada, desk.rhea) == ["America/Los_Angeles", "Europe/Berlin", "UTC"]
    invitation.candidate = desk.ada
    values = invitation_told(invitation, "x", desk.rhea, NOW).values
    assert values["opens_at"] == (
        "Monday 2 March 2026, 01:00 (America/Los_Angeles), 10:00 (Europe/Berlin), 09:00 (UTC)"
    )


def test_the_day_is_said_again_where_it_differs() -> None:
    at = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    assert in_zones(at, ["UTC", "Asia/Tokyo"]) == (
        "Monday 2 March 2026, 23:30 (UTC), Tuesday 3 March 2026, 08:30 (Asia/Tokyo)"
    )


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "/etc/passwd", "", "x" * 300])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="region and city"):
        known_zone(name)


def unfolded(text: str) -> dict[str, str]:
    assert text.count("\n") == text.count("\r\n")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    lines = text.replace("\r\n ", "").split("\r\n")
    return dict(line.split(":", 1) for line in lines if ":" in line)


def test_window_is_an_event_that_keeps_nobody_busy(invitation: Invitation) -> None:
    event = unfolded(calendar_of(invitation, NOW))
    assert event["DTSTART"] == "20260302T090000Z"
    assert event["DTEND"] == "20260309T090000Z"
    assert event["TRANSP"] == "TRANSPARENT"
    assert event["TRIGGER;RELATED=END"] == "-PT86400S"


def test_live_sitting_is_an_event_of_its_minutes(invitation: Invitation) -> None:
    Exercise.objects.update(mode=Mode.LIVE)
    event = unfolded(calendar_of(invitation, NOW))
    assert event["DTEND"] == "20260302T121500Z"  # 180 minutes and 15 of revision
    assert event["TRANSP"] == "OPAQUE"


def test_calendar_text_is_escaped_and_folded_between_characters() -> None:
    event = Event("k", "A; B, C\\D\nE", "é" * 100, NOW, NOW)
    text = calendar_file(event, now=NOW, site="x")
    found = unfolded(text)
    assert found["SUMMARY"] == "A\\; B\\, C\\\\D\\nE"
    assert found["DESCRIPTION"] == "é" * 100


def test_sending_again_moves_the_same_event(desk: Desk, invitation: Invitation) -> None:
    first = unfolded(calendar_of(invitation, NOW))
    second = unfolded(calendar_of(invitation, NOW + timedelta(hours=1)))
    assert first["UID"] == second["UID"]
    assert int(second["SEQUENCE"]) > int(first["SEQUENCE"])
    message = invite_by_mail(invitation, by=desk.rhea, now=NOW)
    assert message
    assert message.calendar == calendar_of(invitation, NOW)
