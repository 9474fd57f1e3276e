"""What a watch takes for the program's memory, and which cards count as gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from sandbox.gpu import Pool, Watch, driver


def used(of_device: int | None, *processes: tuple[int, int | None]) -> tuple[int, tuple[int, ...]]:
    """(MiB, processes) of a program that began when 100 MiB were in use by process 1."""
    watch = cast(Any, SimpleNamespace(_older=frozenset({1}), _base_mb=100))
    rows = tuple(SimpleNamespace(pid=pid, memory_mb=mb) for pid, mb in processes)
    return Watch._usage(watch, cast(Any, SimpleNamespace(memory_used_mb=of_device, processes=rows)))


def test_the_larger_of_device_and_list_counts() -> None:
    assert used(900) == (800, ())
    assert used(900, (1, 100), (2, 300)) == (800, (2,))
    assert used(150, (2, 300), (3, None)) == (300, (2, 3))
    assert used(None, (2, 300)) == (300, (2,))


@pytest.mark.parametrize(("works", "gone"), [(True, ["b"]), (False, [])])
def test_only_a_driver_that_works_says_that_a_card_is_gone(
    works: bool, gone: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out: list[str] = []
    seen = SimpleNamespace(units=(), gpus=(SimpleNamespace(uuid="a"),), driver=works)
    monkeypatch.setattr(driver, "survey", lambda: seen)
    leased = [SimpleNamespace(gpu="a"), SimpleNamespace(gpu="b")]
    pool = SimpleNamespace(
        leases=SimpleNamespace(known=lambda: leased),
        service=SimpleNamespace(
            take_out=lambda gpu, why: out.append(gpu),
            find=lambda gpu: gpu if gpu in out else None,
        ),
    )
    assert cast(Any, Pool.inspect(cast(Any, pool))) == gone
    assert out == gone
