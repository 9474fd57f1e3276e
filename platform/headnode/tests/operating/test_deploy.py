"""What deploy/ ships is accepted by who will read it: systemd, nginx, the schemas of engine and cluster."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from headnode import settings as shipped
from headnode.command import PROCESSES
from headnode.tests.browser.site import require
from headnode.tests.operating.chart import Chart, Unknown, parse

ROOT = Path(__file__).resolve().parents[4]
DEPLOY = ROOT / "deploy"
KUBERNETES = "1.33"
COMMANDS = {*PROCESSES, "setup", "terminals", "metrics", "backup", "erasures"}
"""What a unit, a service or a pod may ask of `headnode`."""


def version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    require(shutil.which("systemd-analyze") is not None, "no systemd-analyze on this system")
    program = tmp_path / "headnode"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    copies = []
    for name in ("worker", "terminals"):  # as docs/operators.md has it where they cannot be root
        beside = tmp_path / f"headnode-{name}.service.d"
        beside.mkdir()
        shutil.copy(DEPLOY / "systemd/ordinary-user.conf", beside)
    for unit in sorted((DEPLOY / "systemd").glob("headnode*")):
        copy = tmp_path / unit.name
        copy.write_text(unit.read_text().replace("/opt/headnode/bin/headnode", str(program)))
        copies.append(str(copy))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *copies],
        capture_output=True,
        text=True,
        check=False,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"},
    )
    ours = [line for line in done.stderr.splitlines() if "headnode" in line]
    assert ours == []
    assert done.returncode == 0, done.stderr


ORDINARY = ("web", "schedule", "metrics", "backup")
FENCING = ("worker", "terminals", "gpu-worker")
EXPOSED = (
    dict.fromkeys(ORDINARY, 16) | dict.fromkeys(FENCING, 54) | {"metrics": 20, "gpu-worker": 57}
)
"""The most that systemd may find each unit exposed, of a hundred; what makes fences cannot do with less."""


@pytest.mark.parametrize(("name", "most"), EXPOSED.items(), ids=EXPOSED)
def test_units_may_do_no_more_than_they_need(name: str, most: int) -> None:
    require(shutil.which("systemd-analyze") is not None, "no systemd-analyze on this system")
    unit = DEPLOY / f"systemd/headnode-{name}.service"
    words = ["security", "--offline=true", f"--threshold={most}", "--no-pager", str(unit)]
    done = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr


def own_devices(text: str) -> str:
    """For cards: the host's devices, which systemd's protection of clocks would close as well."""
    return re.sub(r"^(PrivateDevices|ProtectClock)=true\n", "", text, flags=re.MULTILINE)


def test_only_what_fences_programs_is_root() -> None:
    users = {
        unit.stem.removeprefix("headnode-"): "User=headnode\n" in unit.read_text()
        for unit in (DEPLOY / "systemd").glob("*.service")
    }
    assert users == dict.fromkeys(ORDINARY, True) | dict.fromkeys(FENCING, False)
    kept = [(DEPLOY / f"systemd/headnode-{name}.service").read_text() for name in FENCING]
    for text in kept:
        assert (
            "WorkingDirectory=/opt/headnode\n" in text
        )  # code is never looked for in the site's folder
        assert "StateDirectory" not in text  # or systemd would give the site's folder to root
        own = text.split("# Root,")[1]
        assert own in (kept[0].split("# Root,")[1], own_devices(kept[0].split("# Root,")[1]))


def test_units_start_what_there_is() -> None:
    units = (DEPLOY / "systemd").glob("*.service")
    asked = {
        name for unit in units for name in re.findall(r"/bin/headnode ([a-z-]+)", unit.read_text())
    }
    assert asked <= COMMANDS
    assert {"web", "worker", "schedule", "terminals", "gpu-worker"} <= asked


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A folder with a key and a certificate of its own."""
    done = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    done += ["-keyout", "privkey.pem", "-out", "fullchain.pem", "-days", "2", "-subj", "/CN=h"]
    subprocess.run(done, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def nginx() -> str:
    found = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin")
    require(found is not None, "no nginx on this system")
    return str(found)


def test_nginx_accepts_the_example(certificate: Path) -> None:
    program = nginx()
    example = (DEPLOY / "nginx/headnode.conf").read_text()
    example = example.replace("/etc/ssl/headnode", str(certificate)).replace(
        "/var/log/nginx", str(certificate)
    )
    (certificate / "headnode.conf").write_text(example)
    here = f"{certificate}/headnode.conf"
    whole = f"pid {certificate}/pid; error_log stderr; events {{}} http {{ include {here}; }}"
    (certificate / "nginx.conf").write_text(whole)
    done = subprocess.run(
        [program, "-t", "-p", str(certificate), "-c", "nginx.conf"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


def test_logs_of_the_proxy_hold_no_secret_link() -> None:
    text = (DEPLOY / "nginx/headnode.conf").read_text()
    format_ = text.partition("log_format headnode")[2].partition(";")[0]
    assert "$request_uri" not in format_
    assert "$request " not in format_
    for begins in ("^/t/", "^/report/", "^/password/reset/"):
        assert begins in text


def test_the_proxy_says_no_version() -> None:
    text = (DEPLOY / "nginx/headnode.conf").read_text()
    assert re.search(r"^    server_tokens +off;$", text.rpartition("\nserver {")[2], re.MULTILINE)


def test_image_is_slim_runs_as_nobody_special_and_starts_what_there_is() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    bases = [line.split()[1] for line in lines if line.startswith("FROM")]
    assert set(bases) == {"debian:bookworm-slim"}
    user = [line for line in lines if line.startswith("USER")]
    assert user == ["USER 10001:10001"]
    assert lines.index(user[0]) > max(at for at, line in enumerate(lines) if line.startswith("RUN"))
    assert 'ENTRYPOINT ["headnode"]' in lines
    assert "--require-hashes" in "".join(lines)
    sent = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    wanted = {line.split()[1] for line in lines if line.startswith("COPY requirements")}
    assert (
        wanted | {"platform", "scenarios", "graders", "sandbox", "pyproject.toml", "README.md"}
        == sent
    )


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text()))


def test_compose_names_every_process_and_nothing_is_privileged() -> None:
    services = compose()["services"]
    parts = {"web", "worker", "schedule", "terminals", "gpu-worker"}
    assert set(services) == parts | {"postgres", "redis", "setup"}
    assert services["gpu-worker"]["profiles"] == ["gpu"]
    for name in parts:
        one = services[name]
        assert "privileged" not in one
        assert one["depends_on"]["setup"]["condition"] == "service_completed_successfully"
        words = " ".join(one.get("command", [name]))
        assert re.search(rf"\b{name}\b", words)
    published = [port for one in services.values() for port in one.get("ports", [])]
    assert published == ["127.0.0.1:8000:8000"]
    named = {
        volume.partition(":")[0] for one in services.values() for volume in one.get("volumes", [])
    }
    assert {name for name in named if not name.startswith("$")} == set(compose()["volumes"])
    assert services["web"]["image"] == f"headnode:{version()}"


def test_compose_and_its_example_ask_for_settings_that_there_are() -> None:
    known = set(re.findall(r'"([A-Z][A-Z_]+)"', Path(shipped.__file__).read_text()))
    known |= set(
        re.findall(r'"([A-Z][A-Z_]+)"', (ROOT / "platform/headnode/environment.py").read_text())
    )
    known |= {
        "HEADNODE_ADMIN",
        "HEADNODE_ADMIN_EMAIL",
        "HEADNODE_ADMIN_PASSWORD",
        "SANDBOX_GPU_PACKAGES",
    }
    for name, one in compose()["services"].items():
        if name not in {"postgres", "redis"}:
            assert set(one["environment"]) <= known, name
    example = re.findall(r"^([A-Z_]+)=", (DEPLOY / "compose/example.env").read_text(), re.MULTILINE)
    asked = re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose/compose.yaml").read_text())
    assert set(example) <= set(asked)


VALUES: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "with GPUs": {"gpuWorker": {"enabled": True, "gpus": 2}},
    "without ingress and policies": {
        "ingress": {"enabled": False},
        "networkPolicy": {"enabled": False},
    },
    "own nodes": {
        "worker": {"nodeSelector": {"pool": "work"}, "tolerations": [{"operator": "Exists"}]}
    },
}


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    return Chart(DEPLOY / "helm/headnode", values).objects()


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.by_day(but=["as shipped", "with GPUs"])
def test_kubernetes_schema_accepts_the_chart(values: dict[str, Any]) -> None:
    # Importing it compiles forty grammars, a fifth of what collecting all tests takes.
    import kubernetes_validate

    for one in rendered(values):
        kubernetes_validate.validate(one, KUBERNETES, strict=True)


