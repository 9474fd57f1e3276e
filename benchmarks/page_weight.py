"""Bytes over the wire, requests and time to interactive of the candidate's pages, cold and warm.

    python -m benchmarks.page_weight [--out benchmarks/page_weight.json]

Starts a site with the demo, opens the practice room and the workspace of an automation exercise in a
fresh Chromium window (cold), then once more in the same one (warm). Bytes are as the browser counts them,
compressed, with heads; a page is interactive when its main button can be pressed. Run it on a quiet host.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext

from headnode.tests.browser.actors import browser
from headnode.tests.browser.kept_demo import lend
from headnode.tests.browser.site import Site

READY = {
    "practice": "#check:not([hidden])",
    "workspace": "#submit-open:not([disabled])",
}
"""Page -> what can be pressed once it is interactive."""


def measured(context: BrowserContext, url: str, ready: str) -> dict[str, Any]:
    """One opening of a page: kilobytes over the wire, requests, ms until `ready` is there."""
    page = context.new_page()
    wire = context.new_cdp_session(page)
    sizes: list[float] = []
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda one: sizes.append(one["encodedDataLength"]))
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(ready)
    took = time.perf_counter() - began
    page.wait_for_load_state("networkidle")
    page.close()
    return {
        "kb": round(sum(sizes) / 1000, 1),
        "requests": len(sizes),
        "interactive_ms": round(1000 * took),
    }


def figures(site: Site) -> dict[str, Any]:
    """Every page of READY, cold and warm."""
    found: dict[str, Any] = {}
    with browser() as running:
        links = _links(running.new_context(), site)
        for name, url in links.items():
            context = running.new_context()
            entering = context.new_page()
            entering.request.get(site.candidate_link)  # the cookie, and nothing in the cache
            entering.close()
            found[name] = {state: measured(context, url, READY[name]) for state in ("cold", "warm")}
            context.close()
    return found


def _links(context: BrowserContext, site: Site) -> dict[str, str]:
    """Addresses of the pages, after the exercise was started."""
    page = context.new_page()
    page.goto(site.candidate_link)
    overview = page.url
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Start:").first.click()
    page.wait_for_selector(READY["workspace"], timeout=120_000)
    links = {"practice": f"{overview}practice/", "workspace": page.url}
    context.close()
    return links


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/page_weight.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        site = Site(Path(scratch, "site"))
        lend(site.data, Path(scratch, "demo"))
        site.start()
        try:
            found = figures(site)
        finally:
            site.stop()
    found["load_before"] = round(os.getloadavg()[1], 1)
    options.out.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
