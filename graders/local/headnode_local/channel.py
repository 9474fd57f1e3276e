"""The simulator's end of the channel: answers one program's calls until it hangs up."""

from __future__ import annotations

import json
import socket

from scenarios.worlds import Episode
from scenarios.worlds.calls import Methods, answer
from scenarios.worlds.refusal import Refused

MOST_BYTES = 64 << 10
"""The longest question a program may ask, as on the platform."""


class Garbled(Exception):
    """The program wrote to the channel past the library; the message says what, in half a sentence."""


def serve(channel: socket.socket, episode: Episode, methods: Methods) -> int:
    """Answer until the program closes its end; the number of calls. Raises Garbled."""
    calls = 0
    while (head := _take(channel, 4)) is not None:
        size = int.from_bytes(head, "big")
        if not 0 < size <= MOST_BYTES:
            raise Garbled(f"a message of {size:,} bytes, and 1 to {MOST_BYTES:,} are allowed")
        body = _take(channel, size)
        if body is None:
            break
        calls += 1
        reply = json.dumps(_reply(body, episode, methods), separators=(",", ":")).encode()
        try:
            channel.sendall(len(reply).to_bytes(4, "big") + reply)
        except ConnectionError:
            break
    return calls


def _reply(body: bytes, episode: Episode, methods: Methods) -> dict[str, object]:
    number, method, params = _question(body)
    try:
        return {"id": number, "r": answer(episode, methods, method, params)}
    except Refused as refusal:
        return {"id": number, "e": {"code": refusal.code, "message": refusal.message}}


def _question(body: bytes) -> tuple[int, str, dict[str, object]]:
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    match value:
        case {"id": int(number), "m": str(method), "p": dict(params)} if len(value) == 3:
            return number, method, params
    raise Garbled("something that is not a call")


def _take(channel: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        try:
            part = channel.recv(size - len(data))
        except ConnectionError:
            return None
        if not part:
            return None
        data += part
    return bytes(data)
