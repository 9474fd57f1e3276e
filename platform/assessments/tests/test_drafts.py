"""Nothing a candidate typed is lost: saving, colliding, promoting, coming late (T3, design rule 2)."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.not_possible import NotPossible
from assessments import answers, attempts, drafts, ledger
from assessments.clock import Phase, replay
from assessments.drafts import Saved
from assessments.models import Attempt, Submission
from assessments.submissions import close_due
from assessments.tests.stage import NOW, Stage, begin, body, save, submit
from hiring.invitations import invite, revoke
from hiring.models import Candidate

pytestmark = pytest.mark.django_db
END = NOW + timedelta(minutes=60)
GRACE_END = END + timedelta(seconds=20)


def test_save_is_acknowledged_with_a_number_and_kept(attempt: Attempt) -> None:
    first = save(attempt, "one", at=NOW + timedelta(minutes=1))
    second = save(attempt, "two", at=NOW + timedelta(minutes=2))
    assert (first.draft.number, second.draft.number) == (1, 2)
    assert first.in_time
    assert first.conflict is None
    assert attempt.drafts.get(number=1).body == body(attempt, "one")


def test_save_repeated_by_a_retry_is_stored_once(attempt: Attempt) -> None:
    client = uuid.uuid4()
    first = save(attempt, "one", at=NOW, client=client, seq=7)
    again = save(attempt, "one", at=NOW + timedelta(seconds=9), client=client, seq=7)
    assert not again.created
    assert again.draft == first.draft
    assert attempt.drafts.count() == 1


def test_unchanged_text_is_acknowledged_but_not_stored_again(attempt: Attempt) -> None:
    first = save(attempt, "same", at=NOW)
    again = save(attempt, "same", at=NOW + timedelta(minutes=1))
    assert again.draft == first.draft
    assert attempt.drafts.count() == 1


def test_tab_that_is_behind_does_not_overwrite_the_other(attempt: Attempt) -> None:
    left, right = uuid.uuid4(), uuid.uuid4()
    save(attempt, "from the left", at=NOW, client=left, base=0)
    stale = save(attempt, "from the right", at=NOW, client=right, base=0)
    assert stale.conflict is not None
    assert stale.conflict.number == 1
    attempt.refresh_from_db()
    assert attempt.head == 1
    assert answers.current_body(attempt) == body(attempt, "from the left")
    assert attempt.drafts.get(number=2).body == body(attempt, "from the right")
    onward = save(attempt, "left again", at=NOW, client=left, seq=2, base=1)
    assert onward.conflict is None


def test_keeping_the_version_at_hand_resolves_a_collision(attempt: Attempt) -> None:
    left, right = uuid.uuid4(), uuid.uuid4()
    save(attempt, "left", at=NOW, client=left, base=0)
    save(attempt, "right", at=NOW, client=right, base=0)
    kept = save(attempt, "right!", at=NOW, client=right, seq=2, base=1, resolve=True)
    attempt.refresh_from_db()
    assert kept.conflict is None
    assert attempt.head == kept.draft.number


def test_offline_queue_replayed_in_order_is_no_collision(attempt: Attempt) -> None:
    client = uuid.uuid4()
    for seq in range(1, 5):
        saved = save(attempt, f"text {seq}", at=NOW, client=client, seq=seq, base=0)
        assert saved.conflict is None
    attempt.refresh_from_db()
    assert attempt.head == 4


def test_last_draft_is_promoted_when_time_and_grace_are_over(attempt: Attempt) -> None:
    save(attempt, "early", at=NOW + timedelta(minutes=5))
    save(attempt, "last", at=END - timedelta(seconds=1))
    assert close_due(now=GRACE_END - timedelta(microseconds=1)) == 0
    assert close_due(now=GRACE_END) == 1
    submission = Submission.objects.get(attempt=attempt)
    assert submission.body == body(attempt, "last")
    assert submission.source == Submission.Source.PROMOTED
    assert close_due(now=GRACE_END + timedelta(hours=1)) == 0
    assert submission.grading_runs.count() == 1


def test_save_in_flight_at_zero_still_counts(attempt: Attempt) -> None:
    save(attempt, "before", at=END - timedelta(seconds=30))
    assert save(attempt, "in flight", at=END + timedelta(seconds=19)).in_time
    close_due(now=GRACE_END)
    assert Submission.objects.get(attempt=attempt).body == body(attempt, "in flight")


def test_save_after_grace_is_kept_aside_and_promotes_the_last_one(attempt: Attempt) -> None:
    save(attempt, "in time", at=NOW)
    late = save(attempt, "late", at=GRACE_END)
    assert not late.in_time
    assert late.draft.late
    submission = Submission.objects.get(attempt=attempt)
    assert submission.body == body(attempt, "in time")
    assert attempt.drafts.get(late=True).body == body(attempt, "late")


def test_attempt_without_any_draft_is_handed_in_as_it_began(attempt: Attempt) -> None:
    close_due(now=GRACE_END)
    assert Submission.objects.get(attempt=attempt).body == answers.starting_body(attempt)


def test_submit_twice_gives_the_same_submission(attempt: Attempt) -> None:
    fields: dict[str, Any] = {"client": uuid.uuid4(), "seq": 3, "base": None}
    text = body(attempt, "done")
    first, _ = attempts.submit(attempt.pk, body=text, now=NOW, **fields)
    again, _ = attempts.submit(attempt.pk, body=text, now=NOW + timedelta(seconds=2), **fields)
    assert first is not None
    assert again == first


def test_submit_of_a_stale_page_asks_first(attempt: Attempt) -> None:
    save(attempt, "newer", at=NOW, base=0)
    submission, saved = attempts.submit(
        attempt.pk, client=uuid.uuid4(), seq=1, base=0, body=body(attempt, "old"), now=NOW
    )
    assert submission is None
    assert saved.conflict is not None


def test_extension_moves_the_deadline_and_leaves_its_reason(attempt: Attempt, stage: Stage) -> None:
    attempts.extend(attempt.pk, minutes=15, by=stage.rhea, reason="Fire alarm.", now=NOW)
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=15)
    event = attempt.time_events.last()
    assert event is not None
    assert (event.before, event.after) == (END, END + timedelta(minutes=15))
    assert (event.actor, event.reason) == (stage.rhea, "Fire alarm.")


def test_extension_after_the_end_is_refused(attempt: Attempt, stage: Stage) -> None:
    with pytest.raises(NotPossible, match="Reopen"):
        attempts.extend(attempt.pk, minutes=5, by=stage.rhea, reason="x", now=GRACE_END)


def test_reopening_keeps_the_earlier_submission_on_record(attempt: Attempt, stage: Stage) -> None:
    submit(attempt, "first", at=NOW + timedelta(minutes=10))
    again = NOW + timedelta(minutes=20)
    attempts.reopen(attempt.pk, minutes=30, by=stage.rhea, reason="Wrong button.", now=again)
    save(attempt, "second", at=again + timedelta(minutes=1))
    close_due(now=again + timedelta(minutes=31))
    bodies = [(row.body, row.superseded_at is not None) for row in attempt.submissions.all()]
    assert bodies == [(body(attempt, "first"), True), (body(attempt, "second"), False)]


def test_start_twice_is_one_attempt_with_one_clock(stage: Stage) -> None:
    first = begin(stage)
    again = begin(stage, NOW + timedelta(minutes=30))
    assert first == again
    assert again.deadline_at == END


def test_revision_starts_from_the_first_answer_and_has_its_own_clock(
    attempt: Attempt, stage: Stage
) -> None:
    submit(attempt, "first", at=NOW + timedelta(minutes=30))
    opened = NOW + timedelta(days=1)
    attempts.open_revision(
        attempt.pk,
        strength="Clear.",
        improvement="Handle time-outs.",
        focus="",
        start_now=False,
        by=stage.ines,
        now=opened,
    )
    attempt.refresh_from_db()
    assert attempt.phase(opened + timedelta(days=2)) == Phase.REVISION_OPEN
    attempts.start_revision(attempt.pk, now=opened + timedelta(hours=1))
    attempt.refresh_from_db()
    assert attempt.deadline_at == opened + timedelta(hours=1, minutes=15)
    assert answers.current_body(attempt)["sections"] == body(attempt, "first")["sections"]
    save(attempt, "second", at=opened + timedelta(hours=1, minutes=5))
    close_due(now=opened + timedelta(hours=2))
    rounds = {row.round: row.body for row in attempt.submissions.all()}
    assert rounds[1]["sections"] != rounds[2]["sections"]


def test_page_of_the_first_round_cannot_overwrite_the_revision(
    attempt: Attempt, stage: Stage
) -> None:
    old = uuid.uuid4()
    save(attempt, "first", at=NOW, client=old, base=0)
    submit(attempt, "first", at=NOW + timedelta(minutes=1))
    attempts.open_revision(
        attempt.pk,
        strength="s",
        improvement="i",
        focus="",
        start_now=True,
        by=stage.ines,
        now=NOW + timedelta(hours=2),
    )
    attempt.refresh_from_db()
    at = NOW + timedelta(hours=2, minutes=1)
    stale = save(attempt, "from the old page", at=at, client=old, seq=2, base=1)
    assert stale.conflict is not None
    assert save(attempt, "revised", at=at, base=attempt.head).conflict is None


def test_late_save_that_is_sent_again_after_reopening_counts(
    attempt: Attempt, stage: Stage
) -> None:
    client = uuid.uuid4()
    assert not save(attempt, "late", at=GRACE_END, client=client, seq=4).in_time
    now = GRACE_END + timedelta(minutes=5)
    attempts.reopen(attempt.pk, minutes=10, by=stage.rhea, reason="r", now=now)
    again = save(attempt, "late", at=now, client=client, seq=4)
    assert again.in_time
    attempt.refresh_from_db()
    assert attempt.head == again.draft.number


def test_two_texts_under_one_number_are_refused_not_dropped(attempt: Attempt) -> None:
    client = uuid.uuid4()
    save(attempt, "one", at=NOW, client=client, seq=1)
    with pytest.raises(drafts.Reused):
        save(attempt, "two", at=NOW, client=client, seq=1)


def test_hours_without_a_network_are_taken_in_one_go_before_the_end(attempt: Attempt) -> None:
    """Everything queued while offline counts, the newest words above all."""
    client, at = uuid.uuid4(), END - timedelta(seconds=5)
    for seq in range(400):
        assert save(attempt, f"text {seq}", at=at, client=client, seq=seq, base=0).in_time
    close_due(now=GRACE_END)
    assert Submission.objects.get(attempt=attempt).body == body(attempt, "text 399")


def test_flood_of_saves_is_held_back(attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 20)
    for count in range(20):
        save(attempt, f"text {count}", at=NOW)
    with pytest.raises(drafts.TooMany):
        save(attempt, "one more", at=NOW + timedelta(seconds=30))
    submit(attempt, "handed in all the same", at=NOW + timedelta(seconds=30))


def test_late_material_is_kept_within_reason(attempt: Attempt) -> None:
    for count in range(drafts.MAX_LATE + 5):
        assert not save(attempt, f"late {count}", at=GRACE_END).in_time
    assert attempt.drafts.filter(late=True).count() == drafts.MAX_LATE


def test_start_of_a_link_that_was_revoked_meanwhile_is_refused(stage: Stage) -> None:
    revoke(stage.invitation, by=stage.rhea, reason="Withdrew.", now=NOW)
    assert stage.invitation.revoked_at is None  # what the page had read before
    with pytest.raises(NotPossible, match="withdrawn"):
        begin(stage)


STEP = st.tuples(
    st.sampled_from(["save", "extend", "submit", "sweep", "reopen", "credit"]),
    st.integers(0, 50 * 60),
    st.sampled_from(["left", "right"]),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(STEP, min_size=1, max_size=12))
def test_promises_hold_for_random_histories(
    stage: Stage, history: list[tuple[str, int, str]]
) -> None:
    """Every save can be read again, nothing after grace counts, the deadline is what events say."""
    attempt = fresh_attempt(stage)
    clients = {"left": uuid.uuid4(), "right": uuid.uuid4()}
    now, sent = NOW, dict[int, str]()
    for count, (verb, gap, side) in enumerate(history):
        now += timedelta(seconds=gap)
        if verb == "save":
            saved = check_save(attempt, f"v{count}", now, count, clients[side])
            sent[saved.draft.number] = f"v{count}"
        else:
            act(stage, attempt, verb, now, count)
        attempt.refresh_from_db()
        clock = replay(event.as_fact() for event in attempt.time_events.all())
        assert attempt.deadline_at == clock.deadline_at
    for number, text in sent.items():
        assert attempt.drafts.get(number=number).body == body(attempt, text)
    for submission in attempt.submissions.all():
        assert submission.draft is None or not submission.draft.late
    assert attempt.submissions.filter(superseded_at=None).count() <= 1


def check_save(attempt: Attempt, text: str, now: datetime, seq: int, client: uuid.UUID) -> Saved:
    counts = attempt.phase(now).accepts
    saved = save(attempt, text, at=now, seq=seq, client=client)
    assert saved.in_time == counts
    assert saved.draft.late != counts
    return saved


def give_back(attempt: Attempt, now: datetime) -> None:
    with ledger.locked(attempt.pk) as row:
        ledger.credit(row, began=now - timedelta(seconds=9), ended=now, reason="r", now=now)


def act(stage: Stage, attempt: Attempt, verb: str, now: datetime, seq: int) -> None:
    """Do it, or be told that it cannot be done now."""
    reason: dict[str, Any] = {"by": stage.rhea, "reason": "r", "now": now}
    text = body(attempt, f"v{seq}")
    verbs: dict[str, Callable[[], object]] = {
        "submit": lambda: attempts.submit(
            attempt.pk, client=uuid.uuid4(), seq=seq, base=None, body=text, now=now
        ),
        "sweep": lambda: close_due(now=now),
        "credit": lambda: give_back(attempt, now),
        "extend": lambda: attempts.extend(attempt.pk, minutes=10, **reason),
        "reopen": lambda: attempts.reopen(attempt.pk, minutes=10, **reason),
    }
    with contextlib.suppress(NotPossible):
        verbs[verb]()


def fresh_attempt(stage: Stage) -> Attempt:
    """A new candidate's attempt: hypothesis runs many histories in one database."""
    person = Candidate.objects.create(
        name="Ada", email=f"{uuid.uuid4()}@example.com", created_at=NOW
    )
    stage.invitation, _ = invite(
        opening=stage.opening,
        candidate=person,
        exercises=[stage.exercise],
        opens_at=NOW - timedelta(days=1),
        closes_at=NOW + timedelta(days=6),
        by=stage.rhea,
        now=NOW,
    )
    return begin(stage)
