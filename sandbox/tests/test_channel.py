"""The decoder takes exactly what the protocol says and turns all else away."""

from __future__ import annotations

import json
import random

import pytest

from sandbox import Limits, channel
from sandbox.channel import Call, Inbox, ProtocolError, decode

LIMITS = Limits()


def body(params: str = "{}", call_id: str = "1", method: str = '"ping"') -> bytes:
    return f'{{"id":{call_id},"m":{method},"p":{params}}}'.encode()


def test_call_is_decoded() -> None:
    assert decode(body('{"n":[1,-2.5,"ü",true,null]}'), LIMITS) == Call(
        1, "ping", {"n": [1, -2.5, "ü", True, None]}
    )


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b"{}",
        b'{"id":1,"m":"ping"}',
        b'{"id":1,"m":"ping","p":{},"score":1}',
        body(call_id="true"),
        body(call_id="1.0"),
        body(call_id='"1"'),
        body(method="7"),
        body(method='"' + "x" * 65 + '"'),
        body("[]"),
        body('{"a":NaN}'),
        body('{"a":-Infinity}'),
        body('{"a":1e999}'),
        body('{"a":' + "9" * 17 + "}"),
        body('{"a":1,"a":2}'),
        body('{"a":{"b":1,"b":2}}'),
        body('{"a":"\\ud800"}'),
        body('{"\\uDC00":1}'),
        body("[" * 17 + "]" * 17),
        body('{"a":' + "[" * 100_000),
        b"\xef\xbb\xbf" + body(),
        b"\xff" + body(),
        body() + b"x",
        "{}".encode("utf-16"),
    ],
)
def test_anything_else_is_a_protocol_error(bad: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(bad, LIMITS)


def test_a_whole_surrogate_pair_is_text() -> None:
    assert decode(body('{"a":"\\ud83d\\ude00"}'), LIMITS).params == {"a": "\N{GRINNING FACE}"}


def test_brackets_inside_text_are_not_depth() -> None:
    text = "[{" * 50 + '\\"' + "[" * 20 + "\\\\"
    assert decode(body(json.dumps({"a": text})), LIMITS).params == {"a": text}


def test_depth_is_counted_from_the_outside_in() -> None:
    deepest = "[" * 14 + "]" * 14
    assert decode(body(f'{{"a":{deepest}}}'), LIMITS)
    with pytest.raises(ProtocolError, match="deeper than 16"):
        decode(body(f'{{"a":[{deepest}]}}'), LIMITS)


@pytest.mark.parametrize("inner", ["[]", "{}", '"]]]]"', '"\\\\"', '"\\""', '"[[[["'])
def test_many_brackets_beside_each_other_are_not_deep(inner: str) -> None:
    """Only what is open at once counts: a list of a hundred pairs is one level deeper than a pair."""
    wide = "[" + ",".join(["[]", inner, '{"b":[]}'] * 50) + "]"
    assert decode(body(f'{{"a":{wide}}}'), LIMITS)


def test_depth_counts_to_the_last_level_and_no_further() -> None:
    """The frame's own object and its params are two; with brackets beside them nothing else changes."""
    beside = ",".join(["[]"] * 20)
    deepest = "[" * 13 + "]" * 13
    assert decode(body(f'{{"a":[{beside},{deepest}]}}'), LIMITS)
    with pytest.raises(ProtocolError, match="deeper than 16"):
        decode(body(f'{{"a":[{beside},[{deepest}]]}}'), LIMITS)
    with pytest.raises(ProtocolError, match="deeper than 16"):
        decode(body(f'{{"a\\"":[{beside},[{deepest}]]}}'), LIMITS)


def test_the_bound_of_a_frame_is_the_longest_that_is_taken() -> None:
    inbox = Inbox(100)
    inbox.feed(channel.frame(b"x" * 100))
    assert inbox.take() == b"x" * 100
    inbox.feed(channel.frame(b"x" * 101))
    with pytest.raises(ProtocolError, match="101"):
        inbox.take()


def test_inbox_hands_frames_out_whole_however_they_arrive() -> None:
    sent = [body(call_id=str(n)) for n in range(5)]
    stream = b"".join(channel.frame(one) for one in sent)
    inbox, found = Inbox(1000), []
    for at in range(len(stream)):
        inbox.feed(stream[at : at + 1])
        while (one := inbox.take()) is not None:
            found.append(one)
    assert found == sent


@pytest.mark.parametrize("size", [0, 1001, 2**32 - 1])
def test_inbox_refuses_a_length_before_the_body_arrives(size: int) -> None:
    inbox = Inbox(1000)
    inbox.feed(size.to_bytes(4, "big"))
    with pytest.raises(ProtocolError, match=str(size)):
        inbox.take()


def test_answers_are_frames_of_json() -> None:
    assert channel.answer(7, {"a": 1}) == b'\x00\x00\x00\x14{"id":7,"r":{"a":1}}'
    refused = channel.refusal(7, "busy", "Try again.")
    assert json.loads(refused[4:]) == {"id": 7, "e": {"code": "busy", "message": "Try again."}}


def test_an_answer_that_is_not_json_is_our_error() -> None:
    with pytest.raises(ValueError, match="JSON"):
        channel.answer(1, float("nan"))
    with pytest.raises(TypeError):
        channel.answer(1, object())


def mutated(source: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(source.choice(seeds))
    for _ in range(source.randrange(4)):
        kind, at = source.randrange(4), source.randrange(len(data) + 1)
        if kind == 0:
            data[at:at] = source.randbytes(source.randrange(1, 6))
        elif kind == 1:
            del data[at : at + source.randrange(1, 8)]
        elif kind == 2:
            data[at:at] = source.choice([b"[", b"{", b'"', b"\\", b"1e9", b"NaN", b"\xed\xa0\x80"])
        elif data:
            data[at % len(data)] = source.randrange(256)
    return bytes(data)


def test_decoder_survives_100_000_mangled_frames() -> None:
    source = random.Random(20261120)
    seeds = [body(), body('{"a":[1,2,{"b":"c"}],"d":-1.5e3}'), b"\0" * 8, body('{"x":"\\u00e9"}')]
    accepted = 0
    for _ in range(100_000):
        try:
            found = decode(mutated(source, seeds), LIMITS)
        except ProtocolError:
            continue
        accepted += 1
        assert type(found.id) is int
        assert type(found.params) is dict
        json.dumps(found.params, allow_nan=False)
    assert accepted > 10_000, "the mutations should leave some frames whole"
