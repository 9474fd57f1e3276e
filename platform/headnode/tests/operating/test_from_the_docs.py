"""A fresh Debian becomes a site by the commands of docs/operators.md, in their order, and by nothing else.

What a person does between the commands is done here: type a password twice, fill in names, read the mail.
systemd is not there: what it would start is started from the units' own lines.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headnode.tests.operating import test_whole_site as whole
from headnode.tests.operating.fresh_debian import Machine, debian
from headnode.tests.test_deployment import documented

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).resolve().parents[4]
TEXT = (ROOT / "docs/operators.md").read_text()
URL, MAIL_PORT = "https://localhost", 2525
SETTINGS = "set -a; . /etc/headnode/environment; set +a; export HEADNODE_DATA=/var/lib/headnode"
AS_HEADNODE = "runuser -u headnode --"


def steps() -> dict[int, list[str]]:
    """The commands of "One server" by the number of their step."""
    section = TEXT.split("\n## One server\n")[1].split("\n## ")[0].replace("\\\n", " ")
    parts = re.split(r"^\*\*(\d)\. ", section, flags=re.MULTILINE)[1:]
    found = {}
    for number, part in zip(parts[::2], parts[1::2], strict=True):
        part = re.sub(r"<!-- production -->\n\n(    .*\n)+", "", part)
        found[int(number)] = [
            re.split(r"\s{3,}#", line)[0].strip()
            for line in part.splitlines()
            if line.startswith("    ")
        ]
    return found


def several() -> list[str]:
    """The commands of "Several hosts"."""
    section = TEXT.split("\n## Several hosts\n")[1].split("\n## ")[0]
    return [line.split("#")[0].strip() for line in section.splitlines() if line.startswith("    ")]


def environment() -> str:
    """The page's block with this site's names in it; none is added."""
    own = {
        "SITE_URL": URL,
        "ALLOWED_HOSTS": "localhost",
        "SECRET_KEY": "an-example-of-a-long-random-key-0123456789-abcdefghijklm",
        "DATABASE_URL": documented()["DATABASE_URL"].replace("PASSWORD", whole.PASSWORD),
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(MAIL_PORT),
        "EMAIL_PASSWORD": whole.PASSWORD,
        "MFA_ROLES": "",  # a test has no telephone; test_second_step has one
    }
    assert set(own) <= set(documented())
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in (documented() | own).items())


GROUPS = "from-the-docs"
DELEGATED = f"""
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo "+cpu +memory +pids" > /sys/fs/cgroup/cgroup.subtree_control
    own=/sys/fs/cgroup/{GROUPS}-$RANDOM
    mkdir $own; chown -R headnode $own; echo $$ > $own/cgroup.procs
fi
"""
"""What systemd does for a unit with Delegate=: a group that the unit's user may divide further."""
OLDER_GROUPS = f"""
[ ! -e /sys/fs/cgroup/cgroup.controllers ] || exit 0
for name in memory pids cpu cpuacct; do
    own=/sys/fs/cgroup/$name/{GROUPS}-$RANDOM
    mkdir $own; chown -R headnode $own; mount --bind $own /sys/fs/cgroup/$name
done
"""
"""The same once for the machine, where the kernel has groups of the first version, which Debian has no more."""


def started_by(unit: Path) -> str:
    """What systemd would run for it, as whom."""
    said = dict(re.findall(r"^(User|ExecStart|Delegate)=(.*)$", unit.read_text(), re.MULTILINE))
    run = f"exec runuser -u {said['User']} -- {said['ExecStart']}"
    first = DELEGATED if "Delegate" in said else ""
    return "\n".join([first, SETTINGS, "cd /var/lib/headnode", run])


