"""Bytes over the wire, requests and time to interactive of the candidate's pages, cold and warm.

    python -m benchmarks.page_weight [--out benchmarks/page_weight.json]

Starts a site with the demo and invites somebody to an exercise of each kind. The first page that a link
opens, the practice room and the five workspaces are opened in a fresh Chromium window (cold), then once
more in the same one (warm), in English and in German. Bytes are as the browser counts them, compressed, with
heads; a page is interactive when its main button can be pressed. Run it on a quiet host: the load before is in
the file, and the commit. Exits 1 where a bar is missed: 300 kB a workspace, 60 kB the first page, 1.5 s.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, Page, Response

from benchmarks.commit import commit
from headnode.tests.browser.actors import browser
from headnode.tests.browser.kept_demo import lend
from headnode.tests.browser.kinds_scene import LIVE, PACKS, invited
from headnode.tests.browser.site import Site
from hiring.language_choices import COOKIE, ENGLISH, GERMAN

SUBMIT, SCRIPTED = "#submit-open:not([disabled])", "[data-theme-toggle]:not([hidden])"
READY = {"first page": SCRIPTED, "practice": "#check:not([hidden])"}
"""Page -> what is there once it is interactive; of a workspace it is SUBMIT."""
LANGUAGES = {ENGLISH: "en-GB", GERMAN: "de-DE"}
BUILT_WITHIN_MS = 300_000
MOST_KB, MOST_MS = {"workspace": 300, "first page": 60}, 1500


def measured(page: Page, url: str, ready: str) -> dict[str, Any]:
    """One opening of a page: kilobytes over the wire, requests, ms until `ready` is there."""
    wire = page.context.new_cdp_session(page)
    sizes: list[float] = []
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda one: sizes.append(one["encodedDataLength"]))
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(ready)
    took = time.perf_counter() - began
    page.wait_for_load_state("networkidle")
    return {
        "kb": round(sum(sizes) / 1000, 1),
        "requests": len(sizes),
        "interactive_ms": round(1000 * took),
    }


def heaviest(page: Page, url: str) -> dict[str, float]:
    """What a page fetches, as {last part of its address: kilobytes}, the ten heaviest."""
    sizes: dict[str, float] = {}

    def note(answer: Response) -> None:
        part = answer.url.rstrip("/").rsplit("/", 1)[-1].split("?")[0]
        sizes[part] = answer.request.sizes()["responseBodySize"] / 1000

    page.on("response", note)
    page.goto(url)
    page.wait_for_load_state("networkidle")
    kept = sorted(sizes.items(), key=lambda one: -one[1])[:10]
    return {name: round(kb, 1) for name, kb in kept}


def opened(chrome: Browser, entrance: str, url: str, ready: str) -> dict[str, Any]:
    """A page in each language; entrance: the link that says who it is."""
    return {name: opened_in(chrome, name, entrance, url, ready) for name in LANGUAGES}


def opened_in(chrome: Browser, name: str, entrance: str, url: str, ready: str) -> dict[str, Any]:
    """A page cold and warm, with what of it is heavy."""
    found: dict[str, Any] = {}
    for _ in range(2):
        context = chrome.new_context(locale=LANGUAGES[name])
        context.request.get(entrance)  # the cookie, and nothing in the cache
        context.add_cookies([{"name": COOKIE, "value": name, "url": urljoin(url, "/")}])
        if found:
            found["heaviest_kb"] = heaviest(context.new_page(), url)
        else:
            found = {state: measured(context.new_page(), url, ready) for state in ("cold", "warm")}
        context.close()
    return found


def started(chrome: Browser, entrance: str) -> tuple[str, str]:
    """Start the one exercise of a link: addresses of its overview and of its workspace."""
    context = chrome.new_context()
    page = context.new_page()
    page.goto(entrance)
    overview = page.url
    page.get_by_role("checkbox").first.check()
    page.locator("button:not([disabled])", has_text="Start:").first.click(timeout=BUILT_WITHIN_MS)
    page.wait_for_selector(SUBMIT, timeout=BUILT_WITHIN_MS)
    workspace = page.url
    context.close()
    return overview, workspace


def figures(site: Site) -> dict[str, Any]:
    """Every page, cold and warm."""
    found: dict[str, Any] = {}
    tokens = {kind: invited(site, kind) for kind in PACKS | LIVE}
    with browser() as chrome:
        for kind, token in tokens.items():
            entrance = f"{site.url}/t/{token}/"
            if not found:
                found["first page"] = opened(chrome, entrance, entrance, READY["first page"])
            overview, workspace = started(chrome, entrance)
            if "practice" not in found:
                practice = f"{overview}practice/"
                found["practice"] = opened(chrome, entrance, practice, READY["practice"])
            found[f"workspace {kind}"] = opened(chrome, entrance, workspace, SUBMIT)
    return found


def missed(found: dict[str, Any]) -> list[str]:
    """The pages that are too heavy or too slow when they are opened for the first time."""
    said = []
    for page, languages in found.items():
        for name, opening in languages.items():
            cold = opening["cold"]
            if cold["kb"] > MOST_KB.get(page, MOST_KB["workspace"]):
                said.append(f"{page}, {name}: {cold['kb']} kB")
            if cold["interactive_ms"] > MOST_MS:
                said.append(f"{page}, {name}: {cold['interactive_ms']} ms")
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/page_weight.json"))
    options = parser.parse_args()
    load_before = round(os.getloadavg()[1], 1)
    with tempfile.TemporaryDirectory() as scratch:
        site = Site(Path(scratch, "site"))
        lend(site.data, Path(scratch, "demo"))
        site.start()
        try:
            found = figures(site)
        finally:
            site.stop()
    over = missed(found)
    found |= {"missed": over, "load_before": load_before, "commit": commit()}
    options.out.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found))
    raise SystemExit(1 if over else 0)


if __name__ == "__main__":
    main()
