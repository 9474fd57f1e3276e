"""A faulty card leaves service with a reason and comes back only when somebody says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.gpu import Pool, read
from sandbox.gpu.health import CARD_XIDS, judge
from sandbox.gpu.reading import Reading
from sandbox.gpu.tests.cards import FIRST, SECOND, SLICES, StubCards, first_unit
from sandbox.gpu.tests.test_behaviours import granted, refused

FAULTS: dict[str, tuple[dict[str, object], dict[str, object], str, str]] = {
    "at its threshold": ({"temp": 90}, {"temp": 40}, "hot", "at 90 °C and slows down from 90 °C"),
    "slowed by heat": ({"why": "0x48"}, {"why": "0x1"}, "hot", "because of its temperature"),
    "memory error": ({"uncorrected": 2}, {}, "ecc", "counts 2 uncorrectable memory errors"),
    "row waits": ({"pending": 1}, {"pending": 0}, "remap", "waits to be remapped"),
    "row is lost": ({"failed": 1}, {"failed": 0}, "remap", "could not be remapped"),
    "needs a reset": ({"reset": 1}, {"reset": 0}, "lost", "it needs a reset"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faulty_card_goes_out_of_service_and_stays(
    name: str, stub: StubCards, pool: Pool, folder: Path
) -> None:
    broken, mended, code, words = FAULTS[name]
    unit = first_unit()
    granted(pool.lease(unit=FIRST)).release()
    stub.change(**broken)
    fault = pool.check(unit, read(unit))
    assert fault is not None
    assert fault.code == code
    assert words in fault.reason
    stub.change(**mended)
    for one in (pool, Pool(folder)):
        answer = refused(one.lease(unit=FIRST))
        assert "is out of service" in answer.reason
        assert words in answer.reason
        assert not answer.hopeful
    assert pool.put_back(FIRST) is None
    granted(pool.lease(unit=FIRST)).release()


def test_fault_is_found_when_a_lease_is_asked_for(stub: StubCards, pool: Pool) -> None:
    stub.change(temp=95)
    assert "at 95 °C" in refused(pool.lease(unit=FIRST)).reason
    with granted(pool.lease()) as grant:
        assert grant.units[0].uuid == SECOND


def test_faulty_card_is_not_put_back(stub: StubCards, pool: Pool) -> None:
    stub.change(temp=95)
    refused(pool.lease(unit=FIRST))
    fault = pool.put_back(FIRST)
    assert fault is not None
    assert fault.code == "hot"
    assert "is out of service" in refused(pool.lease(unit=FIRST)).reason


def test_lost_card_is_named_by_those_who_knew_it(stub: StubCards, pool: Pool) -> None:
    granted(pool.lease(unit=FIRST)).release()
    stub.change(lost=1)
    assert [out.gpu for out in pool.inspect()] == [FIRST]
    answer = refused(pool.lease(unit=FIRST))
    assert answer.reason == "The driver does not show the card any more."
    states = {one.unit.uuid: one.state for one in pool.standings()}
    assert states == {FIRST: "out", SECOND: "free"}
    fault = pool.put_back(FIRST)
    assert fault is not None
    assert fault.code == "lost"
    stub.change(lost=0)
    assert pool.put_back(FIRST) is None
    granted(pool.lease(unit=FIRST)).release()


def test_accepted_errors_do_not_count_again_but_new_ones_do(stub: StubCards, pool: Pool) -> None:
    stub.change(uncorrected=3)
    refused(pool.lease(unit=FIRST))
    assert pool.put_back(FIRST) is None
    granted(pool.lease(unit=FIRST)).release()
    stub.change(uncorrected=4)
    assert "counts 4" in refused(pool.lease(unit=FIRST)).reason


def test_errors_after_a_driver_restart_count_from_nothing(stub: StubCards, pool: Pool) -> None:
    stub.change(uncorrected=3)
    refused(pool.lease(unit=FIRST))
    assert pool.put_back(FIRST) is None
    stub.change(uncorrected=0)
    granted(pool.lease(unit=FIRST)).release()
    stub.change(uncorrected=1)
    assert "counts 1" in refused(pool.lease(unit=FIRST)).reason


def test_first_reason_stays(stub: StubCards, pool: Pool) -> None:
    unit = first_unit()
    stub.change(temp=95)
    pool.check(unit, read(unit))
    stub.change(temp=40, uncorrected=1)
    pool.check(unit, read(unit))
    (out,) = pool.inspect()
    assert out.code == "hot"


def test_fault_of_a_card_takes_all_its_instances_out(stub: StubCards, pool: Pool) -> None:
    stub.slice()
    stub.change(temp=95)
    for uuid in SLICES:
        assert "is out of service" in refused(pool.lease(unit=uuid)).reason


def test_host_whose_cards_are_all_out_says_why(stub: StubCards, pool: Pool) -> None:
    stub.change(FIRST, temp=95)
    pool.inspect()
    assert pool.obstacle() == ""
    stub.change(SECOND, temp=95)
    pool.inspect()
    assert pool.obstacle().startswith("Every GPU of this host is out of service: The card is at 95")
    stub.change(FIRST, lost=1)
    stub.change(SECOND, lost=1)
    assert pool.obstacle() == "No card of this host answers the driver."


def test_damaged_service_file_keeps_its_card_out(stub: StubCards, pool: Pool, folder: Path) -> None:
    (folder / "service" / f"{FIRST}.out").write_text("{")
    assert "is out of service" in refused(pool.lease(unit=FIRST)).reason


def test_card_that_hides_its_processes_is_not_lent(stub: StubCards, pool: Pool) -> None:
    stub.change(mute=1)
    assert "does not say which processes use it" in refused(pool.lease(unit=FIRST)).reason


def test_display_server_may_stay_where_it_is_allowed(
    stub: StubCards, pool: Pool, folder: Path, idle: Callable[[], int]
) -> None:
    stub.seat(idle(), 60, kind="g")
    assert "is still used" in refused(pool.lease(unit=FIRST)).reason
    granted(Pool(folder, graphics_may_stay=True).lease(unit=FIRST)).release()


def test_program_through_a_shared_server_is_left_over_too(
    stub: StubCards, pool: Pool, idle: Callable[[], int]
) -> None:
    stub.seat(idle(), 60, kind="m")
    assert "is still used" in refused(pool.lease(unit=FIRST)).reason


@pytest.mark.parametrize("xid", sorted(CARD_XIDS))
def test_error_of_the_card_is_a_fault(xid: int) -> None:
    fault = judge(Reading("GPU", 0.0), xids=(13, xid))
    assert fault is not None
    assert f"(Xid {xid})" in fault.reason


@pytest.mark.parametrize("xid", [13, 31, 43, 45, 154])
def test_error_of_a_program_is_no_fault_of_the_card(xid: int) -> None:
    assert judge(Reading("GPU", 0.0), xids=(xid,)) is None


def test_unknown_figures_are_no_fault() -> None:
    assert judge(Reading("GPU", 0.0)) is None


def test_card_without_a_threshold_is_judged_by_the_usual_one() -> None:
    assert judge(Reading("GPU", 0.0, temperature_c=86)) is None
    assert judge(Reading("GPU", 0.0, temperature_c=87)) is not None
