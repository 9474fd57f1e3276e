"""The room's page without the rest of the site: its real modules and styles, and the metrics of one variant.

Dashboards and query box need neither a database nor an attempt, so that what they take can be measured alone.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from assessments.troubleshooting import metrics_answers as answers
from assessments.troubleshooting import metrics_query as queries
from headnode.tests.static_files import static_file
from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.signals.history import write_baseline, write_history
from scenarios.troubleshooting.truth import make_incident
from scenarios.troubleshooting.variant import facts

KINDS = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
STYLES = (
    *(f"headnode/{name}" for name in ("tokens", "base", "vendor/uplot", "replay")),
    *(
        f"assessments/workspace/{name}"
        for name in ("workspace", "tabs", "panels", "results", "narrow")
    ),
    *(f"assessments/workplace/{name}" for name in ("room", "popover")),
    *(f"assessments/troubleshooting/{name}" for name in ("dashboards", "logs")),
)
GZIP = b"\x1f\x8b"
POLICY = "default-src 'self'; style-src 'self' 'nonce-page'; img-src 'self' data:"
HEAD = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
LAYOUT = """
main { display: flex; flex: 1; min-height: 0; }
#centre, #pane-room { display: flex !important; flex: 1; flex-direction: column; min-width: 0; min-height: 0; }
"""
SCRIPT = """
import { setUpRoom } from "/static/assessments/workplace/room.js";
class Board extends EventTarget {
  ask(pins) { (window.pins ||= []).push(...pins); return Promise.resolve(true); }
  isPinned() { return false; }
  entered() {}
}
document.body.dataset.shown = "room";
window.room = setUpRoom({ base: "/room/", attempt: "test", board: new Board(), showPane() {} });
"""


def page() -> str:
    """The pane of the room and what its modules expect around it."""
    links = "".join(f'<link rel="stylesheet" href="/static/{name}.css">' for name in STYLES)
    return (
        f'<!doctype html><html lang="en"><head>{HEAD}<title>The room</title>'
        f'<meta name="csp-nonce" content="page">{links}<style nonce="page">{LAYOUT}</style></head>'
        '<body class="workspace">'
        '<main id="main"><h1 class="unseen">The room</h1><div id="centre">'
        '<section class="pane" id="pane-room" data-pane="room" aria-label="The room"></section></div></main>'
        '<p class="unseen" id="announce" aria-live="polite"></p>'
        '<p class="unseen" id="announce-now" aria-live="assertive"></p>'
        '<script type="module" src="/page.js"></script></body></html>'
    )


@dataclass
class MaterialsPage:
    """A running page; `down` makes the metrics fail as a server does that is not there.

    `full` counts for a path how many more times there is no place for its question. `logs` is a
    bundle of log lines, not compressed.
    """

    board: answers.Board
    logs: bytes = b""
    url: str = ""
    down: bool = False
    asked: list[str] = field(default_factory=list)
    full: Counter[str] = field(default_factory=Counter)


def metrics_of(folder: Path, level: str = "mid", seed: int = 7) -> answers.Board:
    """The metrics of an incident, written to a folder."""
    incident = make_incident(DEFAULT, LEVELS[level], seed)
    (folder / "metrics").mkdir(parents=True)
    write_history(incident, folder / "metrics" / "history.hncol")
    write_baseline(incident, folder / "metrics" / "baseline.hncol")
    return answers.board_of(folder, {"incident": facts(DEFAULT, level, seed)})


@contextmanager
def materials_page(board: answers.Board, logs: bytes = b"") -> Iterator[MaterialsPage]:
    """Serve the page until the block ends."""
    found = MaterialsPage(board, logs)

    class Handler(_Handler):
        page = found

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


Query = dict[str, list[str]]


def _times(board: answers.Board, query: Query) -> tuple[int, int]:
    return answers.clipped(board, int(query["from"][0]), int(query["to"][0]))


def _series(board: answers.Board, query: Query) -> bytes:
    node, detail = query.get("node", [""])[0], query["detail"][0]
    times, points = _times(board, query), int(query["points"][0])
    asked = answers.Asked(node, times, points, detail, "compare" in query)
    return answers.charts(board, query["panel"], asked)


def _heat(board: answers.Board, query: Query) -> bytes:
    columns, stat = int(query["columns"][0]), query["stat"][0]
    return answers.heat(board, query["metric"][0], _times(board, query), columns, stat)


def _query(board: answers.Board, query: Query) -> bytes:
    if "at" in query:
        return queries.instant(board, query["query"][0], int(query["at"][0]))
    points, step = (int(query.get(name, ["0"])[0]) for name in ("points", "step"))
    return queries.over(board, query["query"][0], _times(board, query), points, step)


ROUTES: dict[str, Callable[[answers.Board, Query], bytes]] = {
    "/room/manifest": lambda board, _: json.dumps(
        {"files": [], "incident": board.incident}
    ).encode(),
    "/room/metrics/catalogue": lambda board, _: answers.catalogue(board),
    "/room/metrics/panels": lambda board, _: answers.layout(board),
    "/room/metrics/series": _series,
    "/room/metrics/heatmap": _heat,
    "/room/query": _query,
}


class _Handler(BaseHTTPRequestHandler):
    page: ClassVar[MaterialsPage]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing: a test says what it needs itself."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/":
            self._send(page().encode(), "text/html; charset=utf-8")
        elif address.path == "/page.js":
            self._send(SCRIPT.encode(), KINDS[".js"])
        elif address.path == "/favicon.ico":
            self._send(b"", "image/x-icon")
        elif address.path.startswith("/static/"):
            file = static_file(address.path.removeprefix("/static/"))
            self._send(file.read_bytes(), KINDS.get(file.suffix, "text/plain"))
        else:
            self._answer(address.path, parse_qs(address.query))

    def _answer(self, path: str, query: Query) -> None:
        self.page.asked.append(path)
        if self.page.down and path != "/room/manifest":
            self._send(b'{"detail": "The server is being restarted."}', "application/json", 503)
            return
        if self.page.full[path] > 0:
            self.page.full[path] -= 1
            taken = b'{"detail": "Every place is taken.", "code": "busy"}'
            self._send(taken, "application/json", 429)
            return
        if path == "/room/logs":
            self._send(gzip.compress(self.page.logs), "application/octet-stream")
            return
        try:
            self._send(ROUTES[path](self.page.board, query), "application/octet-stream")
        except queries.QueryError as error:
            told = {"detail": error.message, "position": error.position}
            self._send(json.dumps(told).encode(), "application/json", 400)

    def _send(self, body: bytes, kind: str, status: int = 200) -> None:
        packs = len(body) > 1_000 and not body.startswith(GZIP)
        packed = gzip.compress(body, 5) if packs else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", POLICY)
        if status == 429:
            self.send_header("Retry-After", "1")
        if packed is not body:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        with suppress(BrokenPipeError):  # the page zoomed on and wants this no more
            self.wfile.write(packed)
