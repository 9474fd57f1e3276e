"""What the Docker engine is asked for, also where none can be started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import docker as sdk
import pytest

from sandbox import Backend, Limits
from sandbox.attach import Demultiplexer
from sandbox.capture import Output
from sandbox.container import Request, container_config, host_config, masked_paths
from sandbox.tests.episode import run

REQUEST = Request(
    name="state-run-1",
    state="state",
    image="headnode-sandbox:0123",
    boot=Path("/boot"),
    bootstrap="/opt/sbx/bootstrap.py",
    sdk=Path("/sdk"),
    socket_dir=Path("/sockets"),
    limits=Limits(memory_mb=100, pids=20, cpus=0.5),
    parent="/headnode/state-run-1",
    runtime=None,
)


@pytest.fixture
def asked() -> dict[str, Any]:
    """The body of the engine's create call, as the SDK would send it."""
    api = sdk.APIClient("unix:///nowhere", version="1.41")
    host: dict[str, Any] = api.create_host_config(**host_config(REQUEST))
    found = container_config(REQUEST)
    found.pop("name")
    body: dict[str, Any] = api.create_container_config(**found, host_config=host)
    return body


def test_container_has_no_network_and_no_privilege(asked: dict[str, Any]) -> None:
    host = asked["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert "CapAdd" not in host
    assert not host.get("Privileged")
    assert host["SecurityOpt"][0] == "no-new-privileges:true"
    assert host["SecurityOpt"][1].startswith('seccomp={"defaultAction": "SCMP_ACT_ERRNO"')
    assert asked["User"] == "64000:64000"
    assert host["Init"] is True
    assert host["IpcMode"] == "private"


def test_container_is_bounded(asked: dict[str, Any]) -> None:
    host = asked["HostConfig"]
    assert host["Memory"] == host["MemorySwap"] == 100 << 20
    assert host["NanoCpus"] == 500_000_000
    assert host["PidsLimit"] == 21
    assert host["CgroupParent"] == "/headnode/state-run-1"
    assert host["LogConfig"]["Type"] == "none"
    assert host["Tmpfs"].keys() == {"/box", "/tmp", "/dev/shm"}  # noqa: S108
    for place, options in host["Tmpfs"].items():
        size, inodes = (8 << 20, 256) if place.endswith("shm") else (32 << 20, 2048)
        assert {"nosuid", "nodev", f"size={size}", f"nr_inodes={inodes}"} <= {*options.split(",")}
    assert {limit["Name"] for limit in host["Ulimits"]} >= {"fsize", "nofile", "core", "memlock"}


def test_copy_of_the_init_takes_the_place_of_the_engines() -> None:
    """The engine's is one file to all containers."""
    wanted = replace(REQUEST, init="/opt/sbx/init")
    assert host_config(wanted)["init"] is False
    assert container_config(wanted)["command"][:3] == ["/opt/sbx/init", "--", "/usr/bin/python3"]


def test_others_locks_and_the_hosts_counters_are_masked() -> None:
    assert {"/proc/locks", "/proc/vmstat", "/proc/sys/fs", "/proc/keys", "/sys"} <= {
        *masked_paths()
    }


def test_container_sees_nothing_of_the_host_but_our_folders_read_only(
    asked: dict[str, Any],
) -> None:
    mounts = asked["HostConfig"]["Mounts"]
    assert {mount["Source"] for mount in mounts} == {"/boot", "/sdk", "/sockets"}
    assert all(mount["ReadOnly"] for mount in mounts)
    assert "Binds" not in asked["HostConfig"]
    assert not any("docker.sock" in str(mount) for mount in mounts)


def test_container_can_be_found_by_label(asked: dict[str, Any]) -> None:
    assert asked["Labels"] == {"headnode.state": "state", "headnode.run": "state-run-1"}


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_demultiplexer_tells_the_streams_apart(step: int) -> None:
    output = Output(1 << 16)
    parts = [(1, b"one\n"), (2, b"error\n"), (1, b""), (1, b"two\n")]
    stream = b"".join(bytes([kind, 0, 0, 0]) + len(b).to_bytes(4, "big") + b for kind, b in parts)
    sink = Demultiplexer(output)
    for at in range(0, len(stream), step):
        sink.feed(stream[at : at + step])
    assert output.out.text() == "one\ntwo\n"
    assert output.err.text() == "error\n"


@pytest.mark.docker
def test_memory_that_the_engine_hears_of_after_the_end_counts(
    docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state then never says so."""
    inspect = sdk.APIClient.inspect_container

    def too_early(api: Any, container: str) -> Any:
        found = inspect(api, container)
        found["State"]["OOMKilled"] = False
        return found

    monkeypatch.setattr(sdk.APIClient, "inspect_container", too_early)
    outcome = run(docker, "kept = []\nwhile True: kept.append(b'x' * (8 << 20))", memory_mb=96)
    assert outcome.status == "oom", outcome
