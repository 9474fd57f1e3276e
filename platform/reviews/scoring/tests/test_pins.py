"""Pins: remarks at places of the work, kept as typed, own until the own scores are in (bar 66)."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assessments.models import Attempt, Run
from assessments.tests.stage import NOW, Stage
from reviews.evidence import answer_text
from reviews.models import Pin, PinWording
from reviews.scoring import evaluations
from reviews.tests.scene import LATER, score_all

Clients = dict[str, Client]


def url(attempt: Attempt, round: int = 1) -> str:
    return reverse("admin:pin", args=[attempt.pk, round])


def at_line(first: int = 3, last: int | None = None, text: str = "Why a loop?") -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "kind": "line",
        "source": "answer",
        "part": "controller.py",
        "first": first,
        "last": last or first,
        "text": text,
    }


def send(client: Client, attempt: Attempt, data: Any) -> Any:
    body = data if isinstance(data, str) else json.dumps(data)
    return client.post(url(attempt), body, content_type="application/json")


def shown(client: Client, attempt: Attempt) -> str:
    return client.get(reverse("admin:score", args=[attempt.pk, 1])).content.decode()


def grading_of(attempt: Attempt) -> int:
    run = attempt.submissions.get().latest_grading()
    assert run is not None
    return int(run.pk)


def test_a_pin_names_its_lines_and_keeps_what_stands_there(
    clients: Clients, handed_in: Attempt
) -> None:
    answer = send(clients["ines"], handed_in, at_line(2, 4))
    assert answer.status_code == 200
    assert answer.json()["place"] == "controller.py, lines 2 to 4"
    lines = handed_in.submissions.get().body["files"]["controller.py"].split("\n")
    assert answer.json()["quote"] == "\n".join(lines[1:4])
    page = shown(clients["ines"], handed_in)
    assert "controller.py, lines 2 to 4" in page
    assert "Why a loop?" in page


def test_typing_on_appends_wordings_and_sending_twice_does_not(
    clients: Clients, handed_in: Attempt
) -> None:
    data = at_line(text="Why")
    for text in ("Why", "Why", "Why a loop", "Why a loop here?"):
        assert send(clients["ines"], handed_in, data | {"text": text}).status_code == 200
    pin = Pin.objects.get()
    assert [row.text for row in pin.wordings.all()] == ["Why", "Why a loop", "Why a loop here?"]
    assert pin.text == "Why a loop here?"


def test_withdrawing_keeps_the_rows_and_hides_the_pin(clients: Clients, handed_in: Attempt) -> None:
    data = at_line()
    send(clients["ines"], handed_in, data)
    assert (
        send(clients["ines"], handed_in, {"id": data["id"], "withdrawn": True}).status_code == 200
    )
    assert "Why a loop?" not in shown(clients["ines"], handed_in)
    assert PinWording.objects.count() == 2
    assert Pin.objects.get().withdrawn
    send(clients["ines"], handed_in, data)  # written again: it counts again
    assert "Why a loop?" in shown(clients["ines"], handed_in)


def test_rows_and_replay_times_can_be_pinned(clients: Clients, handed_in: Attempt) -> None:
    source = f"graded-{grading_of(handed_in)}-0"
    row = at_line(1) | {"kind": "row", "source": source, "part": "stderr"}
    said = send(clients["ines"], handed_in, row).json()
    assert said["place"] == "Errors of A day with a burst, row 1"
    assert said["quote"] == "KeyError: 'pool'"
    stretch = at_line(240, 480) | {"kind": "time", "source": source, "part": ""}
    said = send(clients["ines"], handed_in, stretch).json()
    assert said["place"] == "Replay of A day with a burst, 00:04 to 00:08"
    assert said["quote"] == "A call timed out."
    run = Run.objects.create(
        attempt=handed_in,
        round=1,
        draft=handed_in.drafts.get(),
        workload="public-1",
        created_at=NOW,
        finished_at=NOW,
        result="done",
        report={"stdout": "one\ntwo"},
    )
    output = at_line(2) | {"kind": "row", "source": f"run-{run.pk}", "part": "stdout"}
    said = send(clients["ines"], handed_in, output).json()
    assert said["place"] == f"Output of the run of draft {run.draft.number} on public-1, row 2"
    assert said["quote"] == "two"
    page = clients["ines"].get(reverse("admin:run", args=[handed_in.pk, run.pk])).content.decode()
    assert "Why a loop?" in page


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"first": 99_999, "last": 99_999}, 409),
        ({"first": 0, "last": 0}, 409),
        ({"first": 5, "last": 2}, 409),
        ({"part": "no.py"}, 409),
        ({"source": "graded-999999-0", "kind": "time"}, 409),
        ({"source": "graded-x", "kind": "time"}, 409),
        ({"source": "run-not-a-key", "kind": "row", "part": "stdout"}, 409),
        ({"source": "materials", "kind": "row"}, 409),
        ({"kind": "nonsense"}, 409),
        ({"text": "  "}, 409),
        ({"text": "x" * 5001}, 400),
        ({"text": "\x00"}, 400),
        ({"text": 7}, 400),
        ({"id": "7"}, 400),
        ({"first": "x"}, 400),
        ({"first": True}, 400),
        ({"first": 10**12}, 400),
        ({"part": "\ud800"}, 400),
    ],
)
@pytest.mark.by_day(every=3)
def test_rubbish_is_refused_with_one_sentence(
    clients: Clients, handed_in: Attempt, changed: dict[str, Any], status: int
) -> None:
    answer = send(clients["ines"], handed_in, at_line() | changed)
    assert answer.status_code == status
    assert answer.json()["detail"].endswith(".")
    assert not Pin.objects.exists()


@pytest.mark.parametrize("sent", ["no json", "[]", "7", "[" * 5000])
def test_what_is_no_object_is_refused(clients: Clients, handed_in: Attempt, sent: str) -> None:
    assert send(clients["ines"], handed_in, sent).status_code == 400


def test_others_pins_wait_for_the_own_scorecard(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    """S2: enforced in the query, on every page that shows pins."""
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    assert send(clients["otto"], handed_in, at_line(text="Otto doubts it.")).status_code == 200
    pages = [
        reverse(f"admin:{name}", args=[handed_in.pk, *more])
        for name, more in (("score", [1]), ("attempt", []), ("feedback", []))
    ]
    for page in pages:
        assert "Otto doubts it." not in clients["ines"].get(page).content.decode()
    score_all(handed_in, stage.otto)
    assert "Otto doubts it." not in clients["ines"].get(pages[0]).content.decode()
    score_all(handed_in, stage.ines)
    for page in pages:
        assert "Otto doubts it." in clients["ines"].get(page).content.decode()


def test_only_who_scores_pins_and_only_ones_own_is_changed(
    clients: Clients, handed_in: Attempt, stage: Stage
) -> None:
    evaluations.assign(attempt=handed_in, evaluator=stage.otto, by=stage.rhea, now=LATER)
    data = at_line()
    assert send(clients["ines"], handed_in, data).status_code == 200
    others = {name: at_line() for name in ("adam", "rhea", "hana", "nobody")}
    statuses = {
        name: send(clients[name], handed_in, row).status_code for name, row in others.items()
    }
    assert statuses == {"adam": 403, "rhea": 403, "hana": 404, "nobody": 403}
    other = clients["otto"]
    assert send(other, handed_in, data | {"text": "Overwritten."}).status_code == 409
    assert send(other, handed_in, {"id": data["id"], "withdrawn": True}).status_code == 409
    assert Pin.objects.get().text == "Why a loop?"


def test_form_without_script_pins_and_withdraws(clients: Clients, handed_in: Attempt) -> None:
    form = {
        "id": str(uuid4()),
        "where": "line|answer|architecture",
        "first": "1",
        "last": "",
        "text": "Thin.",
    }
    page = clients["ines"].post(url(handed_in), form, follow=True).content.decode()
    assert "Architecture, line 1" in page
    assert "Thin." in page
    bad = clients["ines"].post(
        url(handed_in), form | {"id": str(uuid4()), "first": "77"}, follow=True
    )
    assert "There is no such place" in bad.content.decode()
    clients["ines"].post(url(handed_in), {"id": form["id"], "withdrawn": "yes"})
    assert Pin.objects.get().withdrawn


def test_feedback_points_to_a_pin_and_the_candidate_reads_the_place_only(
    clients: Clients, scored: Attempt
) -> None:
    data = at_line(2, text="Only for staff.")
    send(clients["ines"], scored, data)
    hidden = at_line(240) | {"kind": "time", "source": f"graded-{grading_of(scored)}-0", "part": ""}
    send(clients["ines"], scored, hidden)
    page = reverse("admin:feedback", args=[scored.pk])
    before = clients["ines"].get(page).content.decode()
    assert f'value="pin-{data["id"]}"' in before
    assert hidden["id"] not in before  # hidden workloads are not named to a candidate
    clients["ines"].post(reverse("admin:defence", args=[scored.pk]), {"skip": "1", "because": "x"})
    words = {
        "strength": "Bounded.",
        "strength_place": f"pin-{data['id']}",
        "improvement": "Drain.",
        "improvement_place": "part-controller.py",
        "focus": "controller.py",
        "release": "1",
    }
    assert clients["ines"].post(page, words).status_code == 302
    scored = Attempt.objects.get(pk=scored.pk)
    assert scored.revision.strength == "controller.py, line 2:\nBounded."
    assert "Only for staff." not in scored.revision.strength


@pytest.mark.nightly
def test_number_of_queries_does_not_grow_with_pins(
    clients: Clients, handed_in: Attempt, django_assert_max_num_queries: Any
) -> None:
    page = reverse("admin:score", args=[handed_in.pk, 1])
    send(clients["ines"], handed_in, at_line())
    clients["ines"].get(page)
    with CaptureQueriesContext(connection) as one:
        clients["ines"].get(page)
    count = len(one)  # later requests empty the log
    for line in range(1, 9):
        send(clients["ines"], handed_in, at_line(line))
    with django_assert_max_num_queries(count):
        clients["ines"].get(page)


@pytest.mark.nightly
def test_the_answer_is_not_read_anew_for_each_pin(
    clients: Clients, handed_in: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a plan of some hundred rows takes 40 ms, and evaluators write many remarks."""
    read: list[int] = []
    whole = answer_text.parts

    def parts(*given: Any) -> Any:
        read.append(1)
        return whole(*given)

    monkeypatch.setattr(answer_text, "parts", parts)
    counts = []
    for line in range(1, 7):
        send(clients["ines"], handed_in, at_line(line))
        read.clear()
        assert f'href="#r1-1-{line}"' in shown(clients["ines"], handed_in)
        counts.append(len(read))
    assert len(set(counts)) == 1


