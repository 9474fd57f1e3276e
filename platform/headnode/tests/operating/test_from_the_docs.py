"""A fresh Debian becomes a site by the commands of docs/operators.md, in their order, and by nothing else.

What a person does between the commands is done here: type a password twice, fill in names, read the mail.
systemd is its first process, so each unit runs as it is shipped, with what it may not do.
"""

from __future__ import annotations

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
from reviews.privacy.tests.test_retention import typed

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).resolve().parents[4]
TEXT = (ROOT / "docs/operators.md").read_text()
URL, MAIL_PORT = "https://localhost", 2525
SETTINGS = "set -a; . /etc/headnode/environment; set +a; export HEADNODE_DATA=/var/lib/headnode"
AS_HEADNODE = "runuser -u headnode --"


def steps() -> dict[int, list[str]]:
    """The commands of "One server" by the number of their step."""
    page = TEXT.split("\n## One server\n")[1].split("\n**Where workers cannot be root**")[0]
    parts = re.split(r"^\*\*(\d)\. ", page.replace("\\\n", " "), flags=re.MULTILINE)[1:]
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


def ordinary() -> list[str]:
    """The commands for where workers cannot be root."""
    part = TEXT.split("\n**Where workers cannot be root**")[1].split("\nWith a container engine")[0]
    return re.findall(r"^    (.*)$", part, re.MULTILINE)


def begun() -> list[str]:
    """What "Looking after it" begins with: the settings, and `headnode` as the site's user."""
    part = TEXT.split("\n## Looking after it\n")[1].split("\n### ")[0]
    return re.findall(r"^    (.*)$", part, re.MULTILINE)


