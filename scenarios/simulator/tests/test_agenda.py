from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.agenda import Agenda, EventKind

EVENTS = st.lists(st.tuples(st.integers(0, 20), st.sampled_from(list(EventKind))), max_size=60)


@given(EVENTS)
def test_agenda_gives_events_by_time_then_kind_then_order_of_scheduling(
    planned: list[tuple[int, EventKind]],
) -> None:
    agenda = Agenda()
    for number, (time, kind) in enumerate(planned):
        agenda.add(time, kind, number)
    given_out = []
    while (event := agenda.take(100)) is not None:
        given_out.append(event[3])
    assert given_out == sorted(range(len(planned)), key=lambda n: (*planned[n], n))


def test_agenda_keeps_what_is_not_due() -> None:
    agenda = Agenda()
    agenda.add(50, EventKind.JOB_END, 1)
    assert agenda.take(49) is None
    assert agenda.next_time() == 50
    assert len(agenda) == 1


def test_work_that_ends_comes_before_work_that_arrives() -> None:
    assert EventKind.JOB_END < EventKind.NODE_DOWN < EventKind.NODE_READY < EventKind.JOB_SUBMIT
