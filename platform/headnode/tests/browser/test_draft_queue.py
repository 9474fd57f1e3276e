"""Drafts with a browser's own storage: what it is slow to keep, and what an earlier page left in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from headnode.tests.static_files import static_file

SITE = "http://headnode.test"
# Of every entry the browser says late that it is kept.
SLOW_STORE = """() => {
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (entry) {
    const real = put.call(this, entry);
    return { set onsuccess(told) { real.onsuccess = () => setTimeout(told, 400); } };
  };
}"""
QUEUE = """
const { DraftQueue } = await import("/static/assessments/workspace/draft_queue.js");
const answer = { text: "", body() { return { files: { "controller.py": this.text }, sections: {} }; } };
const queue = new DraftQueue({ attempt: "ada", draftsUrl: "/drafts", answer, head: 0 });
"""
OVERTAKE = """async () => { %s
  await queue.recover();
  answer.text = "one";
  const saving = queue.save();
  answer.text = "two";
  await queue.post("/runs");
  await saving;
  await queue.flush();
}"""
LEFT_BEHIND = """async () => {
  const { DraftStore } = await import("/static/assessments/workspace/draft_store.js");
  const store = new DraftStore();
  await store.open();
  const body = { files: { "controller.py": "left behind" }, sections: {} };
  const sender = { attempt: "ada", client: "before", seq: 1, made: 1, base: 0 };
  await store.put({ key: "ada:before:1", ...sender, resolve: false, refused: false, body });
}"""
TYPE_MEANWHILE = """async () => { %s
  answer.text = "typed since";
  await queue.save();
  const found = await queue.recover();
  await queue.flush();
  return [found, queue.unsent];
}"""


class Sent:
    """A page of the site with its real modules; what reaches the server, in that order."""

    def __init__(self, chrome: Browser) -> None:
        self.arrived: list[tuple[str, str]] = []
        self.page: Page = chrome.new_context().new_page()
        self.page.route(f"{SITE}/**", self._answer)
        self.page.goto(f"{SITE}/")

    def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path == "/":
            route.fulfill(content_type="text/html", body="<!doctype html><title>Drafts</title>")
            return
        if path.startswith("/static/"):
            route.fulfill(path=static_file(path.removeprefix("/static/")))
            return
        draft = json.loads(route.request.post_data or "")
        route.fulfill(json=self._took(path, draft))

    def _took(self, path: str, draft: dict[str, Any]) -> dict[str, Any]:
        self.page.wait_for_timeout(100)
        self.arrived.append((path, draft["body"]["files"]["controller.py"]))
        number = len(self.arrived)
        return {"number": number, "head": number, "received_at": "2026-03-02T09:00:00Z"}


@pytest.fixture
def sent(chrome: Browser) -> Iterator[Sent]:
    made = Sent(chrome)
    yield made
    made.page.context.close()


def test_a_run_does_not_overtake_the_draft_before_it(sent: Sent) -> None:
    sent.page.evaluate(SLOW_STORE)
    sent.page.evaluate(OVERTAKE % QUEUE)
    assert sent.arrived[0] == ("/drafts", "one")
    assert sent.arrived[-1] == ("/runs", "two")


def test_what_was_left_behind_is_sent_and_replaces_nothing(sent: Sent) -> None:
    sent.page.evaluate(LEFT_BEHIND)
    assert sent.page.evaluate(TYPE_MEANWHILE % QUEUE) == [None, 0]
    assert sorted(sent.arrived) == [("/drafts", "left behind"), ("/drafts", "typed since")]
