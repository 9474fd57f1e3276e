"""The replay in a real browser, by itself: scrubbed, zoomed, played, compared, read aloud, on a phone."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from headnode.tests.browser.actors import DESKTOP, PHONE
from headnode.tests.static_files import static_file
from reviews.evidence.replay_shape import shape

TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "img-src data:"
)
DAY = 86_400
PAGE = """<!doctype html><html lang="en"><head><title>Replay</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/headnode/fonts.css"><link rel="stylesheet" href="/headnode/tokens.css">
<link rel="stylesheet" href="/headnode/base.css"><link rel="stylesheet" href="/headnode/vendor/uplot.css">
<link rel="stylesheet" href="/headnode/replay_log.css"><link rel="stylesheet" href="/headnode/replay.css">
</head><body><main><h1>Replay</h1><h2>A run</h2><h3>Timeline</h3><div id="place"></div></main>
<script type="module" src="/start.js"></script></body></html>"""
START = """import { showReplay } from "/headnode/replay.js";
import { differences } from "/headnode/differences.js";
const { a, b } = await (await fetch("/data.json")).json();
const place = document.getElementById("place");
const shown = showReplay(place, a, { other: b, names: ["first answer", "revision"] });
if (b) place.after(differences(a, b));
new ResizeObserver(shown.resize).observe(place);
document.fonts.ready.then(() => requestAnimationFrame(() => (document.body.dataset.ready = "yes")));
"""


def two_days(slower: int = 0) -> dict[str, Any]:
    """A sample every five minutes; jobs 0 to 9 hold od-0 to od-9 for three hours each, in turn."""
    t = list(range(0, 2 * DAY + 1, 300))
    queue = [at // 3600 + slower for at in t]
    row = {"unit": "jobs", "group": "queue"}
    return {
        "t": t,
        "series": [
            {"key": "queue_high", "label": "High waiting", "values": queue, **row},
            {"key": "queue_low", "label": "Low waiting", "values": [0 for _ in t], **row},
            {"key": "cost", "label": "Spent so far", "unit": "USD", "group": "cost",
             "values": [at / 100 for at in t]},
        ],
        "marks": [
            {"t": 3600, "kind": "fault", "text": "od-3 went down"},
            {"t": DAY + 51_600, "kind": "fault", "text": "od-4 went down"},
            {"t": 7200, "kind": "log", "text": "scaling to 4"},
            {"t": DAY, "kind": "log", "text": "a new day"},
        ],
        "gantt": {
            "rows": [f"od-{number}" for number in range(10)],
            "bars": [
                [number, number * 10_800, (number + 1) * 10_800, f"job {number}, 8 GPUs here", "high"]
                for number in range(10)
            ],
        },
    }  # fmt: skip


def crowded() -> dict[str, Any]:
    """400 machines, 4,000 bars and 600 marks in 14 days."""
    span = 14 * DAY
    bars = [
        [
            number % 400,
            number * 300,
            min(span, number * 300 + 7200 + number % 7 * 20_000),
            f"job {number}",
            ("high", "normal", "fault")[number % 3],
        ]
        for number in range(4000)
    ]
    rows = [f"rack-{number // 40:02d}-node-{number:03d}.east" for number in range(400)]
    kinds = ("fault", "spot", "rule", "alert", "action", "log")
    marks = [
        {"t": at * 2000, "kind": kinds[at % 6], "text": f"this is event {at}"} for at in range(600)
    ]
    return two_days() | {"marks": marks, "gantt": {"rows": rows, "bars": bars}}


class Stand:
    """Serves the static files and one page under the strictest policy; remembers complaints."""

    def __init__(self, running: Browser) -> None:
        self.running = running
        self.data: dict[str, Any] = {}
        self.complaints: list[str] = []
        stand = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body, kind = stand.found(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Security-Policy", POLICY)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Tests have their own words."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def found(self, path: str) -> tuple[bytes, str]:
        own = {
            "/": (PAGE, "text/html"),
            "/start.js": (START, "text/javascript"),
            "/data.json": (json.dumps(self.data), "application/json"),
        }
        if path in own:
            return own[path][0].encode(), own[path][1]
        file = static_file(path.lstrip("/"))
        return (file.read_bytes(), TYPES[file.suffix]) if file.is_file() else (b"", "text/plain")

    def show(
        self, a: dict[str, Any], b: dict[str, Any] | None = None, size: tuple[int, int] = DESKTOP
    ) -> Page:
        self.data = {"a": a, "b": b}
        context = self.running.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
        )
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self._heard(line.type, line.text))
        page.goto(f"http://127.0.0.1:{self.server.server_port}/")
        page.wait_for_selector("body[data-ready]")
        return page

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)


@pytest.fixture
def stand(chrome: Browser) -> Iterator[Stand]:
    made = Stand(chrome)
    yield made
    assert made.complaints == []
    for context in chrome.contexts:
        context.close()
    made.server.shutdown()


def slider(page: Page) -> Any:
    return page.get_by_role("slider", name="Time of the run")


def says(page: Page, text: str) -> None:
    expect(slider(page)).to_have_attribute("aria-valuetext", text)


def key_of(page: Page, label: str) -> Any:
    return page.get_by_role("button", name=label)


def test_slider_is_worked_by_keys_and_everything_follows(stand: Stand) -> None:
    page = stand.show(two_days())
    says(page, "day 1, 00:00")
    slider(page).press("ArrowRight")
    says(page, "day 1, 00:05")
    slider(page).press("PageUp")
    says(page, "day 1, 04:53")
    expect(key_of(page, "High waiting")).to_have_text("High waiting4")
    slider(page).press("End")
    says(page, "day 3, 00:00")
    expect(key_of(page, "Spent so far")).to_have_text("Spent so far1,728")
    expect(page.locator("[aria-current=time]")).to_contain_text("a new day")
    slider(page).press("ArrowLeft")
    says(page, "day 2, 23:55")
    slider(page).press("Home")
    says(page, "day 1, 00:00")
    expect(page.locator("[aria-current=time]")).to_have_count(0)


def test_marks_are_walked_and_told(stand: Stand) -> None:
    page = stand.show(two_days())
    live = page.locator(".replay > [aria-live=polite]")
    page.get_by_role("button", name="Next mark").click()
    says(page, "day 1, 01:00")
    expect(live).to_have_text("day 1, 01:00: od-3 went down")
    slider(page).press(".")
    slider(page).press(".")
    says(page, "day 2, 00:00")
    slider(page).press(",")
    says(page, "day 1, 02:00")
    faults = page.get_by_role("slider", name="Faults")
    faults.press("End")
    says(page, "day 2, 14:20")
    expect(faults).to_have_attribute("aria-valuetext", "day 2, 14:20: od-4 went down")
    expect(page.get_by_role("tooltip")).to_contain_text("od-4 went down")
    faults.press("ArrowLeft")
    says(page, "day 1, 01:00")


def test_zoom_by_keys_and_by_brush(stand: Stand) -> None:
    page = stand.show(two_days())
    window = page.locator(".replay-window")
    slider(page).press("+")
    expect(window).to_have_text("Showing day 1, 00:00 to day 2, 00:00")
    slider(page).press("0")
    expect(window).to_contain_text("Drag across a chart")
    box = page.locator(".u-over").first.bounding_box()
    assert box is not None
    y = box["y"] + 20
    page.mouse.move(box["x"] + box["width"] / 4, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=4)
    expect(page.locator(".replay-band")).to_be_visible()
    page.mouse.up()
    expect(window).to_have_text("Showing day 1, 12:00 to day 2, 00:00")
    expect(page.locator(".replay-band")).to_be_hidden()
    page.mouse.dblclick(box["x"] + 200, y)
    expect(window).to_contain_text("Drag across a chart")


def test_pointer_looks_and_a_click_goes_there(stand: Stand) -> None:
    page = stand.show(two_days())
    box = page.locator(".u-over").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    expect(page.locator(".replay-now")).to_have_text("day 2, 00:00")
    says(page, "day 1, 00:00")
    page.mouse.move(5, 5)
    expect(page.locator(".replay-now")).to_have_text("day 1, 00:00")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 30)
    says(page, "day 2, 00:00")


def test_play_goes_on_and_pause_stops(stand: Stand) -> None:
    page = stand.show(two_days())
    page.get_by_role("button", name="Play").click()
    expect(slider(page)).not_to_have_attribute("aria-valuetext", "day 1, 00:00")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    slider(page).press("End")
    page.get_by_role("button", name="Play").click()
    expect(slider(page)).not_to_have_attribute("aria-valuetext", "day 3, 00:00")


def test_moment_is_told_in_words(stand: Stand) -> None:
    page = stand.show(two_days())
    slider(page).press("PageUp")
    page.get_by_text("At this moment").click()
    table = page.locator(".moment-body")
    expect(table).to_contain_text("day 1, 04:48")
    expect(
        page.get_by_role("row", name="od-1 job 1, 8 GPUs here high day 1, 03:00")
    ).to_be_visible()
    page.get_by_role("button", name="Read out this moment").click()
    expect(page.locator(".replay > [aria-live=polite]")).to_have_text(
        "day 1, 04:48. High waiting 4 jobs, Low waiting 0 jobs, Spent so far 171 USD; 1 bar on machines."
    )
    slider(page).press("End")
    expect(table).to_contain_text("No job runs on any machine.")


def test_chart_has_a_table_and_a_key_isolates(stand: Stand) -> None:
    page = stand.show(two_days())
    page.get_by_role("button", name="Table of Jobs waiting").click()
    expect(page.get_by_role("region", name="Jobs waiting, table")).to_contain_text("day 2, 14:00")
    key_of(page, "High waiting").click()
    expect(key_of(page, "Low waiting")).to_have_attribute("aria-pressed", "false")
    key_of(page, "High waiting").click()
    expect(key_of(page, "Low waiting")).to_have_attribute("aria-pressed", "true")


def test_bars_are_told_under_the_pointer_also_far_down_a_crowd(stand: Stand) -> None:
    page = stand.show(crowded())
    machines = page.get_by_role("region", name="Machines: 400 rows, 4000 bars")
    machines.evaluate("node => { node.scrollTop = node.scrollHeight }")
    box = machines.bounding_box()
    assert box is not None
    machines.scroll_into_view_if_needed()
    page.get_by_role("button", name="All rows").click()
    canvas = page.locator(".gantt canvas")
    drawn = canvas.evaluate(
        "node => new Set(node.getContext('2d').getImageData(300, 0, 400, node.height).data).size"
    )
    assert drawn > 10
    canvas.hover(position={"x": 400, "y": 150})
    expect(page.get_by_role("tooltip")).to_contain_text("rack-")
    slider(page).press("PageUp")
    page.get_by_text("At this moment").click()
    expect(page.locator(".moment-body")).to_contain_text("the first 50 of")
    rows = page.get_by_role("region", name="What runs where").get_by_role("row")
    expect(rows).to_have_count(51)


def test_two_replays_share_the_cursor_and_differ_in_figures(stand: Stand) -> None:
    page = stand.show(two_days(), two_days(slower=5))
    slider(page).press("End")
    expect(key_of(page, "High waiting")).to_have_text("High waiting48 | 53")
    expect(page.get_by_role("slider", name="Faults A")).to_be_visible()
    expect(page.get_by_role("slider", name="Faults B")).to_be_visible()
    expect(page.get_by_role("region", name="Machines, B")).to_be_visible()
    row = page.get_by_role("region", name="Differences").get_by_role("row", name="High waiting")
    expect(row).to_have_text("High waiting (jobs)4853+523.528.5+5")
    same = page.get_by_role("region", name="Differences").get_by_role("row", name="Spent so far")
    expect(same.get_by_role("cell").nth(2)).to_have_text("0")


ODD = {
    "one sample": {"t": [0], "series": two_days()["series"][:1], "marks": [], "gantt": {}},
    "no series": {"t": [0, 300], "series": [], "marks": [], "gantt": {"rows": ["a"], "bars": []}},
    "no rows": two_days() | {"gantt": {"rows": [], "bars": []}},
    "only unknown": {
        "t": [0, 300],
        "marks": [],
        "gantt": {"rows": [], "bars": []},
        "series": [{"key": "x", "label": "X", "unit": "", "group": "x", "values": [None, None]}],
    },
    "steps": {
        "axis": "step",
        "t": [0, 1, 2],
        "marks": [{"t": 1, "kind": "odd", "text": "They part."}],
        "gantt": {"rows": [], "bars": []},
        "series": [{"key": "l", "label": "L", "unit": "", "group": "loss", "values": [4, 3, None]}],
    },
}


@pytest.mark.by_day("name", ["only unknown", "steps"])
@pytest.mark.parametrize("name", ODD)
def test_odd_replays_are_shown(stand: Stand, name: str) -> None:
    odd = {"gantt": {"rows": [], "bars": []}} | {key: v for key, v in ODD[name].items() if v != {}}
    page = stand.show(odd)
    slider(page).press("End")
    slider(page).press("+")
    page.get_by_text("At this moment").click()
    expect(page.locator(".moment-body")).to_contain_text("step 2" if name == "steps" else ":")


@pytest.mark.by_day("size,b", [(PHONE, two_days(slower=5))])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("b", [None, two_days(slower=5)], ids=["one", "two"])
def test_it_is_accessible_and_fits(
    stand: Stand, size: tuple[int, int], b: dict[str, Any] | None
) -> None:
    page = stand.show(two_days(), b, size)
    page.get_by_text("At this moment").click()
    expect(page.locator(".moment-body")).to_contain_text("Spent so far")
    stand.complaints.clear()
    found = (
        Axe().run(page, options={"rules": {"page-has-heading-one": {"enabled": False}}}).response
    )
    grave = [
        f"{item['id']}: {item['nodes'][0]['html'][:160]}"
        for item in found["violations"]
        if item["impact"] in {"serious", "critical"}
    ]
    assert grave == []
    wide, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= room
    cursor, plot = (page.locator(one).first.bounding_box() for one in (".replay-cursor", ".u-over"))
    assert cursor is not None
    assert plot is not None
    assert cursor["x"] == pytest.approx(plot["x"], abs=1.5)
    stand.complaints.clear()  # the inspection's own inline styles


@pytest.mark.by_day("replay", [crowded()])
@pytest.mark.parametrize("replay", [two_days(), crowded()], ids=["two days", "crowd"])
def test_page_and_picture_lay_bars_and_colours_out_alike(
    stand: Stand, replay: dict[str, Any]
) -> None:
    page = stand.show(replay)
    script = """async (raw) => {
      const { prepare } = await import("/headnode/replay_data.js");
      const data = prepare(raw);
      const rows = data.rows.map((row) => [row.name, row.lanes, row.bars.map((bar) => [bar.lane, bar.from])]);
      return { rows, colours: Object.fromEntries(data.colours), end: data.to, groups: data.groups.map((one) => one.title) };
    }"""  # noqa: E501
    told = page.evaluate(script, replay)
    shown = shape(replay)
    assert told["rows"] == [
        [row.name, row.lanes, [[lane, begin] for lane, begin, _, _ in row.bars]]
        for row in shown.rows
    ]
    assert told["colours"] == shown.colours
    assert told["end"] == shown.end
    assert told["groups"] == [group.title for group in shown.groups]
