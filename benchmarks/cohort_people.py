"""Candidates and interviewers of the cohort: each a thread that does over HTTP what their page does."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from itertools import count
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from typing import Any
from urllib.parse import urlencode

SAVE_EVERY_S, STATE_EVERY_S, ASK_EVERY_S, RUN_EVERY_S = 5.0, 5.0, 20.0, 180.0
ANSWERS_WITHIN_S, READS_FOR_S = 60.0, 4.0
AGAIN_AFTER_S = 1.0
ATTACKS_AGAIN_AFTER_S = 0.1
DATA = re.compile(r'<script id="workspace-data" type="application/json">(.*?)</script>', re.DOTALL)
PROMQL = "sum by (instance) (rate(node_network_receive_bytes_total[5m]))"


@dataclass(frozen=True)
class Asked:
    """One request: what for, when (monotonic seconds), how long it took (s), the status; 0: no answer."""

    kind: str
    at: float
    seconds: float
    status: int


@dataclass
class Browser:
    """One person's browser: cookies, one connection that is kept, and a note of every request."""

    port: int
    asked: list[Asked]
    cookies: dict[str, str] = field(default_factory=dict)
    connection: http.client.HTTPConnection | None = None
    within_s: float = ANSWERS_WITHIN_S

    def ask(
        self, kind: str, path: str, body: Any = None, form: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, body) of one request, noted; a connection that breaks is status 0."""
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        headers |= {
            "X-CSRFToken": self.cookies.get("csrftoken", ""),
            "Host": f"localhost:{self.port}",
        }
        data = None
        if form is not None:
            data = urlencode(form).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        began = time.monotonic()
        status, answered, content = self._sent(
            "GET" if data is None else "POST", path, data, headers
        )
        self.asked.append(Asked(kind, began, time.monotonic() - began, status))
        return status, answered, content

    def _sent(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        for fresh in (False, True):  # a kept connection may have been closed meanwhile
            if self.connection is None:
                fresh = True
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=self.within_s
                )
            try:
                self.connection.request(method, path, data, headers)
                answer = self.connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                if fresh or isinstance(error, TimeoutError):
                    return 0, {}, b""
                continue
            for name, value in answer.getheaders():
                if name == "Set-Cookie":
                    key, _, rest = value.partition("=")
                    self.cookies[key] = rest.partition(";")[0]
            return answer.status, dict(answer.getheaders()), content
        return 0, {}, b""


@dataclass
class Candidate:
    """One candidate: opens the link, starts, works until the deadline, hands in or leaves it to the clock."""

    number: int
    token: str
    exercise: str
    browser: Browser
    start_at: float
    submits: bool
    client: str = field(default_factory=lambda: str(uuid.uuid4()))
    seq: int = 0
    base: int | None = None
    body: dict[str, Any] = field(default_factory=dict)
    acknowledged: list[tuple[int, str]] = field(default_factory=list)
    """(number, hash) of every draft that the site said it has."""
    urls: dict[str, str] = field(default_factory=dict)
    attempt: str = ""
    over: bool = False
    submitted: bool = False
    run: str = ""
    workloads: list[dict[str, str]] = field(default_factory=list)
    left_s: float = 0.0
    started_at: float = 0.0
    deadline: float = 0.0
    random: random.Random = field(default_factory=random.Random)

    def live(self) -> None:
        self.random.seed(self.number)
        self._until(self.start_at)
        if not self.begin():
            return
        due: dict[str, tuple[float, Callable[[], None]]] = {
            "save": (SAVE_EVERY_S, self.save),
            "state": (STATE_EVERY_S, self.look),
            "ask": (ASK_EVERY_S, self.question),
            "run": (RUN_EVERY_S, self.press_run),
        }
        at = {
            name: time.monotonic() + self.random.random() * every
            for name, (every, _) in due.items()
        }
        at["run"] = time.monotonic() + self.random.random() * 60
        self.deadline = time.monotonic() + self.left_s
        while not self.over and time.monotonic() < self.deadline - 0.8 * self.random.random() - 0.4:
            name = min(at, key=lambda key: at[key])
            self._until(min(at[name], self.deadline - 0.6))
            if time.monotonic() < at[name]:
                break
            due[name][1]()
            at[name] = max(at[name] + due[name][0], time.monotonic())
        if self.submits and not self.over:
            self.submit()

    def _until(self, moment: float) -> None:
        time.sleep(max(0.0, moment - time.monotonic()))

    def begin(self) -> bool:
        """Open the link and press Start until it is started; False where it never was."""
        return self.press(*self.enter())

    def enter(self) -> tuple[str, dict[str, str]]:
        """The lobby behind the link: its path, and what Start sends."""
        headers, _ = self._patiently("link", f"/t/{self.token}/")
        lobby = headers["Location"]
        _, page = self._patiently("lobby", lobby)
        return lobby, {"exercise": _field(page, "exercise"), "accept": "yes"}

    def _patiently(self, kind: str, path: str) -> tuple[dict[str, str], bytes]:
        """Headers and page, asked for again while the site is away."""
        status, headers, page = self.browser.ask(kind, path)
        while status == 0 or status >= 500:
            time.sleep(AGAIN_AFTER_S)
            status, headers, page = self.browser.ask(kind, path)
        return headers, page

    def press(self, lobby: str, form: dict[str, str]) -> bool:
        """Press Start until it is started; False where the window closed before."""
        until = time.monotonic() + 300
        while time.monotonic() < until:
            form["csrfmiddlewaretoken"] = self.browser.cookies.get("csrftoken", "")
            status, headers, _ = self.browser.ask("Start", f"{lobby}start/", form=form)
            self.started_at = time.monotonic()
            if status == 409:  # the window is over
                return False
            if status == 302 and "/attempts/" in headers.get("Location", ""):
                return self._open(headers["Location"])
            time.sleep(AGAIN_AFTER_S)
        return False

    def _open(self, workspace: str) -> bool:
        status, page = 0, b""
        while status != 200:
            status, _, page = self.browser.ask("workspace", workspace)
            if status != 200:
                time.sleep(AGAIN_AFTER_S)
        found = DATA.search(page.decode())
        assert found is not None
        data = json.loads(found[1])
        self.attempt, self.urls = data["attempt"], data["urls"]
        self.left_s = data["state"]["remaining_s"]
        self.body = {
            "files": {item["path"]: item["text"] for item in data["files"]},
            "sections": {item["key"]: item["text"] for item in data["sections"]},
        }
        self.workloads = data["workloads"]
        return True

    def typed(self) -> dict[str, Any]:
        """The answer after some more typing."""
        self.seq += 1
        sections = dict(self.body["sections"])
        first = next(iter(sections), None)
        if first is not None:
            sections[first] += f" Thought {self.seq} of candidate {self.number}."
        self.body = self.body | {"sections": sections}
        return {
            "client": self.client,
            "seq": self.seq,
            "base": self.base,
            "resolve": False,
            "body": self.body,
        }

    def save(self) -> None:
        """As the page: the same save again until it is acknowledged or the time is over."""
        save = self.typed()
        while not self.over and time.monotonic() < self.deadline + 30:
            status, _, content = self.browser.ask("save", self.urls["drafts"], save)
            if status in (200, 201):
                self._acknowledge(json.loads(content))
                return
            if status == 409:
                self.over = True
                return
            time.sleep(AGAIN_AFTER_S)

    def _acknowledge(self, answer: dict[str, Any]) -> None:
        self.base = answer["number"]
        self.acknowledged.append((answer["number"], answer["sha256"]))

    def look(self) -> None:
        status, _, content = self.browser.ask("state", self.urls["state"])
        if status == 200:
            state = json.loads(content)
            self.deadline = time.monotonic() + state["remaining_s"]

    def question(self) -> None:
        """What the exercise lets one ask: PromQL and logs, SQL, a check of the plan, the last run."""
        room = self.urls.get("room", "")
        if self.exercise == "troubleshooting":
            query = urlencode({"query": PROMQL})
            self.browser.ask("PromQL", f"{room}query?{query}")
            self.browser.ask("log search", f"{room}logs")
        elif self.exercise == "cost":
            sql = {"sql": "SELECT sum(gpus * ElapsedRaw) / 3600.0, sum(gpu_hours) FROM sacct"}
            self.browser.ask("SQL", f"{room}bill/sql", sql)
        elif self.exercise == "scaling":
            self.browser.ask("what-ifs", f"{room}plan/what-ifs")
        elif self.run:
            self.browser.ask("run state", f"{self.urls['runs']}/{self.run}")

    def press_run(self) -> None:
        if self.exercise == "automation":
            asked = self.typed() | {"workload": self.workloads[0]["name"]}
            status, _, content = self.browser.ask("Run", self.urls["runs"], asked)
            if status == 202:
                answer = json.loads(content)
                self.run = answer["id"]
                self._acknowledge(answer["saved"])

    def submit(self) -> None:
        """Until it is acknowledged, as the page's dialog does."""
        save = self.typed()
        save.pop("resolve")
        until = time.monotonic() + 120
        while time.monotonic() < until:
            status, _, content = self.browser.ask("Submit", self.urls["submit"], save)
            if status == 200:
                self.submitted = True
                return
            if status == 409:
                self.over = b"receipt_url" in content
                return
            time.sleep(AGAIN_AFTER_S)

    def last_words(self) -> str:
        """Hash of the answer that was sent last."""
        text = json.dumps(self.body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _field(page: bytes, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.decode())
    assert found is not None, f"no field {name} on the page"
    return unescape(found[1])


def interview(
    browser: Browser, name: str, password: str, paths: list[str], over: threading.Event
) -> None:
    """Sign in, then read lists and scoring pages one after another until it is over."""
    browser.ask("sign-in", "/admin/login/")
    form = {"username": name, "password": password, "next": "/admin/"}
    form["csrfmiddlewaretoken"] = browser.cookies.get("csrftoken", "")
    browser.ask("sign-in", "/admin/login/", form=form)
    while not over.is_set():
        for path in paths:
            browser.ask("staff page", path)
            if over.wait(READS_FOR_S * (0.5 + len(browser.asked) % 7 / 6)):
                return


def attack(candidate: Candidate, over: Event, told: Queue[list[Asked]]) -> None:
    """One session that presses Start sixteen times at once, then keeps twelve queries open.

    A process of its own, and a lowly one: it stands for a machine elsewhere, and must neither keep the
    other people's threads waiting nor take the site's processors.
    """
    os.nice(19)
    candidate.browser = Browser(candidate.browser.port, [])
    lobby, form = candidate.enter()
    form["csrfmiddlewaretoken"] = candidate.browser.cookies.get("csrftoken", "")
    start = ("attack: Start", f"{lobby}start/", None, form)
    _at_once([partial(_twin(candidate).ask, *start) for _ in range(16)])
    if candidate.press(lobby, form):
        _at_once([partial(_keep_asking, _twin(candidate), candidate, over) for _ in range(12)])
    told.put(candidate.browser.asked)


def _at_once(work: list[Callable[[], Any]]) -> None:
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _twin(candidate: Candidate) -> Browser:
    own = candidate.browser
    return Browser(own.port, own.asked, dict(own.cookies))


def _keep_asking(browser: Browser, candidate: Candidate, over: Event) -> None:
    """Query after query, each another (a kept answer costs nothing); a refusal is no reason to stop."""
    for turn in count():
        if over.is_set():
            return
        query = f"{PROMQL} * {id(browser)}{turn}"
        text = urlencode({"query": query, "points": 2000})
        status, _, _ = browser.ask("attack: query", f"{candidate.urls['room']}query?{text}")
        if status != 200:
            time.sleep(ATTACKS_AGAIN_AFTER_S)


def watch_health(browser: Browser, over: threading.Event, every_s: float = 1.0) -> None:
    """What somebody outside sees of the site, once a second."""
    while not over.wait(every_s):
        browser.ask("health", "/healthz")
