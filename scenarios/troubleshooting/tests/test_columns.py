"""The column file gives back what was written, whole or in part, and says when it is damaged."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from zlib_ng import zlib_ng

from scenarios.troubleshooting.columns import (
    Block,
    Columns,
    Labels,
    Metric,
    Owner,
    Stretch,
    fine_steps,
    write_columns,
)

START, MINUTE = 1_790_000_040_000, 60_000
PLAIN = Metric("plain", "gauge", "Whole numbers.", "tests", 15)
SPARSE = Metric("sparse_total", "counter", "A counter once a minute.", "tests", 60, 0.5)
FINE = Metric("fine", "gauge", "With last digits.", "tests", 15, 1.0, 1_000)


def labels(count: int) -> tuple[Labels, ...]:
    return tuple((("gpu", str(n)), ("rank", str(8 + n))) for n in range(count))


def made(path: Path, values: np.ndarray, **more: object) -> Columns:
    """A file of an hour with one block of `plain` on host n1."""
    block = Block("plain", "n1", labels(len(values)), values, **more)  # type: ignore[arg-type]
    write_columns(path, START, START + 60 * MINUTE, (PLAIN,), [block])
    return Columns.open(path)


@pytest.mark.parametrize("scale", [1, 200, 70_000, 3_000_000_000])
def test_values_come_back_whatever_their_size(tmp_path: Path, scale: int) -> None:
    raw = np.random.Philox(key=3).random_raw(3 * 240).reshape(3, 240) % np.uint64(256)
    values = (raw.astype(np.int64) - 128) * scale + 10**14
    opened = made(tmp_path / "a.hnc", values)
    times, found = opened.window(opened.find("plain"), START, START + 60 * MINUTE)
    assert np.array_equal(found, values.astype(float))
    assert times[0] == START
    assert len(times) == 240


def test_a_window_has_the_samples_between_its_ends(tmp_path: Path) -> None:
    values = np.arange(480, dtype=np.int64).reshape(2, 240)
    opened = made(tmp_path / "a.hnc", values)
    times, found = opened.window(opened.find("plain"), START + 1, START + 45_000)
    assert times.tolist() == [START + 15_000, START + 30_000, START + 45_000]
    assert found.tolist() == [[1, 2, 3], [241, 242, 243]]
    late = opened.window(opened.find("plain"), START + 90 * MINUTE, START + 99 * MINUTE)
    assert late[1].shape == (2, 0)


def test_a_kept_stretch_says_what_the_file_says_and_spares_reading_it(tmp_path: Path) -> None:
    path, values = tmp_path / "a.hnc", np.arange(480, dtype=np.int16).reshape(2, 240)
    block = Block("fine", "n1", labels(2), values, ((43, 45),))
    stretch = Stretch(START + 10 * MINUTE, START + 15 * MINUTE)
    write_columns(path, START, START + 60 * MINUTE, (FINE,), [block], stretch)
    plain, kept = Columns.open(path), Columns.open(path, stretch)
    spans = [(10, 15), (12, 13), (9, 12), (14, 40), (0, 60)]
    for first, last in spans:
        ends = START + first * MINUTE, START + last * MINUTE
        wanted = plain.window(plain.find("fine"), *ends)
        found = kept.window(kept.find("fine"), *ends)
        for one, other in zip(wanted, found, strict=True):
            assert np.array_equal(one, other, equal_nan=True)
    path.unlink()
    assert kept.window(kept.find("fine"), stretch.from_ms, stretch.to_ms)[1].shape == (2, 21)
    with pytest.raises(FileNotFoundError):
        kept.window(kept.find("fine"), START, stretch.to_ms)


def test_gaps_are_not_values(tmp_path: Path) -> None:
    values = np.ones((1, 240), np.int64)
    opened = made(tmp_path / "a.hnc", values, spans=((4, 8), (100, 101)))
    _, found = opened.window(opened.find("plain"), START + 30_000, START + 3 * MINUTE)
    assert np.isnan(found[0, 2:6]).all()
    assert not np.isnan(found[0, [0, 1, 6]]).any()


def test_envelope_keeps_every_spike_and_skips_gaps(tmp_path: Path) -> None:
    values = np.full((1, 240), 50, np.int64)
    values[0, 77], values[0, 200] = 900, -3
    opened = made(tmp_path / "a.hnc", values, spans=((0, 120),))
    times, low, high = opened.envelope(opened.find("plain"), START, START + 60 * MINUTE, 24)
    assert len(times) == 24
    assert np.nanmin(low) == -3
    assert np.nanmax(high) == 50
    assert np.isnan(high[0, :12]).all()
    opened = made(tmp_path / "b.hnc", values)
    assert opened.envelope(opened.find("plain"), START, START + 60 * MINUTE, 5)[2].max() == 900


def test_series_are_found_by_host_label_and_span_of_ranks(tmp_path: Path) -> None:
    opened = made(tmp_path / "a.hnc", np.zeros((8, 240), np.int64))
    assert len(opened.find("plain", {"node": "n1"})) == 8
    assert [s.row for s in opened.find("plain", {"gpu": "3"})] == [3]
    assert [s.row for s in opened.find("plain", {"rank": "10-12"})] == [2, 3, 4]
    assert opened.find("plain", {"node": "n2"}) == ()
    assert opened.find("unknown") == ()


def test_each_metric_has_its_own_interval_and_quantum(tmp_path: Path) -> None:
    blocks = [
        Block("sparse_total", "n1", labels(1), np.arange(60)[None, :]),
        Block("plain", "n1", labels(1), np.arange(240)[None, :]),
        Block("sparse_total", "n2", labels(1), 5 + np.arange(60)[None, :]),
    ]
    write_columns(tmp_path / "a.hnc", START, START + 60 * MINUTE, (PLAIN, SPARSE), blocks)
    opened = Columns.open(tmp_path / "a.hnc")
    times, found = opened.window(opened.find("sparse_total"), START, START + 2 * MINUTE)
    assert np.diff(times).tolist() == [MINUTE, MINUTE]
    assert found.tolist() == [[0, 0.5, 1.0], [2.5, 3.0, 3.5]]


def test_last_digits_stay_below_a_quantum_and_lean_nowhere(tmp_path: Path) -> None:
    values = np.full((4, 5_760), 660, np.int64)
    block = Block("fine", "n1", labels(4), values)
    write_columns(tmp_path / "a.hnc", START, START + 24 * 60 * MINUTE, (FINE,), [block])
    opened = Columns.open(tmp_path / "a.hnc")
    _, found = opened.window(opened.find("fine"), START, START + 24 * 60 * MINUTE)
    assert found.min() >= 660
    assert found.max() < 661
    assert abs(found.mean() - 660.4995) < 0.01
    assert len(np.unique(found)) > 950
    part = opened.window(opened.find("fine"), START + 15_000, START + MINUTE)[1]
    assert np.array_equal(part, found[:, 1:5])


def test_last_digits_are_those_that_the_format_states() -> None:
    """Readers in other languages are checked against these."""
    found = fine_steps(np.array([[0], [7]]), np.arange(4), 1_000)
    assert found.tolist() == [[29, 966, 590, 778], [462, 728, 439, 644]]


def test_an_owner_is_kept_with_its_times(tmp_path: Path) -> None:
    owner = (Owner(START, START + MINUTE, "90412"),)
    opened = made(tmp_path / "a.hnc", np.zeros((1, 240), np.int64), owners=(owner,))
    assert opened.find("plain")[0].owners == owner


def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.hnc"
    made(path, np.zeros((1, 240), np.int64))
    whole = path.read_bytes()
    for damaged in (b"", b"PK\x03\x04", whole[:20], whole[:-3], whole + b"x"):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"a\.hnc"):
            Columns.open(path)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_bytes_are_those_of_zlib_itself(seed: int) -> None:
    """What packs them is quicker, and may not make a variant another one."""
    noise = np.random.Philox(key=seed).random_raw(50_000).view(np.uint8)
    raw = np.where(noise < 80 * seed, np.uint8(0), noise).tobytes()
    packed = []
    for made_by in (zlib, zlib_ng):
        press = made_by.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_RLE)
        packed.append(press.compress(raw) + press.flush())
    assert packed[0] == packed[1]
