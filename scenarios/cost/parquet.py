"""Writes a table as Apache Parquet with nothing but the standard library, the same bytes for the same table.

The format is parquet-format 2.x: one row group, one data page for each column, plain values, gzip, and a footer
in Thrift's compact protocol. Every column may hold nulls, so every page begins with definition levels.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

MAGIC = b"PAR1"
TEXT, DECIMAL, INSTANT = "text", "decimal", "instant"
SCALE = 2
"""Digits behind the point of a decimal."""
_INT64, _BYTES = 2, 6
_GZIP = 2
_OPTIONAL = 1
_UTF8, _DECIMAL, _TIMESTAMP_MILLIS = 0, 5, 9
_STRUCT, _LIST, _BINARY, _I32, _I64 = 12, 9, 8, 5, 6


@dataclass
class _Thrift:
    """Writes structs of the compact protocol."""

    out: bytearray = field(default_factory=bytearray)
    last: list[int] = field(default_factory=lambda: [0])

    def head(self, number: int, kind: int) -> None:
        delta = number - self.last[-1]
        self.out.append(delta << 4 | kind)
        self.last[-1] = number

    def varint(self, value: int) -> None:
        while value > 0x7F:
            self.out.append(value & 0x7F | 0x80)
            value >>= 7
        self.out.append(value)

    def zigzag(self, value: int) -> None:
        self.varint(value << 1 if value >= 0 else (-value << 1) - 1)

    def i32(self, number: int, value: int) -> None:
        self.head(number, _I32)
        self.zigzag(value)

    def i64(self, number: int, value: int) -> None:
        self.head(number, _I64)
        self.zigzag(value)

    def text(self, number: int, value: bytes) -> None:
        self.head(number, _BINARY)
        self.varint(len(value))
        self.out += value

    def begin(self, number: int) -> None:
        self.head(number, _STRUCT)
        self.last.append(0)

    def end(self) -> None:
        self.out.append(0)
        self.last.pop()

    def many(self, number: int, kind: int, count: int) -> None:
        self.head(number, _LIST)
        self.size(kind, count)

    def size(self, kind: int, count: int) -> None:
        if count < 15:
            self.out.append(count << 4 | kind)
        else:
            self.out.append(0xF0 | kind)
            self.varint(count)

    def element(self) -> None:
        self.last.append(0)


def parquet(names: Sequence[str], kinds: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """The table's file. `kinds` by column: TEXT, DECIMAL of SCALE digits, INSTANT (UTC). "" is null."""
    out = bytearray(MAGIC)
    chunks = []
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    for column, kind in zip(columns, kinds, strict=True):
        page, plain = _page(column, kind)
        chunks.append((len(out), len(page), plain))
        out += page
    footer = _footer(names, kinds, chunks, len(rows))
    out += footer + struct.pack("<i", len(footer)) + MAGIC
    return bytes(out)


def _page(values: Sequence[str], kind: str) -> tuple[bytes, int]:
    """A data page with its header, and its length before compression with the header."""
    levels = _levels(bytes(map(bool, values)))
    plain = {value: _plain(value, kind) for value in set(values)}
    body = struct.pack("<i", len(levels)) + levels + b"".join([plain[value] for value in values])
    packed = zlib.compressobj(6, zlib.DEFLATED, 31)
    small = packed.compress(body) + packed.flush()
    header = _Thrift()
    header.i32(1, 0)  # a data page
    header.i32(2, len(body))
    header.i32(3, len(small))
    header.begin(5)
    header.i32(1, len(values))
    header.i32(2, 0)  # plain values
    header.i32(3, 3)  # definition levels: run lengths and packed bits
    header.i32(4, 3)
    header.end()
    header.out.append(0)
    return bytes(header.out) + small, len(header.out) + len(body)


def _levels(levels: bytes) -> bytes:
    """Definition levels, 0 or 1, as runs."""
    out, start = _Thrift(), 0
    while start < len(levels):
        other = levels.find(1 - levels[start], start)
        end = other if other > 0 else len(levels)
        out.varint((end - start) << 1)
        out.out.append(levels[start])
        start = end
    return bytes(out.out)


def _plain(value: str, kind: str) -> bytes:
    if not value:
        return b""
    if kind == TEXT:
        body = value.encode()
        return struct.pack("<i", len(body)) + body
    if kind == DECIMAL:
        return struct.pack("<q", int(Decimal(value).scaleb(SCALE)))
    moment = datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return struct.pack("<q", int(moment.timestamp()) * 1000)


def _footer(
    names: Sequence[str], kinds: Sequence[str], chunks: Sequence[tuple[int, int, int]], rows: int
) -> bytes:
    out = _Thrift()
    out.i32(1, 2)
    out.many(2, _STRUCT, len(names) + 1)
    _schema_root(out, len(names))
    for name, kind in zip(names, kinds, strict=True):
        _schema_column(out, name, kind)
    out.i64(3, rows)
    out.many(4, _STRUCT, 1)
    out.element()
    out.many(1, _STRUCT, len(names))
    for name, kind, chunk in zip(names, kinds, chunks, strict=True):
        _chunk(out, name, kind, chunk, rows)
    out.i64(2, sum(plain for _, _, plain in chunks))
    out.i64(3, rows)
    out.end()
    out.text(6, b"headnode")
    out.out.append(0)
    return bytes(out.out)


def _schema_root(out: _Thrift, columns: int) -> None:
    out.element()
    out.text(4, b"schema")
    out.i32(5, columns)
    out.end()


def _schema_column(out: _Thrift, name: str, kind: str) -> None:
    out.element()
    out.i32(1, _BYTES if kind == TEXT else _INT64)
    out.i32(3, _OPTIONAL)
    out.text(4, name.encode())
    out.i32(6, {TEXT: _UTF8, DECIMAL: _DECIMAL, INSTANT: _TIMESTAMP_MILLIS}[kind])
    if kind == DECIMAL:
        out.i32(7, SCALE)
        out.i32(8, 18)
    out.end()


def _chunk(out: _Thrift, name: str, kind: str, chunk: tuple[int, int, int], rows: int) -> None:
    at, size, plain = chunk
    out.element()
    out.i64(2, at)
    out.begin(3)
    out.i32(1, _BYTES if kind == TEXT else _INT64)
    out.many(2, _I32, 2)
    out.zigzag(0)
    out.zigzag(3)
    out.many(3, _BINARY, 1)
    out.varint(len(name.encode()))
    out.out += name.encode()
    out.i32(4, _GZIP)
    out.i64(5, rows)
    out.i64(6, plain)
    out.i64(7, size)
    out.i64(9, at)
    out.end()
    out.end()