@pytest.mark.parametrize("spelt", ["{0.hex}", "urn:uuid:{0}", "{{{0}}}"])
def test_another_spelling_of_a_run_is_no_place(
    clients: Clients, handed_in: Attempt, spelt: str
) -> None:
    """Such a pin would have taken the attempt's pages down for everybody who may see it."""
    run = Run.objects.create(
        attempt=handed_in,
        round=1,
        draft=handed_in.drafts.get(),
        workload="public-1",
        created_at=NOW,
        finished_at=NOW,
        result="done",
        report={"stdout": "one\ntwo"},
    )
    data = at_line(1) | {"kind": "row", "part": "stdout"}
    answer = send(clients["ines"], handed_in, data | {"source": "run-" + spelt.format(run.pk)})
    assert answer.status_code == 409
    assert clients["ines"].get(reverse("admin:attempt", args=[handed_in.pk])).status_code == 200
    assert send(clients["ines"], handed_in, data | {"source": f"run-{run.pk}"}).status_code == 200


def test_another_spelling_of_a_grading_is_no_place(clients: Clients, handed_in: Attempt) -> None:
    number = grading_of(handed_in)
    data = at_line(1) | {"kind": "row", "part": "stderr"}
    for source in (f"graded-{'0' * 200}{number}-0", f"graded-{number}-00"):
        answer = send(clients["ines"], handed_in, data | {"source": source})
        assert answer.status_code == 409
    kept = send(clients["ines"], handed_in, data | {"source": f"graded-{number}-0"})
    assert kept.status_code == 200
