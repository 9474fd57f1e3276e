"""A database that cannot be reached is said in words, with when to ask again: never a 500."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import json, sys, uuid, django
django.setup()
from django.conf import settings
from django.core import signing
from django.test import Client
from assessments.link import COOKIE, SALT

pk, invitation = uuid.uuid4(), uuid.uuid4()
client = Client(raise_request_exception=False, SERVER_NAME="localhost")
client.cookies[COOKIE] = signing.dumps({str(invitation): "0" * 16}, salt=SALT)
client.cookies[settings.SESSION_COOKIE_NAME] = "s" * 32
body = {"client": str(uuid.uuid4()), "seq": 1, "base": None, "body": {"files": {}, "sections": {}}}
api, said = f"/api/attempts/{pk}", {}
for path in (
    "/healthz", "/t/abc/", f"/work/{invitation}/", f"/attempts/{pk}/", f"/attempts/{pk}/receipt/",
    f"/attempts/{pk}/kit/", "/admin/", f"{api}/state", f"{api}/drafts", f"{api}/runs",
):
    said["GET", path] = client.get(path)
for path in (f"{api}/drafts", f"{api}/runs", f"{api}/submit"):
    said["POST", path] = client.post(path, body, content_type="application/json")
said["POST", "/work/start/"] = client.post(f"/work/{invitation}/start/", {"exercise": "1"})
print(json.dumps([
    [method, path, answer.status_code, answer.headers.get("Retry-After"),
     answer.headers.get("Cache-Control"), answer.content.decode()]
    for (method, path), answer in said.items()
]))
"""


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(params=["postgresql", "sqlite"])
def answers(request: pytest.FixtureRequest, tmp_path: Path) -> list[Any]:
    """What every candidate's address, the staff's and /healthz say without a database."""
    url = {
        "postgresql": f"postgres://nobody@127.0.0.1:{closed_port()}/nothing",
        "sqlite": f"sqlite://{tmp_path}/no/such/folder/headnode.sqlite3",
    }[request.param]
    env = os.environ | {"DATABASE_URL": url, "HEADNODE_DATA": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "headnode.settings", "LOG_LEVEL": "CRITICAL"}
    env |= {"PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.nightly
def test_everything_is_answered_in_words_without_a_database(answers: list[Any]) -> None:
    assert len(answers) == 14
    for method, path, status, retry_after, kept, text in answers:
        assert (status, retry_after) == (503, "3"), (method, path, text[:300])
        assert "Traceback" not in text
        assert "OperationalError" not in text
        if path.startswith("/api/"):
            assert kept == "no-store"
            said = json.loads(text)["detail"]
            assert ("not saved yet" in said) == (method == "POST")
            assert ("sent again by itself" in said) == (method == "POST")
            assert ("What was shown as saved is safe" in said) == (method == "GET")
        elif path != "/healthz":
            assert "cannot reach its database" in text
            assert ("what you just sent" in text) == (method == "POST")
