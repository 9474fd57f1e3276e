"""What docs/operators.md builds, built: the first invitation is mailed, answered, graded and scored.

PostgreSQL, Redis, two hosts with web servers and workers, one schedule, terminals, a proxy with TLS, mail with
sign-in. Settings are the page's own block with this machine's addresses in it; what staff do by their forms is
done by the verbs behind them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from psycopg.rows import dict_row
from redis import Redis

from headnode.tests.browser.site import forget_database, free_port, own_database
from headnode.tests.operating.test_deploy import DEPLOY, nginx
from headnode.tests.test_deployment import documented

URL, BROKER = os.environ.get("DATABASE_URL", ""), os.environ.get("BROKER_URL", "")
pytestmark = [
    pytest.mark.nightly,
    # what repeats the tests on servers brings both; where they are not there nothing is missing
    pytest.mark.skipif(
        not (URL.startswith("postgres") and BROKER.startswith("redis")),
        reason="needs PostgreSQL (set DATABASE_URL) and Redis (set BROKER_URL)",
    ),
]
ROOT = Path(__file__).resolve().parents[4]
PASSWORD = "three-blue-racks-hum"
WITHIN_S = 600.0
LAST = 30
"""Lines of each log that a failure shows."""
INVITE = """
from datetime import timedelta
from django.contrib.auth.models import Group
from django.utils import timezone
from accounts.models import User
from hiring.invitations import invite
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Candidate, Exercise, Opening
now, alma = timezone.now(), User.objects.get(username="alma")
ines = User.objects.create_user("ines", email="ines@example.com", is_staff=True)
ines.groups.add(Group.objects.get(name="Interviewer"))
opening = Opening.objects.create(title="GPU platform engineer", level="mid", created_at=now)
exercise = Exercise.objects.create(opening=opening, pack_name="automation/queue-autoscaler",
    kind="automation", level="mid", limit_minutes=60, revision_minutes=15, hidden_workloads=5)
ada = Candidate.objects.create(name="Ada Fontaine", email="ada@example.com", created_at=now)
window = {"opens_at": now - timedelta(minutes=1), "closes_at": now + timedelta(days=6)}
invitation, _ = invite(opening=opening, candidate=ada, exercises=[exercise], by=alma, now=now, **window)
invite_by_mail(invitation, by=alma, now=now)
"""
SCORE = """
from django.utils import timezone
from accounts.models import User
from assessments.models import Attempt
from reviews.scoring import evaluations
now, attempt, ines = timezone.now(), Attempt.objects.get(), User.objects.get(username="ines")
evaluations.assign(attempt=attempt, evaluator=ines, by=User.objects.get(username="alma"), now=now)
card = evaluations.begin(attempt=attempt, round=1, evaluator=ines, now=now)
for item in card.criteria():
    evaluations.rate(card, criterion=item["key"], level=3, note="", now=now)
evaluations.submit(card, now=now)
card.refresh_from_db()
print("scored", card.submitted_at is not None)
"""


class Mailbox:
    """A mail server that takes messages from whoever signs in."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.refused = 0

    def signs_in(
        self, server: SMTP, session: Any, envelope: Envelope, how: str, data: Any
    ) -> AuthResult:
        good = isinstance(data, LoginPassword) and data.password == PASSWORD.encode()
        self.refused += not good
        return AuthResult(success=good)

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Envelope) -> str:
        content = envelope.content or b""
        whole = content if isinstance(content, bytes) else content.encode()
        body = message_from_bytes(whole, policy=policy.default).get_body(("plain",))
        self.taken.append(body.get_content() if body else "")
        return "250 taken"


