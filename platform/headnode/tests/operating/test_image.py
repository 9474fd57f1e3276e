"""deploy/Dockerfile is built, over a Debian made from Debian's own packages, and what comes of it serves.

No registry of images is asked: the base that the file names is unpacked here and given to the engine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
import yaml

from headnode.tests.browser.site import free_port, require
from headnode.tests.operating.fresh_debian import debian
from headnode.tests.operating.test_deploy import DEPLOY, ROOT, version

pytestmark = [pytest.mark.nightly, pytest.mark.docker]
BASE = "debian:bookworm-slim"
WITHIN_S = 300.0
PDF = "import weasyprint; print(len(weasyprint.HTML(string='<p>A page.').write_pdf()) > 500)"


@dataclass
class Engine:
    """A Docker engine; containers share the host's network, as it may have none of its own."""

    url: str

    def do(self, *words: str) -> str:
        command = ["docker", "-H", self.url, *words]
        env = os.environ | {"DOCKER_BUILDKIT": "0"}  # the builder that every engine has
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    url = os.environ.get("SANDBOX_DOCKER_URL", "")
    require(bool(url) and shutil.which("docker") is not None, "no Docker engine")
    engine = Engine(url)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        debian(root)
        archive = Path(folder) / "root.tar"
        subprocess.run(["tar", "-C", str(root), "-cf", str(archive), "."], check=True)
        engine.do("import", str(archive), BASE)
    yield engine
    engine.do("image", "rm", "--force", BASE)


@pytest.fixture(scope="module")
def image(engine: Engine) -> Iterator[str]:
    name = f"headnode-built:{version()}"
    dockerfile = str(DEPLOY / "Dockerfile")
    engine.do("build", "--network=host", "--file", dockerfile, "--tag", name, str(ROOT))
    yield name
    engine.do("image", "rm", "--force", name)


def test_it_is_an_ordinary_user_with_all_that_the_product_needs(engine: Engine, image: str) -> None:
    said = json.loads(engine.do("image", "inspect", image))[0]["Config"]
    assert (said["User"], said["Entrypoint"]) == ("10001:10001", ["headnode"])
    assert said["Cmd"] == ["web", "--bind", "0.0.0.0:8000"]
    run = ("run", "--rm", "--network=none", "--entrypoint")
    assert engine.do(*run, "id", image, "-u").strip() == "10001"
    assert engine.do(*run, "python", image, "-c", PDF).strip() == "True"
    assert "bubblewrap" in engine.do(*run, "bwrap", image, "--version")
    assert engine.do(*run, "headnode", image, "--version").strip() == version()
    held = engine.do(*run, "find", image, "/opt/headnode", "-path", "*/headnode/tests")
    assert held == "", "tests are in the image"


def test_it_is_set_up_and_serves(engine: Engine, image: str) -> None:
    volume, port = engine.do("volume", "create").strip(), free_port()
    given = [
        f"--env={name}={value}"
        for name, value in {
            "HEADNODE_ADMIN": "alma",
            "HEADNODE_ADMIN_EMAIL": "alma@example.com",
            "HEADNODE_ADMIN_PASSWORD": "three-blue-racks-hum",
            "SECRET_KEY": "an-example-of-a-long-random-key-0123456789-abcdefghijklm",
        }.items()
    ]
    shared = ["--network=host", f"--volume={volume}:/var/lib/headnode", *given]
    served = ""
    try:
        assert "alma" in engine.do("run", "--rm", *shared, image, "setup", "--no-input")
        bind = ("web", "--bind", f"127.0.0.1:{port}")
        served = engine.do("run", "--detach", *shared, image, *bind).strip()
        until = time.monotonic() + WITHIN_S
        while not is_ready(port):
            assert time.monotonic() < until, engine.do("logs", served)
            time.sleep(0.5)
        page = requests.get(f"http://127.0.0.1:{port}/admin/login/", timeout=10)
        assert page.status_code == 200
        assert "Example Compute" in page.text
    finally:
        if served:
            engine.do("rm", "--force", served)
        engine.do("volume", "rm", "--force", volume)


def test_compose_reads_its_file_and_asks_for_what_was_not_filled_in(tmp_path: Path) -> None:
    require(shutil.which("docker-compose") is not None, "no docker-compose on this system")
    text = (DEPLOY / "compose/compose.yaml").read_text()
    # The one that Debian has is older than a file's name for itself.
    (tmp_path / "compose.yaml").write_text(text.replace("\nname: headnode\n", "\n"))
    example = (DEPLOY / "compose/example.env").read_text()
    command = ["docker-compose", "--file", "compose.yaml", "--profile", "gpu", "config"]

    def config(filled: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / ".env").write_text(filled)
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    unfilled = config(example)
    assert unfilled.returncode != 0
    assert "a password of letters and digits" in unfilled.stderr
    filled = example.replace("SECRET_KEY=", "SECRET_KEY=k").replace("_PASSWORD=", "_PASSWORD=p")
    done = config(filled)
    assert done.returncode == 0, done.stderr
    read = yaml.safe_load(done.stdout)["services"]
    assert set(read) == set(yaml.safe_load(text)["services"])
    assert read["worker"]["shm_size"] == "1g"  # of one of two parts that it merges
    assert (
        read["worker"]["environment"]["DATABASE_URL"]
        == "postgres://headnode:p@postgres:5432/headnode"
    )


def is_ready(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    except requests.RequestException:
        return False
