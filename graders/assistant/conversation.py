"""A conversation with an OpenAI-compatible model, or a recorded one: who speaks next, what is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from graders.assistant.desk import Desk, NoSuchTool

Json = dict[str, Any]
MOST_TURNS = 80
ANSWER_S = 600
"""Longest wait for one message of the model."""
TASK = (
    "You are a candidate in a work sample. The tools give you all that a candidate gets: the exercise's files, "
    "runs and questions to its data, and the answer to write. Begin with list_files and read the brief. Write "
    "the whole answer, then hand it in. You have {minutes} minutes. Answer in English."
)


class NoAnswer(RuntimeError):
    """The endpoint or the recording gave no message that can be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the assistant: its plain JSON, and the tokens that it cost in all, None where unknown."""

    message: Json
    tokens: int | None = None


Speaker = Callable[[Sequence[Json], Sequence[Json]], Said]
"""Messages so far and tools -> the next message of the assistant. Raises NoAnswer."""


@dataclass
class Talk:
    """What was said, how long it took and what it cost."""

    messages: list[Json] = field(default_factory=list)
    minutes: float = 0.0
    tokens: int | None = None
    model: str = ""


def endpoint(url: str, model: str, key: str = "") -> Speaker:
    """Speaks by POST to `url`/chat/completions."""
    address = f"{url.rstrip('/')}/chat/completions"
    headers = {"Authorization": f"Bearer {key}"} if key else {}

    def speak(messages: Sequence[Json], tools: Sequence[Json]) -> Said:
        body: Any = {"model": model, "messages": list(messages), "tools": list(tools)}
        try:
            answer = requests.post(address, json=body, headers=headers, timeout=ANSWER_S)
            answer.raise_for_status()
            data = answer.json()
            message = dict(data["choices"][0]["message"])
        except (requests.RequestException, ValueError, LookupError, TypeError) as error:
            raise NoAnswer(f"{address} gave no message: {error}") from None
        used = (data.get("usage") or {}).get("total_tokens")
        return Said(message, int(used) if used is not None else None)

    return speak


def recorded(path: Path) -> Speaker:
    """Speaks the assistant's messages of a transcript, in their order. Raises NoAnswer for any other file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = data["messages"] if isinstance(data, dict) else data
        waiting: Iterator[Json] = iter([dict(row) for row in rows if row["role"] == "assistant"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise NoAnswer(f"{path} is no transcript: {error}") from None

    def speak(messages: Sequence[Json], tools: Sequence[Json]) -> Said:
        return Said(next(waiting, {"role": "assistant", "content": "The transcript is over."}))

    return speak


def play(desk: Desk, speaker: Speaker, minutes: float, model: str = "") -> Talk:
    """Let the assistant work at the desk until it hands in, says no more, or its time is over.

    What it has written then is its answer: nobody helps it and nobody asks again. Raises NoAnswer.
    """
    began, talk = time.monotonic(), Talk(model=model)
    talk.messages = [{"role": "user", "content": TASK.format(minutes=round(minutes))}]
    tools = desk.described()
    for _ in range(MOST_TURNS):
        said = speaker(talk.messages, tools)
        talk.tokens = said.tokens if talk.tokens is None else talk.tokens + (said.tokens or 0)
        talk.messages.append({**said.message, "role": "assistant"})
        calls = said.message.get("tool_calls") or []
        talk.messages += [_replied(desk, call) for call in calls]
        talk.minutes = round((time.monotonic() - began) / 60, 2)
        if desk.handed_in or not calls or talk.minutes >= minutes:
            break
    return talk


def _replied(desk: Desk, call: Mapping[str, Any]) -> Json:
    function = call.get("function") or {}
    try:
        given = json.loads(function.get("arguments") or "{}")
        if not isinstance(given, dict):
            raise NoSuchTool("Arguments are one JSON object.")
        text = desk.use(str(function.get("name")), given)
    except NoSuchTool as error:
        text = str(error)
    except (ValueError, TypeError) as error:
        text = f"That could not be used: {error}"
    return {"role": "tool", "tool_call_id": str(call.get("id", "")), "content": text}
