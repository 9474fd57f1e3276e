"""A candidate without a browser: the link, the cookie, the endpoints."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any

import requests


class Wire:
    """Speaks to the site as the workspace does; every page load is a new one of these."""

    def __init__(self, link: str) -> None:
        self.base = link.split("/t/")[0]
        self.http = requests.Session()
        self.client = str(uuid.uuid4())
        self.seq = 0
        page = self.http.get(link, timeout=60)
        assert page.status_code == 200, page.text[:300]
        self.lobby = page.url
        self.attempt = self._started(page.text)

    def _started(self, page: str) -> str:
        found = re.search(r"/attempts/([0-9a-f-]{36})/", page)
        if found:
            return found[1]
        exercise = re.search(r'name="exercise" value="(\d+)"', page)
        assert exercise is not None, page
        answer = self.http.post(
            self.lobby + "start/",
            {"exercise": exercise[1], "accept": "yes", "csrfmiddlewaretoken": self.token},
            headers={"Referer": self.lobby},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text[:500]
        return answer.url.rstrip("/").rsplit("/", 1)[1]

    @property
    def token(self) -> str:
        return str(self.http.cookies["csrftoken"])

    def get(self, what: str) -> Any:
        url = f"{self.base}/api/attempts/{self.attempt}/{what}"
        answer = self.http.get(url, timeout=60)
        assert answer.status_code == 200, answer.text[:300]
        return answer.json()

    def post(self, what: str, body: dict[str, Any], **fields: Any) -> requests.Response:
        self.seq += 1
        data: dict[str, Any] = {
            "client": self.client,
            "seq": self.seq,
            "base": None,
            "body": body,
        } | fields
        return self.http.post(
            f"{self.base}/api/attempts/{self.attempt}/{what}",
            json=data,
            headers={"X-CSRFToken": self.token, "Referer": self.lobby},
            timeout=60,
        )

    def body(self) -> dict[str, Any]:
        """An answer with the pack's own program, to be changed by the test."""
        return {"files": {"controller.py": IDLE}, "sections": {"architecture": ""}}

    def run(self, program: str, within: float = 60) -> dict[str, Any]:
        """Press Run and wait for the end."""
        body = {"files": {"controller.py": program}, "sections": {}}
        answer = self.post("runs", body)
        assert answer.status_code == 202, answer.text
        return self.wait_run(answer.json()["id"], within)

    def wait_run(self, pk: str, within: float = 60) -> dict[str, Any]:
        until = time.monotonic() + within
        while time.monotonic() < until:
            row = dict(self.get(f"runs/{pk}"))
            if row["state"] in {"done", "infrastructure_error"}:
                return row
            time.sleep(0.05)
        raise AssertionError(f"The run did not end within {within} s: {row}")


IDLE = """import headnode_sdk

cluster = headnode_sdk.connect()
while cluster.tick():
    pass
"""
