"""A broker in a folder: publish by rename, claim by rename, take back what a dead worker had claimed.

kombu's own filesystem transport removes a message when it is read, so a killed worker loses what it
ran, and it can read a half-written file, be it a message or the table of an exchange's queues. Here
both only ever appear whole; a worker owns a message by moving it into the claimed folder under its
process number, and any worker puts back claims whose process is gone. One host only: process
numbers mean nothing elsewhere.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from time import monotonic, time_ns
from typing import Any

from kombu.transport import filesystem, virtual
from kombu.transport.filesystem import exchange_queue_t
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

from assessments.processes import start_time

RESTORE_EVERY_S = 2.0


def identity(process: int) -> str | None:
    """Number and start time of a running process; None where it does not run."""
    started = start_time(process)
    return f"{process}-{started}" if started else None


def write_whole(path: Path, content: Any) -> None:
    """Write `content` as JSON so that a reader sees all of it or nothing, whoever is killed."""
    hidden = path.parent / f".{path.name}.{uuid.uuid4().hex}.tmp"
    with hidden.open("wb") as file:
        file.write(str_to_bytes(dumps(content)))
        file.flush()
        os.fsync(file.fileno())
    hidden.rename(path)


class QoS(virtual.QoS):
    """Acknowledging drops the claim; refusing with requeue moves the claim back."""

    channel: Channel

    def _claim_of(self, tag: Any) -> str | None:
        message = (self._delivered or {}).get(tag)
        return None if message is None else message.delivery_info.get("claim")

    def ack(self, delivery_tag: Any) -> None:
        self.channel.drop(self._claim_of(delivery_tag))
        super().ack(delivery_tag)

    def reject(self, delivery_tag: Any, requeue: bool = False) -> None:
        claim = self._claim_of(delivery_tag)
        if requeue and self.channel.put_back(claim):
            requeue = False
        else:
            self.channel.drop(claim)
        super().reject(delivery_tag, requeue=requeue)


class Channel(filesystem.Channel):
    QoS = QoS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (self._queue, self._claimed, Path(self.control_folder)):
            folder.mkdir(parents=True, exist_ok=True)
        self._restored_at = -RESTORE_EVERY_S

    @property
    def _queue(self) -> Path:
        return Path(self.data_folder_in)

    @property
    def _claimed(self) -> Path:
        return Path(self.processed_folder)

    # kombu's two bases do not agree on the second name, so neither can be pleased.
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        write_whole(self._queue / f"{time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg", payload)

    def get_table(self, exchange: str) -> list[Any]:
        """Return the queues bound to an exchange: routing key, pattern and name of each."""
        try:
            rows = loads(self._table(exchange).read_bytes().decode())
        except FileNotFoundError:
            return []
        except ValueError:  # left half-written by kombu's own transport; who needs it binds again
            return []
        return [exchange_queue_t(*row) for row in rows]

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        bound = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._binding():
            table = self.get_table(exchange)
            if bound not in table:
                write_whole(self._table(exchange), [bound, *table])

    def _table(self, exchange: str) -> Path:
        # The stubs are older than kombu's check of the name.
        return Path(self._exchange_file(exchange))  # type: ignore[attr-defined]

    @contextmanager
    def _binding(self) -> Iterator[None]:
        with (Path(self.control_folder) / ".lock").open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        self._restore_dead()
        ending = f".{queue}.msg"
        for name in sorted(os.listdir(self._queue)):
            if name.startswith(".") or not name.endswith(ending):
                continue
            claim = f"{identity(os.getpid())}~{name}"
            try:
                (self._queue / name).rename(self._claimed / claim)
            except FileNotFoundError:  # another worker was quicker
                continue
            message = loads(bytes_to_str((self._claimed / claim).read_bytes()))
            message["properties"].setdefault("delivery_info", {})["claim"] = claim
            return message
        raise Empty

    def drop(self, claim: str | None) -> None:
        if claim:
            (self._claimed / claim).unlink(missing_ok=True)

    def put_back(self, claim: str | None) -> bool:
        """Move a claim back into the queue; False where there is none (any more)."""
        if not claim:
            return False
        try:
            (self._claimed / claim).rename(self._queue / claim.partition("~")[2])
        except FileNotFoundError:
            return False
        return True

    def _restore_dead(self) -> None:
        if monotonic() - self._restored_at < RESTORE_EVERY_S:
            return
        self._restored_at = monotonic()
        for claim in os.listdir(self._claimed):
            owner = claim.partition("~")[0]
            process = owner.partition("-")[0]
            if process.isdigit() and identity(int(process)) != owner:
                self.put_back(claim)


class Transport(filesystem.Transport):
    Channel = Channel
    driver_type = "files"
    driver_name = "headnode-files"
