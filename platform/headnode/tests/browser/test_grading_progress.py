"""While an answer is graded, staff see how far it is; the evidence comes without a reload."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Browser, expect

from headnode.tests.browser.test_replay import Stand

EVIDENCE = """<div data-gradings="/gradings">
<section data-round="1"><details class="workload"><summary>hidden-1</summary>Watched.</details></section>
<section data-round="2"><h3>Round 2 <span class="tag info" data-grading="2"{pending}>{state}</span>
<span data-progress="2">{progress}</span></h3><p>{text}</p></section>
<div data-round="changes">{changes}</div></div>"""
PAGE = """<!doctype html><html lang="en"><head><title>Evidence</title><link rel="icon" href="data:,">
</head><body data-ready><textarea aria-label="Note"></textarea>{evidence}
<script type="module" src="/reviews/admin_attempt.js"></script></body></html>"""


def row(text: str, progress: str, *, finished: bool) -> dict[str, Any]:
    return {
        "round": 2,
        "text": text,
        "tone": "info",
        "progress": progress,
        "finished": finished,
    }


PENDING = row("Being graded", "3 of 5 hidden weeks", finished=False)
GRADED = row("Graded", "", finished=True)


class Grading(Stand):
    """A page about an answer that is graded or will be; `looks` at it before and after are counted."""

    def __init__(self, running: Browser, *, done: bool) -> None:
        super().__init__(running)
        self.done = done
        self.looks = {False: 0, True: 0}

    def found(self, path: str) -> tuple[bytes, str]:
        done = self.done
        if path == "/gradings":
            self.looks[done] += 1
            return json.dumps(
                {"rounds": [GRADED if done else PENDING]}
            ).encode(), "application/json"
        if path == "/":
            words = {"pending": "", "state": "Graded", "progress": "", "text": "Measured."}
            words |= {"changes": "Better by 0.2" if done else ""}
            if not done:
                words |= {"pending": " data-pending", "state": "Waiting", "text": "Nothing yet."}
            return PAGE.format(evidence=EVIDENCE.format(**words)).encode(), "text/html"
        return super().found(path)


def test_progress_is_followed_and_nothing_written_is_lost(chrome: Browser) -> None:
    stand = Grading(chrome, done=False)
    page = stand.show({})
    page.get_by_label("Note").fill("Ask about the drain.")
    page.get_by_text("hidden-1").click()
    expect(page.get_by_text("3 of 5 hidden weeks")).to_be_visible()
    stand.done = True
    expect(page.get_by_text("Measured.")).to_be_visible()
    expect(page.get_by_text("Nothing yet.")).to_have_count(0)
    expect(page.get_by_text("Better by 0.2")).to_be_visible()
    expect(page.get_by_text("Watched.")).to_be_visible()
    expect(page.get_by_label("Note")).to_have_value("Ask about the drain.")
    assert stand.looks[True] == 1
    assert stand.complaints == []
    stand.server.shutdown()


def test_a_finished_grading_is_not_asked_about(chrome: Browser) -> None:
    stand = Grading(chrome, done=True)
    page = stand.show({})
    expect(page.get_by_text("Measured.")).to_be_visible()
    page.wait_for_timeout(3500)
    assert stand.looks == {False: 0, True: 0}
    stand.server.shutdown()