@dataclass
class Hosts:
    """Two data folders, as two machines have them, and what runs on each."""

    folder: Path
    env: dict[str, str]
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def data(self, host: str) -> dict[str, str]:
        return self.env | {"HEADNODE_DATA": str(self.folder / host)}

    def say(self, host: str, *words: str) -> str:
        """Run a command there to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "headnode", *words],
            env=self.data(host),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"headnode {words}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def start(self, host: str, *words: str, program: list[str] | None = None) -> None:
        """Start a process there."""
        command = program or [sys.executable, "-m", "headnode", *words]
        log = (self.folder / f"{host}-{words[0]}.log").open("ab")
        options: dict[str, Any] = {
            "env": self.data(host),
            "cwd": self.folder,
            "stdout": log,
            "stderr": log,
        }
        self.running.append(subprocess.Popen(command, start_new_session=True, **options))

    def last_words(self) -> str:
        """What each process said last, and which have ended."""
        said = [
            f"{path.name}:\n" + "\n".join(path.read_text(errors="replace").splitlines()[-LAST:])
            for path in sorted(self.folder.glob("*.log"))
        ]
        ended = [
            f"{one.args!r} ended with {one.returncode}"
            for one in self.running
            if one.poll() is not None
        ]
        return "\n\n".join([*said, *ended])

    def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 20
        for process in self.running:
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait(what: str, look: Callable[[], Any]) -> Any:
    """What `look` gives once it gives something."""
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.5)
    raise AssertionError(f"{what}: not within {WITHIN_S:.0f} s")


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, int]]:
    box, port = Mailbox(), free_port()
    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=port,
        authenticator=box.signs_in,
        auth_required=True,
        auth_require_tls=False,  # on this machine itself, where a password may go in clear
    )
    controller.start()
    yield box, port
    controller.stop()


@pytest.fixture
def hosts(tmp_path: Path, mailbox: tuple[Mailbox, int]) -> Iterator[Hosts]:
    number, outside = free_port(), free_port()
    own = {
        "SITE_URL": f"https://localhost:{outside}",
        "ALLOWED_HOSTS": "localhost",
        "SECRET_KEY": "an-example-of-a-long-random-key-0123456789-abcdefghijklm",
        "DATABASE_URL": own_database(URL, number),
        "BROKER_URL": BROKER,
        "BROKER_PREFIX": f"whole-{number}:",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(mailbox[1]),
        "EMAIL_PASSWORD": PASSWORD,
        "METRICS_TOKEN": "a-token-for-prometheus",
        "MFA_ROLES": "",  # a test has no telephone; test_second_step has one
        "FRONT_DOOR_URL": "",
        "SANDBOX_STATE": "",  # each host's own, below
    }
    base = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    env = (
        base | documented() | own | {"PYTHONPATH": f"{ROOT}/platform:{ROOT}", "LOG_FORMAT": "json"}
    )
    certificate(tmp_path)
    env["SSL_CERT_FILE"] = str(tmp_path / "fullchain.pem")  # who issued it is known here
    site = Hosts(tmp_path, env)
    for host in ("one", "two"):
        roots = tmp_path / host / "sandbox/roots"
        roots.parent.mkdir(parents=True)
        roots.symlink_to(ROOT / "data/sandbox/roots")
    yield site
    site.stop()
    forget_database(number)
    with Redis.from_url(BROKER) as server:
        for key in server.scan_iter(f"whole-{number}:*"):
            server.delete(key)


def certificate(folder: Path) -> None:
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30"
    words += " -keyout privkey.pem -out fullchain.pem -subj /CN=localhost"
    words += " -addext subjectAltName=DNS:localhost"
    subprocess.run(words.split(), cwd=folder, check=True, capture_output=True)


def proxy(site: Hosts, servers: list[int]) -> None:
    """The example of deploy/nginx with this test's ports and paths."""
    text, outside = (
        (DEPLOY / "nginx/headnode.conf").read_text(),
        site.env["SITE_URL"].rpartition(":")[2],
    )
    text = text.replace("/etc/ssl/headnode", str(site.folder)).replace(
        "/var/log/nginx", str(site.folder)
    )
    text = text.replace(
        "server 127.0.0.1:8000;", " ".join(f"server 127.0.0.1:{port};" for port in servers)
    )
    text = text.replace("headnode.example.com", "localhost").replace(
        "listen 443", f"listen {outside}"
    )
    text = text.replace("listen [::]:443", f"listen [::]:{outside}")
    text = re.sub(
        r"listen (\[::\]:)?80;", f"listen \\g<1>{free_port()};".replace("\\g<1>", r"\g<1>"), text
    )
    (site.folder / "headnode.conf").write_text(text)
    whole = f"daemon off; pid {site.folder}/pid; error_log stderr; events {{}} "
    whole += "http { include headnode.conf; }"
    (site.folder / "nginx.conf").write_text(whole)
    program = [nginx(), "-p", str(site.folder), "-c", str(site.folder / "nginx.conf")]
    site.start("one", "nginx", program=program)


def started(site: Hosts) -> None:
    """Everything that the page starts, on two hosts."""
    first = {"HEADNODE_ADMIN": "alma", "HEADNODE_ADMIN_EMAIL": "alma@example.com"}
    site.env |= first | {"HEADNODE_ADMIN_PASSWORD": PASSWORD}
    with ThreadPoolExecutor(2) as both:  # as two pods that start together
        said = list(both.map(lambda host: site.say(host, "setup", "--no-input"), ("one", "two")))
    for words in ("administrator: alma, alma@example.com", "alma is one already"):
        assert len([text for text in said if words in text]) == 1, said
    assert len([text for text in said if "tables … up to date" in text]) == 1, said
    ports = {"one": free_port(), "two": free_port()}
    for host, port in ports.items():
        site.start(host, "web", "--bind", f"127.0.0.1:{port}")
        site.start(
            host, "worker", "-n", f"{host}@%h", "--loglevel", "WARNING", "--concurrency", "3"
        )
    site.start("one", "schedule", "--loglevel", "WARNING")
    site.start("two", "terminals")
    proxy(site, list(ports.values()))


