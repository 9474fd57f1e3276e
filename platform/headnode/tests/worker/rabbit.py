"""A RabbitMQ of the test's own, from Debian's package: started, stopped and emptied as one that is replaced."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from headnode.tests.browser.site import free_port, require

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
WITHIN_S = 120.0


class Rabbit:
    """Listens on this machine alone, beside any other; everything it keeps lies in its folder."""

    def __init__(self, folder: Path) -> None:
        require(SERVER.exists(), "no RabbitMQ on this system (rabbitmq-server)")
        self._folder, self._port = folder, free_port()
        self._node: subprocess.Popen[bytes] | None = None
        names = free_port()
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(names),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
            "RABBITMQ_CONFIG_FILE": str(folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_NODENAME": f"headnode{self._port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self._port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(folder / "kept"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }
        self._names = subprocess.Popen(
            ["epmd", "-port", str(names), "-address", "127.0.0.1"], env=self._environment
        )

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self._port}//"

    def start(self) -> None:
        """Returns once it takes connections."""
        with (self._folder / "said").open("ab") as said:
            self._node = subprocess.Popen(
                [str(SERVER)],
                env=self._environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        until = time.monotonic() + WITHIN_S
        while not self._answers():
            assert self._node.poll() is None, (self._folder / "said").read_text()[-3000:]
            assert time.monotonic() < until, (self._folder / "said").read_text()[-3000:]
            time.sleep(0.2)

    def _answers(self) -> bool:
        """As AMQP begins: it answers a header with its first method."""
        try:
            with socket.create_connection(("127.0.0.1", self._port), 2) as link:
                link.settimeout(5)
                link.sendall(b"AMQP\x00\x00\x09\x01")
                return link.recv(1) == b"\x01"
        except OSError:
            return False

    def kill(self) -> None:
        """As a machine that loses its power."""
        if self._node is not None:
            os.killpg(self._node.pid, signal.SIGKILL)
            self._node.wait()
            self._node = None

    def empty(self) -> None:
        """Forget every queue and message; it is not running."""
        shutil.rmtree(self._folder / "kept")

    def end(self) -> None:
        self.kill()
        self._names.kill()
        self._names.wait()
