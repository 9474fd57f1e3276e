"""The order in which drafts leave a page, where keeping or sending one takes its time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from headnode.tests.browser.actors import browser
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
DEAF_STORE = """() => {
  for (const verb of ["put", "delete", "getAll"]) IDBObjectStore.prototype[verb] = () => ({});
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

# Submits while the server is away: it refuses twice, and who submits gives up after so many asks.
INSIST = """async (gives_up_at) => { %s
  await queue.recover();
  answer.text = "last words";
  let asked = 0;
  const insists = () => (asked += 1) !== gives_up_at;
  const found = await queue.post("/submit", {}, insists).catch((error) => error.message);
  await queue.flush();
  return [found.number ?? found, asked];
}"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as running:
        yield running


class Sent:
    """A page of the site with its real modules; what reaches the server, in that order."""

    def __init__(self, chrome: Browser) -> None:
        self.arrived: list[tuple[str, str]] = []
        self.refuses = 0
        self.seqs: list[int] = []
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
        self.seqs.append(draft["seq"])
        if self.refuses:
            self.refuses -= 1
            away = {"detail": "The database is away.", "code": "database_away"}
            route.fulfill(status=503, headers={"Retry-After": "1"}, json=away)
        else:
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


def test_storage_that_never_answers_holds_nothing_up(sent: Sent) -> None:
    """Each of its answers is waited for a moment, then the draft is sent without it."""
    sent.page.evaluate(DEAF_STORE)
    sent.page.evaluate(OVERTAKE % QUEUE)
    assert sent.arrived[0] == ("/drafts", "one")
    assert sent.arrived[-1] == ("/runs", "two")


def test_submit_is_sent_again_under_its_number_until_it_is_acknowledged(sent: Sent) -> None:
    sent.refuses = 2
    assert sent.page.evaluate(INSIST % QUEUE, 99) == [1, 4]  # asked before and after each pause
    assert sent.seqs == [1, 1, 1]
    assert sent.arrived == [("/submit", "last words")]


def test_who_stops_submitting_keeps_the_text_as_a_draft(sent: Sent) -> None:
    sent.refuses = 2
    assert sent.page.evaluate(INSIST % QUEUE, 2) == ["The database is away.", 2]
    assert sent.arrived == [("/drafts", "last words")]
    assert sent.seqs[0] == 1
    assert set(sent.seqs[1:]) == {2}
