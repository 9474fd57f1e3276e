"""A small Greenhouse, Ashby and Lever, as far as the story goes: from a stage change to a result there."""

from __future__ import annotations

import base64
import hashlib
import hmac
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.test import Client

from integrations.tests.recorded import filled, recordings, same_form
from integrations.tests.world import Received, Receiver


def basic(key: str) -> str:
    return "Basic " + base64.b64encode(f"{key}:".encode()).decode()


@dataclass
class Fake(ABC):
    """Asks Headnode by a client and is told things by a server."""

    receiver: Receiver
    key: str = ""
    client: Client = field(default_factory=Client)
    shows: dict[str, Any] = field(default_factory=dict)
    """What the system's own page about the candidate says."""
    system = ""

    def __post_init__(self) -> None:
        self.recorded = recordings(self.system)
        self.receiver.reply = self.told

    @abstractmethod
    def told(self, got: Received) -> tuple[int, Any]:
        """Status and body of the answer to what arrived."""

    def ask(self, name: str, **given: Any) -> Any:
        """Send the recorded request, compare the answer's form, and return it."""
        row = self.recorded[name]
        sent = filled(row["request"], **given)
        path = f"/integrations/{self.system}/{sent['path']}"
        headers = {"Authorization": basic(self.key)}
        if sent["method"] == "GET":
            answer = self.client.get(path, headers=headers)
        else:
            answer = self.client.post(path, sent["body"], "application/json", headers=headers)
        assert answer.status_code == row["response"]["status"], answer.content
        same_form(answer.json(), row["response"]["body"], name)
        return answer.json()

    def is_as_recorded(self, got: Received, name: str) -> None:
        """Whether what arrived is as the documentation wants it."""
        wanted = self.recorded[name]["request"]
        assert (got.method, got.path) == (wanted["method"], wanted["path"])
        if wanted.get("body") is not None:
            same_form(got.json(), wanted["body"], name)


class FakeGreenhouse(Fake):
    system = "greenhouse"

    def move_to_stage(self) -> None:
        """A recruiter presses "Send Test"."""
        (test,) = self.ask("list_tests")
        host = self.receiver.url
        sent = self.ask("send_test", test=test["partner_test_id"], host=host)
        self.shows["order"] = sent["partner_interview_id"]

    def poll(self) -> Any:
        order = self.shows["order"]
        path = f"/integrations/greenhouse/test_status?partner_interview_id={order}"
        return self.client.get(path, headers={"Authorization": basic(self.key)}).json()

    def told(self, got: Received) -> tuple[int, Any]:
        """A PATCH says that a test is complete; only then it asks for the result."""
        self.is_as_recorded(got, "completed")
        assert got.headers["Authorization"] == basic(self.key)
        self.shows["complete"] = True
        return 200, {}


class FakeAshby(Fake):
    system = "ashby"
    own_key = "ashby-own-key"

    def start(self) -> None:
        listed = self.ask("assessment.list")["results"]
        test = listed[0]["assessment_type_id"]
        self.shows["order"] = self.ask("assessment.start", test=test)["results"]["assessment_id"]

    def cancel(self) -> Any:
        return self.ask("assessment.cancel", order=self.shows["order"])["results"]["update_request"]

    def told(self, got: Received) -> tuple[int, Any]:
        said = got.json()
        complete = "assessment_result" in said
        if "cancelled_reason" not in said:
            self.is_as_recorded(got, f"assessment.update, {'complete' if complete else 'started'}")
        assert got.headers["Authorization"] == basic(self.own_key)
        assert said["assessment_id"] == self.shows["order"]
        named = {one["identifier"] for key in said for one in self._fields(said[key])}
        assert len(named) == sum(len(self._fields(one)) for one in said.values())
        self.shows.setdefault("statuses", []).append(said["assessment_status"]["value"])
        if complete:
            self.shows["result"] = said["assessment_result"]["value"]
        if "cancelled_reason" in said:
            self.shows["cancelled"] = said["cancelled_reason"]["value"]
        return 200, {"success": True}

    @staticmethod
    def _fields(value: Any) -> list[dict[str, Any]]:
        if isinstance(value, dict):
            return [value]
        return value if isinstance(value, list) else []


class FakeLever(Fake):
    system = "lever"
    own_key, signature_key = "lever-own-key", "lever-signature-token"

    def move_to_stage(
        self, webhook: str, now: datetime, *, stage: str = "take-home", key: str = signature_key
    ) -> Any:
        """The webhook of a stage change, signed as Lever signs."""
        row = self.recorded["candidateStageChange"]["request"]["body"]
        at = int(now.timestamp() * 1000)
        signed = f"{row['token']}{at}".encode()
        signature = hmac.new(key.encode(), signed, hashlib.sha256).hexdigest()
        body = filled(row, at=at, signature=signature)
        body["data"]["toStageId"] = stage
        path = webhook.partition("//")[2].partition("/")[2]
        return self.client.post(f"/{path}", body, "application/json")

    def told(self, got: Received) -> tuple[int, Any]:
        assert got.headers["Authorization"] == basic(self.own_key)
        name = {"addLinks": "link", "notes": "note"}.get(
            got.path.partition("?")[0].rpartition("/")[2], "opportunity"
        )
        self.is_as_recorded(got, name)
        if name == "link":
            self.shows.setdefault("links", []).extend(got.json()["links"])
        if name == "note":
            self.shows.setdefault("notes", []).append(got.json()["value"])
        answer = self.recorded[name]["response"]
        return answer["status"], answer["body"]
