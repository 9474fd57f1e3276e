"""A small server that speaks as OpenAI's does, or misbehaves in the way that a test names."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

KEY = "sk-never-in-a-browser"
WORDS = ["Drain ", "the node ", "first: ", '`call("drain")`', "\n<b>then</b> look."]


class Model:
    """How it behaves, and what it was asked; `go` lets an answer end that waits halfway."""

    def __init__(self) -> None:
        self.way = "well"
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.go = Event()
        self.words = list(WORDS)
        self.url = ""


def _event(data: Any) -> bytes:
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def _delta(text: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.model.paths.append(self.path)
        self._whole(200 if self.model.way != "refuses" else 401, b'{"data": []}')

    def do_POST(self) -> None:
        model = self.model
        model.paths.append(self.path)
        model.keys.append(self.headers.get("Authorization", ""))
        model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if model.way in ("refuses", "busy"):
            self._whole({"refuses": 401, "busy": 429}[model.way], b'{"error": {"message": "no"}}')
        elif model.way == "elsewhere":
            self.send_response(307)
            self.send_header("Location", f"{model.url}/somewhere/else")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif model.way == "page":
            self._whole(200, b"<html><body>It works!</body></html>")
        elif model.way == "silent":
            model.go.wait(20)
            self.close_connection = True
        else:
            self._stream()

    def _whole(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        try:
            for data in self._events():
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.model.go.set()  # whoever asked has gone
        self.close_connection = True

    def _events(self) -> Iterator[bytes]:
        model = self.model
        yield b": a comment\n\n"
        for number, word in enumerate(model.words):
            if number == 2 and model.way == "rubbish":
                yield _event("{not json")
                return
            if number == 2 and model.way == "breaks":
                return
            if number == 2 and model.way in ("stalls", "waits"):
                model.go.wait(180 if model.way == "waits" else 20)
                if model.way == "stalls":
                    return
            if number == 2 and model.way == "error":
                yield _event({"error": {"message": "overloaded"}})
                return
            yield _event(_delta(word))
            time.sleep(0.01)
        if model.way == "endless":
            while not model.go.is_set():
                yield _event(_delta("and so on, "))
        yield _event(_delta("", "stop"))
        if model.way != "uncounted":
            used = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
            yield _event({"choices": [], "usage": used})
        yield _event("[DONE]")


@contextmanager
def speaking() -> Iterator[Model]:
    """The server, as long as the block lasts; `url` is what ASSISTANT_URL would be."""
    model = Model()
    handler = type("Answers", (_Answers,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        model.go.set()
        server.shutdown()
        server.server_close()
