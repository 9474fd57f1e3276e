"""Frames and strict JSON from a program that is believed about nothing; knows no method."""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple, NoReturn

from sandbox.limits import Limits

_HEADER = 4
_MAX_DIGITS = 16
_MAX_METHOD = 64
_STRUCTURE = re.compile(rb'[\[\]{}"\\]')


class ProtocolError(Exception):
    """The program broke the channel's rules; the message says how, in half a sentence."""


class Call(NamedTuple):
    """One question from the program."""

    id: int
    method: str
    params: dict[str, object]


class Inbox:
    """Bytes in, whole frames out. Judges a length before any memory is set aside for it."""

    def __init__(self, max_frame: int) -> None:
        self._max = max_frame
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        self._held += data

    @property
    def partial(self) -> bool:
        return bool(self._held)

    def take(self) -> bytes | None:
        """The next whole frame's body, or None. Raises ProtocolError for a bad length."""
        held = self._held
        if len(held) < _HEADER:
            return None
        size = int.from_bytes(held[:_HEADER], "big")
        if size == 0 or size > self._max:
            raise ProtocolError(f"a frame of {size} bytes, and 1 to {self._max} are allowed")
        end = _HEADER + size
        if len(held) < end:
            return None
        body = bytes(held[_HEADER:end])
        del held[:end]
        return body


def frame(body: bytes) -> bytes:
    """Put the 4-byte big-endian length before a body."""
    return len(body).to_bytes(_HEADER, "big") + body


def answer(call_id: int, value: object) -> bytes:
    """A framed answer. Raises ValueError or TypeError when `value` is not JSON."""
    return frame(b'{"id":%d,"r":%b}' % (call_id, _encode(value).encode()))


def refusal(call_id: int, code: str, message: str) -> bytes:
    """A framed error answer."""
    fault = _encode({"code": code, "message": message})
    return frame(b'{"id":%d,"e":%b}' % (call_id, fault.encode()))


def decode(body: bytes, limits: Limits) -> Call:
    """Read one frame's body as a call. Raises ProtocolError for anything but exactly id, m, p."""
    if not _shallow(body, limits.depth):
        raise ProtocolError(f"JSON nested deeper than {limits.depth} levels")
    try:
        value = _decoder.decode(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ProtocolError("a frame that is not JSON in UTF-8") from None
    if type(value) is not dict or len(value) != 3:
        raise ProtocolError("a frame that is not an object of id, m and p")
    call_id, method, params = value.get("id"), value.get("m"), value.get("p")
    if type(call_id) is not int or type(method) is not str or type(params) is not dict:
        raise ProtocolError("a frame that is not an object of id, m and p")
    if b"\\ud" in body.lower() and not _storable(value):
        raise ProtocolError("half a character, which is not text")
    if len(method) > _MAX_METHOD:
        raise ProtocolError(f"a method name longer than {_MAX_METHOD} characters")
    return Call(call_id, method, params)


def _shallow(body: bytes, limit: int) -> bool:
    """Count brackets outside strings, before the parser could recurse."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return True
    depth, quoted, skip = 0, False, -1
    for found in _STRUCTURE.finditer(body):
        at, mark = found.start(), found.group()
        if at == skip:
            continue
        if mark == b"\\":
            skip = at + 1 if quoted else -1
        elif mark == b'"':
            quoted = not quoted
        elif not quoted:
            depth += 1 if mark in b"[{" else -1
            if depth > limit:
                return False
    return True


def _storable(value: object) -> bool:
    """Half of a surrogate pair parses, but can be neither encoded nor stored."""
    try:
        _as_text(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolError("an object with the same key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ProtocolError(f"the number {name}, which JSON does not have")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ProtocolError("a number too large to hold")
    return value


def _short_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ProtocolError(f"an integer of more than {_MAX_DIGITS} digits")
    return int(text)


_decoder = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_short_int,
)
_as_text = json.JSONEncoder(ensure_ascii=False).encode
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