def pods(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in objects:
        if one["kind"] == "Deployment":
            yield one["metadata"]["name"], one["spec"]["template"]["spec"]


def test_every_pod_is_an_ordinary_user_with_resources_and_probes() -> None:
    found = dict(pods(rendered(VALUES["with GPUs"])))
    assert set(found) == {
        f"hn-{part}" for part in ("web", "worker", "schedule", "terminals", "gpu-worker")
    }
    for name, pod in found.items():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]
        assert "livenessProbe" in container
        assert container["image"] == f"headnode:{version()}", name
    assert found["hn-web"]["containers"][0]["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_the_server_refuses_no_pod_for_what_its_schema_does_not_say() -> None:
    """An unmasked /proc wants users of the pod's own; who has them shares no namespace of the node."""
    fenced = set()
    for name, pod in pods(rendered(VALUES["with GPUs"])):
        shared = {"hostPID", "hostIPC", "hostNetwork"} & set(pod)
        assert pod.get("hostUsers", True) or not shared, name
        for container in pod["containers"]:
            asked = container["securityContext"]
            if asked.get("procMount") == "Unmasked":
                fenced.add(name)
                assert pod.get("hostUsers") is False, name
                # the usual profiles forbid the mounts that fences are made of
                assert asked["seccompProfile"] == asked["appArmorProfile"] == {"type": "Unconfined"}
    assert fenced == {"hn-worker", "hn-terminals", "hn-gpu-worker"}
    about = yaml.safe_load((DEPLOY / "helm/headnode/Chart.yaml").read_text())
    assert about["kubeVersion"] == f">={KUBERNETES}.0-0"


@pytest.mark.nightly
def test_gpu_workers_go_where_cards_are_and_only_when_asked_for() -> None:
    assert "hn-gpu-worker" not in dict(pods(rendered({})))
    pod = dict(pods(rendered(VALUES["with GPUs"])))["hn-gpu-worker"]
    assert pod["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == 2


def test_one_schedule_alone_and_never_two_during_an_upgrade() -> None:
    (one,) = [one for one in rendered({}) if one["metadata"]["name"] == "hn-schedule"]
    assert (one["spec"]["replicas"], one["spec"]["strategy"]["type"]) == (1, "Recreate")


def test_what_runs_strangers_programs_reaches_no_metadata_service() -> None:
    policies = {
        one["metadata"]["name"]: one["spec"]
        for one in rendered({})
        if one["kind"] == "NetworkPolicy"
    }
    fenced = policies["hn-fenced"]
    chosen = fenced["podSelector"]["matchExpressions"][1]["values"]
    assert {"worker", "terminals", "gpu-worker"} <= set(chosen)
    assert fenced["ingress"] == []
    for rule in fenced["egress"]:
        assert all("169.254.0.0/16" in to["ipBlock"]["except"] for to in rule["to"])


def test_the_renderer_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(Unknown):
        parse("{{ if .x }} never ends")
    shutil.copytree(DEPLOY / "helm/headnode", tmp_path / "chart")
    (tmp_path / "chart/templates/more.yaml").write_text("a: {{ lookup .Values.host }}\n")
    with pytest.raises(Unknown, match="lookup"):
        Chart(tmp_path / "chart").objects()


def test_versions_are_the_same_everywhere() -> None:
    from assessments.presences import UNINSTALLED

    chart = yaml.safe_load((DEPLOY / "helm/headnode/Chart.yaml").read_text())
    assert {chart["version"], str(chart["appVersion"]), UNINSTALLED} == {version()}


def installed(into: Path) -> Path:
    """Build the wheel and install it into an environment that borrows this one's packages; its command."""
    pip = ["-m", "pip", "--disable-pip-version-check"]
    built = [
        sys.executable,
        *pip,
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(into),
        str(ROOT),
    ]
    subprocess.run(built, check=True)
    (wheel,) = into.glob("headnode-*.whl")
    place = into / "installed"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    (own,) = place.glob("lib/python*/site-packages")
    inherit = next(path for path in sys.path if path.endswith("site-packages"))
    (own / "inherit.pth").write_text(f"{inherit}\n")
    install = [str(place / "bin/python"), *pip, "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(install, check=True)
    for program in ("gunicorn", "celery"):
        (place / "bin" / program).write_text(
            f"#!{place}/bin/python\nfrom importlib.metadata import entry_points\n"
            f"(one,) = entry_points(group='console_scripts', name='{program}')\none.load()()\n"
        )
        (place / "bin" / program).chmod(0o755)
    return place / "bin/headnode"


@pytest.mark.nightly
def test_wheel_installs_and_its_command_runs(tmp_path: Path) -> None:
    """As an operator does it: build, install into an environment of its own, set up, look."""
    command, home = installed(tmp_path), str(tmp_path)
    env = {"PATH": "/usr/bin:/bin:/usr/sbin", "HOME": home, "HEADNODE_DATA": f"{home}/data"}
    env |= {"HEADNODE_ADMIN": "alma", "HEADNODE_ADMIN_EMAIL": "a@example.com"}
    env["HEADNODE_ADMIN_PASSWORD"] = "three-blue-racks-hum"

    def headnode(*words: str) -> subprocess.CompletedProcess[str]:
        options: dict[str, Any] = {"env": env, "cwd": home, "capture_output": True, "text": True}
        return subprocess.run([str(command), *words], check=False, **options)

    done = headnode("setup", "--no-input")
    assert done.returncode == 0, done.stderr
    assert "alma" in done.stdout
    assert (tmp_path / "data/static/headnode").is_dir()
    done = headnode("doctor", "--only", "database", "versions")
    assert done.returncode == 0, done.stdout
    assert f"Headnode {version()} everywhere" in done.stdout
    assert headnode("doctor", "--only", "processes").returncode == 1
    done = headnode("web", "--version")
    assert done.stdout.startswith("gunicorn"), done.stderr
    assert headnode("worker", "--help").returncode == 0