def entered(site: Hosts, link: str) -> tuple[requests.Session, str]:
    """A candidate's browser, and the address of the workspace that it came to."""
    browser = requests.Session()
    browser.trust_env = False  # or this machine's list of authorities comes before ours
    browser.verify = site.env["SSL_CERT_FILE"]
    browser.headers["Referer"] = site.env["SITE_URL"] + "/"
    lobby = browser.get(link)
    exercise = re.search(r'name="exercise" value="(\d+)"', lobby.text)

    def begun() -> str:
        nonlocal exercise
        page = browser.get(lobby.url)
        exercise = re.search(r'name="exercise" value="(\d+)"', page.text)
        if exercise is None:
            return ""
        sent = {
            "exercise": exercise[1],
            "accept": "yes",
            "csrfmiddlewaretoken": browser.cookies["csrftoken"],
        }
        answer = browser.post(f"{lobby.url}start/", data=sent)
        return answer.url if "/attempts/" in answer.url else ""

    return browser, wait("the exercise to begin", begun)


def content(site: Hosts) -> None:
    """Wait until the doctor finds nothing wrong; what it last found where it never is."""
    last: list[Any] = []

    def is_well() -> bool:
        command = [sys.executable, "-m", "headnode", "doctor", "--json"]
        done = subprocess.run(command, env=site.data("one"), capture_output=True, check=False)
        found = json.loads(done.stdout)
        last[:] = [one for one in found["findings"] if one["state"] == "failed"]
        return bool(found["well"])

    try:
        wait("the doctor to be content", is_well)
    except AssertionError:
        pytest.fail(json.dumps(last, indent=1))


def is_healthy(site: Hosts) -> bool:
    try:
        asked = f"{site.env['SITE_URL']}/healthz"
        answer = requests.get(asked, verify=site.env["SSL_CERT_FILE"], timeout=5)
    except requests.RequestException:
        return False
    return bool(answer.status_code == 200)


def answered(site: Hosts, link: str) -> None:
    """The candidate's part, through the proxy: open, begin, save, hand in."""
    browser, workspace = entered(site, link)
    pk = workspace.rstrip("/").rpartition("/")[2]
    api = f"{site.env['SITE_URL']}/api/attempts/{pk}"
    csrf = {"X-CSRFToken": str(browser.cookies["csrftoken"])}
    golden = ROOT / "scenarios/packs/automation/queue-autoscaler/goldens/naive.py"
    answer = {"files": {"controller.py": golden.read_text()}, "sections": {}}
    body: dict[str, Any] = {
        "client": "9f3c1c1e-6c53-4b55-9d51-0d6a3a0f5a11",
        "seq": 1,
        "base": None,
        "body": answer,
    }
    saved = browser.post(f"{api}/drafts", json=body, headers=csrf)
    assert saved.status_code in {200, 201}, saved.text
    handed = browser.post(f"{api}/submit", json=body | {"seq": 2, "base": 1}, headers=csrf)
    assert handed.status_code in {200, 201}, handed.text


def result_of_the_grading(site: Hosts) -> str:
    """Once it has ended; a grading that does not is told of with all that its row says."""
    try:
        return str(wait("the grading", lambda: row_of_the_grading(site).get("result")))
    except AssertionError as error:
        pytest.fail(f"{error}: {row_of_the_grading(site)}\n{site.last_words()}")


def row_of_the_grading(site: Hosts) -> dict[str, Any]:
    asked = "select result, worker, tries, losses, claimed_at, progress, trouble"
    with psycopg.connect(site.env["DATABASE_URL"], row_factory=dict_row) as server:
        row = server.execute(f"{asked} from assessments_gradingrun").fetchone()
    return row or {}


def test_the_first_invitation_is_mailed_answered_graded_and_scored(
    hosts: Hosts, mailbox: tuple[Mailbox, int]
) -> None:
    started(hosts)
    wait("the site to be healthy", lambda: is_healthy(hosts))
    content(hosts)
    hosts.say("one", "shell", "--no-imports", "-c", INVITE)
    (mail,) = wait("the invitation", lambda: mailbox[0].taken[:1])
    assert mailbox[0].refused == 0
    url, known = hosts.env["SITE_URL"], hosts.env["SSL_CERT_FILE"]
    found = re.search(rf"{re.escape(url)}/t/[\w-]+/", mail)
    assert found, mail
    answered(hosts, found[0])
    assert result_of_the_grading(hosts) == "done", row_of_the_grading(hosts)
    assert "scored True" in hosts.say("two", "shell", "--no-imports", "-c", SCORE)

    token = {"Authorization": f"Bearer {hosts.env['METRICS_TOKEN']}"}
    figures = requests.get(f"{url}/metrics", headers=token, verify=known, timeout=10).text
    assert 'headnode_gradings_last_hour{result="done"} 1.0' in figures
    assert requests.get(f"{url}/metrics", verify=known, timeout=10).status_code == 404
    access = (hosts.folder / "headnode.log").read_text()
    assert "/t/-" in access
    assert found[0].rstrip("/").rpartition("/")[2] not in access
