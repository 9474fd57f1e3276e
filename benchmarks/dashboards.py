"""How long the dashboards of a room take: the server for each panel, the browser to draw and to zoom.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.dashboards

Builds the metrics of one incident, asks for every panel as the page does (once cold, once again for another
range), and draws them in the system's Chromium without a display: the first view from the arrival of its
data, all panels at once beside it, and twenty zooms of the page with the data in hand. Processor time stands
beside the clock's, since other work on the machine lengthens only the latter. Bars: a panel below 100 ms of
the server, the first view below 1 s, a zoom below 100 ms. Writes benchmarks/dashboards.json.
"""

from __future__ import annotations

import gzip
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from assessments.troubleshooting import metrics_answers as answers
from assessments.troubleshooting import metrics_query as queries
from benchmarks.commit import commit
from headnode.tests.browser.actors import browser
from headnode.tests.browser.troubleshooting_page import materials_page, metrics_of

LEVEL, SEED, POINTS, ZOOMS = "mid", 7, 200, 20
QUERIES = (
    "avg by (Hostname) (DCGM_FI_DEV_SM_CLOCK)",
    "sum by (switch) (rate(ib_switch_port_xmit_wait_total[5m]))",
    "topk(5, max_over_time(train_compute_seconds[10m]))",
    "quantile_over_time(0.9, DCGM_FI_DEV_POWER_USAGE[1h])",
)
PREPARE = """async ({ keys, node, from, to, points }) => {
  const base = "/static/assessments/troubleshooting";
  const data = await import(`${base}/metrics_data.js`);
  const { MetricsChart } = await import(`${base}/metrics_chart.js`);
  const { stageOf } = await import(`${base}/dashboards.js`);
  const buffers = [];
  for (let at = 0; at < keys.length; at += 20) {
    const query = new URLSearchParams(keys.slice(at, at + 20).map((key) => ["panel", key]));
    const more = { node, from, to, points, detail: "auto" };
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    buffers.push(await (await fetch(`/room/metrics/series?${query}`)).arrayBuffer());
  }
  const stage = stageOf(room, "benchmark", () => {});
  const grid = document.createElement("div");
  grid.className = "mgrid";
  document.querySelector(".mrows").prepend(grid);
  window.frames2 = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.drawAll = async (all) => {
    const began = performance.now();
    const panels = buffers.flatMap((buffer) => data.panelsOf(buffer));
    const made = ({ key, title, unit }) => new MetricsChart({ key, title, unit, stage });
    const charts = panels.map(made);
    grid.replaceChildren(...charts.map((chart) => chart.node));
    const bottom = document.querySelector(".mrows").getBoundingClientRect().bottom + 320;
    const inSight = charts.map((chart) => chart.node.getBoundingClientRect().top < bottom);
    charts.forEach((chart, at) => {
      if (all || inSight[at]) chart.setData(panels[at]);
      else chart.data = panels[at];
    });
    await frames2();
    const took = performance.now() - began;
    charts.forEach((chart) => chart.close());
    return { took, drawn: inSight.filter(Boolean).length };
  };
  const panels = buffers.flatMap((buffer) => data.panelsOf(buffer));
  const bytes = buffers.reduce((sum, one) => sum + one.byteLength, 0);
  return { bytes, lines: panels.reduce((sum, panel) => sum + panel.lines.length, 0) };
}"""
ZOOMED = """async ({ from, to }) => {
  const began = performance.now();
  room.setRange(from, to, "benchmark");
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - began;
}"""


def spread(values: list[float]) -> dict[str, float]:
    """Median, 95th percentile and highest, in ms."""
    ordered = sorted(values)
    at = min(len(ordered) - 1, round(0.95 * len(ordered)))
    found = {"median": statistics.median(ordered), "p95": ordered[at], "most": ordered[-1]}
    return {name: round(value, 2) for name, value in found.items()}


def asked(board: answers.Board, key: str, times: tuple[int, int]) -> tuple[float, float, int]:
    """(ms by the clock, ms of processor time, bytes gzipped) of one panel."""
    wall, cpu = time.perf_counter(), time.process_time()
    body = answers.charts(board, [key], answers.Asked(board.nodes[2], times, 300))
    took = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
    return *took, len(gzip.compress(body, 5))


