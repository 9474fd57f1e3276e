"""The log explorer with a million lines: until they are there, until a search is answered, how it scrolls.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.logs

Repeats the lines of a built incident with other numbers until there are 1,000,000, writes them through the
same bundle that candidates get, serves it to the real page modules in headless Chromium and lets
benchmarks/logs_page.js measure: from a search to its lines on the screen, and every frame while the list
scrolls. Bars of the exercise: no lag, a search below 1 s. Writes benchmarks/logs.json.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")

from playwright.sync_api import sync_playwright

from assessments.troubleshooting.log_bundle import Bundle
from assessments.troubleshooting.log_lines import LogLine, Place, read
from benchmarks.commit import commit
from headnode.tests.static_files import static_file
from scenarios.packs.variant import build

LINES = 1_000_000
PACK, LEVEL, SEED = "troubleshooting/slow-training", "mid", 3
ROOT = Path(__file__).resolve().parents[1]
BACK_MS = 60_000


def lines(
    folder: Path, manifest: dict[str, Any], again: int
) -> Iterator[tuple[str, list[LogLine]]]:
    """The logs of a variant; another round of them lies `again` minutes earlier and has other numbers."""
    place = Place("", "", manifest["incident"]["offset_min"], 2026)
    for row in manifest["files"]:
        if row["kind"] != "log":
            continue
        path = row["path"]
        found = read(path.rpartition("/")[2], (folder / path).read_text(), place)
        yield (
            f"{again}/{path}",
            [
                LogLine(
                    line.at_ms and line.at_ms - again * BACK_MS,
                    line.host,
                    line.source,
                    line.severity,
                    f"{line.text} #{again}" if again else line.text,
                )
                for line in found
            ],
        )


def million(folder: Path, manifest: dict[str, Any]) -> Bundle:
    """A bundle of exactly LINES lines."""
    bundle, again = Bundle(), 0
    while bundle.lines < LINES:
        for path, found in lines(folder, manifest, again):
            bundle.add(path, path, found[: LINES - bundle.lines])
        again += 1
    return bundle


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files as they lie in the repository, and the bundle."""

    def translate_path(self, path: str) -> str:
        name = path.split("?")[0]
        if name.startswith("/static/"):
            return str(static_file(name.removeprefix("/static/")))
        return str(Path(self.directory) / name.lstrip("/"))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the figures are what is printed."""


def serve(folder: Path) -> http.server.ThreadingHTTPServer:
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def page_figures(port: int) -> dict[str, Any]:
    """What the page measures of itself; a second visit finds the lines in the browser."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        running = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--no-first-run"]
        )
        page = running.new_page(viewport={"width": 1440, "height": 900})
        page.on("pageerror", lambda error: print(error, file=sys.stderr))
        visits = []
        for _ in range(2):
            page.goto(f"http://127.0.0.1:{port}/page.html")
            page.wait_for_selector("body[data-ready]")
            visits.append(page.evaluate("measure()"))
        running.close()
    first, second = visits
    return {"open_again_ms": second["open_ms"], **first}


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return round(value, 1) if isinstance(value, float) else value


def main() -> None:
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        build(PACK, LEVEL, SEED, folder / "variant")
        manifest = json.loads((folder / "variant/manifest.json").read_text())
        bundle = million(folder / "variant", manifest)
        began = time.process_time()
        data = bundle.write()
        packed = gzip.compress(data, 6, mtime=0)
        write_s = time.process_time() - began
        (folder / "logs").write_bytes(packed)
        (folder / "manifest.json").write_text(json.dumps(manifest))
        for ending in ("html", "js"):
            shutil.copy(ROOT / f"benchmarks/logs_page.{ending}", folder / f"page.{ending}")
        (folder / "page.css").write_text("#pane-room { flex: 1; }")
        server = serve(folder)
        figures = page_figures(server.server_address[1])
        server.shutdown()
    result = {
        "commit": commit(),
        "load": round(os.getloadavg()[0], 2),
        "lines": bundle.lines,
        "text_mb": len(data) / 1e6,
        "bundle_mb": len(packed) / 1e6,
        "write_cpu_s": write_s,
        **figures,
    }
    text = json.dumps(rounded(result), indent=1)
    (ROOT / "benchmarks/logs.json").write_text(f"{text}\n")
    print(text)


if __name__ == "__main__":
    main()