def section(name: str) -> list[str]:
    """The commands of a part of "Looking after it"."""
    part = TEXT.split(f"\n### {name}\n")[1].split("\n## ")[0].split("\n### ")[0]
    return re.findall(r"^    (.*)$", part, re.MULTILINE)


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


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("fresh") / "root"
    debian(folder, services=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def built(lines: list[str]) -> list[str]:
    """Those of step 5 that make the sandbox's root folders, for which a machine needs a network."""
    return [line for line in lines if "headnode-sandbox" in line]


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
        for line in built(done[5]):
            machine.do(line)
        # installed beside this machine's own PostgreSQL, the package chose another port for its own
        machine.do("sed -i 's/^port = .*/port = 5432/' /etc/postgresql/*/main/postgresql.conf")
    finally:
        machine.off()


def brought_up(machine: Machine, root: Path) -> None:
    """Steps 3 to 7, as the page has them."""
    done = steps()
    for line in done[3]:
        machine.do(line, given=f"{whole.PASSWORD}\n" * 2)
    for line in done[4]:
        machine.do(line)
    (root / "etc/headnode/environment").write_text(environment())
    whole.certificate(root / "root")
    first = "export HEADNODE_ADMIN=alma HEADNODE_ADMIN_EMAIL=alma@example.com"
    first += f" HEADNODE_ADMIN_PASSWORD={whole.PASSWORD}"
    typed = [line for line in done[5] if line not in built(done[5])]
    machine.do("\n".join([first, *typed]))
    for line in done[6]:
        machine.do(line)
    machine.do("install -d /etc/ssl/headnode; mv fullchain.pem privkey.pem /etc/ssl/headnode/")
    machine.do(done[7][0])
    conf = root / "etc/nginx/conf.d/headnode.conf"
    text = conf.read_text().replace("headnode.example.com", "localhost")
    conf.write_text(text.replace("# server 127.0.0.1:8001;", "server 127.0.0.1:8001;"))
    machine.do(done[7][1])


def a_second_host(machine: Machine) -> None:
    """Another web server and worker, with a name and a data folder of their own."""
    once, web, worker = several()[:3]
    own = "/var/lib/headnode-two"
    machine.do(f"install -d -o headnode -g headnode -m 0711 {own}")
    asked = f"{SETTINGS}; export HEADNODE_DATA={own}; cd {own}"
    machine.do(f"{asked}; {AS_HEADNODE} /opt/headnode/bin/{once}")
    starts = {
        web.replace("10.0.0.11:8000", "127.0.0.1:8001"): AS_HEADNODE,
        worker: "umask 007; exec setpriv --regid headnode --clear-groups",
    }
    for line, whom in starts.items():
        script = f"{asked}; hostname two; {whom} /opt/headnode/bin/{line}"
        machine.start(f"exec unshare --uts bash -c {shlex.quote(script)}", line.split()[1])


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
    machine = Machine(root, own_network=True, booted=True)
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
        asked_by_hand(machine)
        kept = shell(machine, COUNTED)
        kept_and_restored(machine)
        assert kept.startswith("rows 1 1 1 ")
        assert shell(machine, COUNTED) == kept
        figures_are_told(machine)
        without_root(machine)
    finally:
        machine.off()


COUNTED = """
from assessments.models import Attempt, GradingRun, Submission
from reviews.models import Evaluation
for kind in (Submission, GradingRun, Evaluation):
    print("rows" if kind is Submission else "", kind.objects.count(), end="")
print("", Attempt.objects.get().pk, GradingRun.objects.get().report["score"])
"""


SECOND_STOPS = """
for one in /proc/[0-9]*; do
    if grep -qsz HEADNODE_DATA=/var/lib/headnode-two $one/environ; then kill ${one#/proc/} || true; fi
done
sleep 10
"""


def kept_and_restored(machine: Machine) -> None:
    """The commands of "Backups" and of "Upgrades" in one shell, as the page begins it."""
    old = "/var/lib/headnode/backups/2020-01-01.tar.gz"
    made = f"mkdir -m 0700 {Path(old).parent}; {AS_HEADNODE} touch -d 2020-01-01 {old}"
    machine.do(f"{AS_HEADNODE} {made}")  # as if the unit had run years ago
    # a process of the second host, which systemd does not know of, must not write meanwhile
    machine.do(f"systemctl start headnode-backup; {SECOND_STOPS}")
    machine.do("\n".join([*begun(), *section("Backups")]))
    machine.do("\n".join([*begun(), *section("Upgrades")]))
    kept = machine.do("ls -A /var/lib/headnode-before/backups; stat -c %a:%U /var/lib/headnode")
    assert re.search(r"\d\.tar\.gz\n", kept)
    assert "2020" not in kept
    assert kept.endswith("711:headnode\n")


def asked_by_hand(machine: Machine) -> None:
    """What sentences have an operator type, and "Candidates' data" but its last command, which erases."""
    machine.do("systemctl status headnode-web")
    sandbox = "/opt/headnode/bin/python -m sandbox --state /var/lib/headnode-sandbox doctor"
    assert f"`{sandbox}`" in TEXT
    assert "works" in machine.do(sandbox)
    *harmless, erases = typed()
    assert "--erase" in erases
    machine.do("\n".join([*begun(), *harmless]))
    assert machine.do("stat -c %a:%U /var/lib/headnode/ada.zip") == "600:headnode\n"


def figures_are_told(machine: Machine) -> None:
    """The command of "Seeing it", by its unit, on an address of this machine."""
    (line,) = section("Seeing it")
    unit = (ROOT / "deploy/systemd/headnode-metrics.service").read_text()
    assert line.replace("10.0.0.12", "127.0.0.1") in unit
    machine.do("systemctl start headnode-metrics")
    asked = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:9808/metrics').read().decode())"
    command = f"/opt/headnode/bin/python -c {shlex.quote(asked)} || true"
    whole.wait("the figures", lambda: "headnode_cards_up 1" in machine.do(command))


def without_root(machine: Machine) -> None:
    """The commands for workers that cannot be root; what runs then, and as whom."""
    for line in ordinary():
        machine.do(line)
    for name in ("worker", "terminals"):
        machine.do(f"systemctl is-active headnode-{name}")
        main = machine.do(f"systemctl show --value --property MainPID headnode-{name}").strip()
        assert machine.do(f"stat -c %U /proc/{main}") == "headnode\n"
    look = f"{AS_HEADNODE} /opt/headnode/bin/headnode doctor --only sandbox"
    told = machine.do(f"{SETTINGS}; export SANDBOX_ALLOW_REDUCED=1; cd /var/lib/headnode; {look}")
    assert "Runs, marked as weaker" in told
    assert "inode limit" in told


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
    """The last lines of every process that was started by hand."""
    logs = sorted((root / "root").glob("*.log"))
    return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)