def server(board: answers.Board) -> dict[str, Any]:
    """Every panel once over the whole recording, nothing being kept, and once more over the run."""
    keys = [panel.key for row in board.rows() for panel in row.panels]
    run = board.incident["run"]
    cold = [asked(board, key, board.window) for key in keys]
    warm = [asked(board, key, (run["from_ms"], run["to_ms"])) for key in keys[-60:]]
    heat, query = [], {}
    for metric in ("DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_POWER_USAGE"):
        began = time.process_time()
        answers.heat(board, metric, board.window, 600, "avg")
        heat.append((time.process_time() - began) * 1000)
    for text in QUERIES:
        began = time.process_time()
        queries.over(board, text, (run["from_ms"], run["to_ms"]), 300)
        query[text] = round((time.process_time() - began) * 1000, 1)
    return {
        "panels": len(keys),
        "cold_ms": spread([one[0] for one in cold]),
        "cold_cpu_ms": spread([one[1] for one in cold]),
        "again_cpu_ms": spread([one[1] for one in warm]),
        "all_panels_gzip_kb": round(sum(one[2] for one in cold) / 1000),
        "heat_cpu_ms": [round(one, 1) for one in heat],
        "query_cpu_ms": query,
    }


class Thread:
    """The processor time of the page's main thread, which a busy machine does not lengthen."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def ms(self) -> float:
        told = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in told if one["name"] == "TaskDuration")) * 1000


def timed(page: Page, thread: Thread, script: str, given: object) -> tuple[Any, float]:
    """(answer of the script, ms of the main thread)."""
    before = thread.ms()
    found = page.evaluate(script, given)
    return found, thread.ms() - before


def client(page: Page, board: answers.Board) -> dict[str, Any]:
    """What the browser takes, with the page's own modules."""
    page.wait_for_selector(".mchart canvas", timeout=120_000)
    page.wait_for_load_state("networkidle", timeout=120_000)
    thread, (first, last) = Thread(page), board.window
    zooms = []
    for turn in range(ZOOMS):
        start = first + turn * 300_000
        length = (last - first) * (0.8 - 0.03 * turn)
        zooms.append(timed(page, thread, ZOOMED, {"from": start, "to": start + length}))
        page.wait_for_timeout(400)  # the finer lines that follow a zoom are no part of the next
        page.wait_for_load_state("networkidle", timeout=120_000)
        page.wait_for_timeout(300)
    page.wait_for_load_state("networkidle", timeout=120_000)
    keys = [panel.key for row in board.rows() for panel in row.panels][:200]
    given = {"keys": keys, "node": board.nodes[2], "from": first, "to": last, "points": POINTS}
    told = page.evaluate(PREPARE, given)
    views = [timed(page, thread, "(all) => drawAll(all)", False) for _ in range(5)]
    everything = timed(page, thread, "(all) => drawAll(all)", True)
    return {
        "panels": len(keys),
        **told,
        "drawn_in_first_view": views[0][0]["drawn"],
        "first_view_ms": spread([one["took"] for one, _ in views]),
        "first_view_cpu_ms": spread([cpu for _, cpu in views]),
        "all_panels_drawn_ms": round(everything[0]["took"]),
        "all_panels_drawn_cpu_ms": round(everything[1]),
        "zoom_ms": spread([took for took, _ in zooms]),
        "zoom_cpu_ms": spread([cpu for _, cpu in zooms]),
    }


def main() -> None:
    """Measure, print and write."""
    with tempfile.TemporaryDirectory() as folder:
        board = metrics_of(Path(folder) / "variant", LEVEL, SEED)
        found: dict[str, Any] = {"load_before": [round(one, 1) for one in os.getloadavg()]}
        found["server"] = server(board)
        with materials_page(board) as served, browser() as running:
            page = running.new_page(viewport={"width": 1440, "height": 900})
            page.goto(served.url)
            found["browser"] = client(page, board)
    found |= {"load_after": [round(one, 1) for one in os.getloadavg()], "cores": os.cpu_count()}
    found |= {"commit": commit()}
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