@pytest.fixture(autouse=True)
def no_group_stays() -> Iterator[None]:
    yield
    for own in Path("/sys/fs/cgroup").glob(f"**/{GROUPS}-*"):
        for folder, _, _ in os.walk(own, topdown=False):
            os.rmdir(folder)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("fresh") / "root"
    debian(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def installed(root: Path) -> None:
    """Steps 1 to 5 but what needs its own services: with this machine's network."""
    done = steps()
    machine = Machine(root, own_network=False)
    try:
        for line in done[1]:
            machine.do(line)
        for line in done[2]:
            if line == "make wheel":
                subprocess.run([ROOT / ".ci/wheel", root / "root/dist"], check=True)
            else:
                machine.do(line)
        shutil.copytree(ROOT / "deploy", root / "root/deploy")  # of the checkout
        (build,) = [line for line in done[5] if "build-root" in line]
        machine.do(build)
        machine.do(f"{build} login")  # else the host of terminals does, when it first starts
        machine.do(f"{build} login")  # else the host of terminals does, when it first starts
    finally:
        machine.off()


def brought_up(machine: Machine, root: Path) -> None:
    """Steps 3 to 7, as the page has them."""
    done = steps()
    # installed beside this machine's own PostgreSQL, the package chose another port for its own
    machine.do("sed -i 's/^port = .*/port = 5432/' /etc/postgresql/*/main/postgresql.conf")
    machine.do("pg_ctlcluster 15 main start; redis-server /etc/redis/redis.conf --daemonize yes")
    for line in done[3]:
        machine.do(line, given=f"{whole.PASSWORD}\n" * 2)
    for line in done[4]:
        machine.do(line)
    (root / "etc/headnode/environment").write_text(environment())
    whole.certificate(root / "root")
    first = "export HEADNODE_ADMIN=alma HEADNODE_ADMIN_EMAIL=alma@example.com"
    first += f" HEADNODE_ADMIN_PASSWORD={whole.PASSWORD}"
    typed = [line for line in done[5] if "build-root" not in line]
    machine.do("\n".join([first, *typed]))
    machine.do(OLDER_GROUPS)
    copies, _, enabled = done[6]
    machine.do(f"mkdir -p /etc/systemd/system; {copies}")
    for name in shlex.split(enabled)[3:]:
        unit = root / "etc/systemd/system" / f"{name.removesuffix('.service')}.service"
        if not name.endswith(".timer"):
            machine.start(started_by(unit), name)
    machine.do("install -d /etc/ssl/headnode; mv fullchain.pem privkey.pem /etc/ssl/headnode/")
    machine.do(done[7][0])
    conf = root / "etc/nginx/conf.d/headnode.conf"
    text = conf.read_text().replace("headnode.example.com", "localhost")
    conf.write_text(text.replace("# server 127.0.0.1:8001;", "server 127.0.0.1:8001;"))
    assert done[7][1] == "nginx -t && systemctl reload nginx"
    machine.do("nginx -t && nginx")


def a_second_host(machine: Machine) -> None:
    """Another web server and worker, with a name and a data folder of their own."""
    once, web, worker = several()[:3]
    own = "/var/lib/headnode-two"
    machine.do(f"install -d -o headnode -m 0711 {own}; ln -s /var/lib/headnode/sandbox {own}")
    asked = f"{SETTINGS}; export HEADNODE_DATA={own}; cd {own}"
    machine.do(f"{asked}; {AS_HEADNODE} /opt/headnode/bin/{once}")
    for line in (web.replace("10.0.0.11:8000", "127.0.0.1:8001"), worker):
        command = f"{AS_HEADNODE} /opt/headnode/bin/{line}"
        script = f"exec unshare --uts bash -c '{asked}; hostname two; exec {command}'"
        machine.start(f"{DELEGATED}\n{script}", line.split()[1])


def shell(machine: Machine, program: str) -> str:
    """Run it in Django's shell there."""
    words = f"{AS_HEADNODE} /opt/headnode/bin/headnode shell --no-imports -c {shlex.quote(program)}"
    return machine.do(f"{SETTINGS}; cd /var/lib/headnode; {words}")


GRADED = """
from assessments.models import GradingRun
row = GradingRun.objects.first()
print("result", row.result if row else "", row.trouble if row else "")
"""


def test_a_fresh_debian_becomes_a_site_by_the_page_alone(root: Path) -> None:
    installed(root)
    machine = Machine(root, own_network=True)
    try:
        brought_up(machine, root)
        known = root / "etc/ssl/headnode/fullchain.pem"
        module = "headnode.tests.operating.mailed_candidate"
        words = [sys.executable, "-m", module, URL, str(known), str(MAIL_PORT)]
        with subprocess.Popen(machine.beside(*words), stdout=subprocess.PIPE, text=True) as world:
            assert world.stdout is not None
            assert world.stdout.readline() == "listening\n"
            a_second_host(machine)
            looked_after(machine)
            shell(machine, whole.INVITE)
            assert world.stdout.readline() == "answered\n", said_by(root)
        whole.wait("the grading", lambda: "result done" in shell(machine, GRADED))
        assert "scored True" in shell(machine, whole.SCORE)
        kept = shell(machine, COUNTED)
        kept_and_restored(machine)
        assert kept.startswith("rows 1 1 1 ")
        assert shell(machine, COUNTED) == kept
    finally:
        machine.off()


COUNTED = """
from assessments.models import Attempt, GradingRun, Submission
from reviews.models import Evaluation
for kind in (Submission, GradingRun, Evaluation):
    print("rows" if kind is Submission else "", kind.objects.count(), end="")
print("", Attempt.objects.get().pk, GradingRun.objects.get().report["score"])
"""


def kept_and_restored(machine: Machine) -> None:
    """The commands of "Backups" in one shell, as the page begins it; the site is stopped in between."""
    begun = TEXT.split("\n## Looking after it\n")[1].split("\n### ")[0]
    section = TEXT.split("\n### Backups\n")[1].split("\n### ")[0]
    lines = [re.findall(r"^    (.*)$", part, re.MULTILINE) for part in (begun, section)]
    at = next(n for n, line in enumerate(lines[1]) if "createdb" in line)
    stop = ["for one in /proc/[0-9]*; do"]  # systemctl stop
    stop += ['if [ "$(stat -c %U $one)" = headnode ]; then kill ${one#/proc/} || true; fi']
    stop += ["done", "sleep 10"]
    machine.do("\n".join([*lines[0], *lines[1][:at], *stop, *lines[1][at:]]))


def looked_after(machine: Machine) -> None:
    """Step 8: the doctor ends with 0 once everything is up, and knows both hosts."""
    (look,) = steps()[8]
    trusts = (
        "export SSL_CERT_FILE=/etc/ssl/headnode/fullchain.pem"  # its issuer is known here alone
    )

    def well() -> bool:
        try:
            machine.do(f"{SETTINGS}; {trusts}; cd /var/lib/headnode; {look}")
        except AssertionError as error:
            trouble.append(str(error))
            return False
        return True

    trouble: list[str] = []
    try:
        whole.wait("the doctor to be content", well)
    except AssertionError:
        pytest.fail(trouble[-1])


def said_by(root: Path) -> str:
    """The last lines of every process."""
    logs = sorted((root / "root").glob("*.log"))
    return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)
