"""A connection to the Docker engine of this host, and the image made from the root folder."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
from docker.errors import DockerException, ImageNotFound

from sandbox import memory, rootfs
from sandbox.unavailable import SandboxUnavailable

DEFAULT_URL = "unix:///var/run/docker.sock"
_REPOSITORY = "headnode-sandbox"
_TIMEOUT_S = 30


class Engine:
    """Knows the address and the API version. Raises SandboxUnavailable when nobody answers."""

    def __init__(self, url: str | None, runtime: str | None) -> None:
        self.url = url or DEFAULT_URL
        self.runtime = runtime
        if not self.url.startswith("unix://"):
            raise SandboxUnavailable(
                f"The Docker sandbox needs an engine on this host, at a unix:// address, "
                f"not {self.url!r}: set SANDBOX_DOCKER_URL."
            )
        try:
            with contextlib.closing(
                docker.APIClient(self.url, version="auto", timeout=_TIMEOUT_S)
            ) as api:
                self.version: str = api.api_version
                info: dict[str, Any] = api.info()
        except (DockerException, OSError):
            raise SandboxUnavailable(
                f"No Docker engine answers this user at {self.url}: start it, give the user access, "
                "or set SANDBOX_DOCKER_URL."
            ) from None
        self.cgroup_driver: str = info.get("CgroupDriver", "")
        # What the engine itself says it can bound on this kernel.
        self.limits: dict[str, bool] = {
            "memory": bool(info.get("MemoryLimit")),
            "pids": bool(info.get("PidsLimit")),
            "cpu": bool(info.get("CpuCfsQuota") or info.get("CPUCfsQuota")),
        }
        runtimes: dict[str, Any] = info.get("Runtimes", {})
        # gVisor's program is called runsc, whatever name the engine knows the runtime by.
        self.gvisor = sorted(name for name, how in runtimes.items() if "runsc" in f"{name} {how}")
        self.own_kernel = runtime in self.gvisor
        if runtime is not None and runtime not in runtimes:
            raise SandboxUnavailable(
                f"The Docker engine at {self.url} has no runtime {runtime!r}: "
                "install it, or unset SANDBOX_RUNTIME."
            )

    @contextlib.contextmanager
    def connect(self) -> Iterator[Any]:
        """A client of one's own: the SDK's are not made to be shared by threads."""
        api = docker.APIClient(self.url, version=self.version, timeout=_TIMEOUT_S)
        try:
            yield api
        finally:
            api.close()

    def image(self, root: rootfs.Root) -> str:
        """The image's name, imported from the root folder unless the engine has it.

        Raises SandboxUnavailable when what the engine has under that name is something else.
        """
        tag = root.digest[:12]
        name = f"{_REPOSITORY}:{tag}"
        with self.connect() as api:
            try:
                found = api.inspect_image(name)
            except ImageNotFound:
                with tempfile.TemporaryFile() as tar:
                    rootfs.write_tar(root.folder, tar)
                    tar.seek(0)
                    api.import_image_from_data(tar, repository=_REPOSITORY, tag=tag)
                found = api.inspect_image(name)
        if found["RootFS"]["Layers"] != [f"sha256:{root.digest}"]:
            raise SandboxUnavailable(
                f"The Docker engine's image {name} is not the root folder {root.folder}: "
                f"remove it with 'docker image rm {name}', and it will be made again."
            )
        return name

    def hold(self, image: str) -> bool:
        """Hold the pages of an image's files in memory; False where they are not within our reach."""
        with self.connect() as api:
            driver = api.inspect_image(image).get("GraphDriver") or {}
        if driver.get("Name") != "overlay2":
            return False
        layer = Path(driver["Data"]["UpperDir"])
        try:
            return layer.is_dir() and memory.hold(layer)
        except OSError:
            return False
