from __future__ import annotations

import csv
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from scenarios.cost.focus_columns import COLUMNS
from scenarios.cost.parquet import DECIMAL, INSTANT, MAGIC, TEXT, parquet

ROWS = [
    ("a", "1.50", "2025-01-01T00:00:00Z"),
    ("", "-2.00", ""),
    ("ü" * 40, "", "2025-12-31T23:59:59Z"),
]
KINDS = (TEXT, DECIMAL, INSTANT)


def test_the_file_has_the_shape_of_parquet_and_the_same_bytes() -> None:
    body = parquet(("name", "cost", "at"), KINDS, ROWS)
    assert body == parquet(("name", "cost", "at"), KINDS, ROWS)
    assert body[:4] == body[-4:] == MAGIC
    (length,) = struct.unpack("<i", body[-8:-4])
    assert 0 < length < len(body)


def test_a_page_holds_levels_and_plain_values() -> None:
    body = parquet(("name",), (TEXT,), [("a",), ("",), ("bc",)])
    page = zlib.decompress(body[body.index(b"\x1f\x8b") :], 31, 100)
    (length,) = struct.unpack("<i", page[:4])
    assert page[4 : 4 + length] == bytes([2, 1, 2, 0, 2, 1])
    assert page[4 + length :] == b"\x01\x00\x00\x00a\x02\x00\x00\x00bc"


@pytest.mark.nightly
def test_another_reader_reads_what_the_csv_says(built: tuple[Path, dict[str, Any]]) -> None:
    reader = pytest.importorskip("pyarrow.parquet")
    folder = built[0] / "costs"
    table = reader.read_table(folder / "focus.parquet")
    with (folder / "focus.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(table.column_names) == COLUMNS
    assert table.num_rows == len(rows)
    for name in ("Tags", "ResourceName", "EffectiveCost", "PricingQuantity"):
        mine = [row[name] for row in rows]
        theirs = ["" if value is None else str(value) for value in table[name].to_pylist()]
        assert theirs == mine
    first = table["ChargePeriodStart"][0].as_py()
    assert f"{first:%Y-%m-%dT%H:%M:%SZ}" == rows[0]["ChargePeriodStart"]
