"""The broker in a folder: whole messages only, one owner each, nothing lost with a killed worker."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from headnode.file_broker import Transport, identity

START = multiprocessing.get_context("spawn")


def connect(folder: Path) -> Connection:
    """A connection to a broker of its own; kombu remembers what it declared per process."""
    Transport.global_state.clear()
    options = {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "processed_folder": str(folder / "claimed"),
        "control_folder": str(folder / "control"),
    }
    return Connection(transport=Transport, transport_options=options)


def take_all(folder: Path) -> list[Any]:
    with connect(folder) as connection, connection.SimpleQueue("work") as queue:
        taken: list[Any] = []
        while True:
            try:
                message = queue.get_nowait()
            except Empty:
                return taken
            taken.append(message.payload)
            message.ack()


def publish(folder: Path, first: int, count: int) -> None:
    with connect(folder) as connection, connection.SimpleQueue("work") as queue:
        for number in range(first, first + count):
            queue.put({"number": number, "text": "x" * 20_000})


def consume(folder: Path, until: float, out: Any) -> None:
    while time.monotonic() < until:
        for payload in take_all(folder):
            out.put(payload["number"])


def claim_and_hang(folder: Path, ready: Any) -> None:
    with connect(folder) as connection, connection.SimpleQueue("work") as queue:
        queue.get(timeout=30)
        ready.set()
        time.sleep(60)


def test_messages_come_in_order_and_leave_nothing(tmp_path: Path) -> None:
    publish(tmp_path, 0, 5)
    assert [payload["number"] for payload in take_all(tmp_path)] == [0, 1, 2, 3, 4]
    assert list((tmp_path / "queue").iterdir()) == []
    assert list((tmp_path / "claimed").iterdir()) == []


def test_refused_message_comes_back(tmp_path: Path) -> None:
    publish(tmp_path, 0, 1)
    with connect(tmp_path) as connection, connection.SimpleQueue("work") as queue:
        queue.get_nowait().requeue()
    assert len(take_all(tmp_path)) == 1


def test_claim_of_a_killed_worker_is_taken_back(tmp_path: Path) -> None:
    publish(tmp_path, 7, 1)
    ready = START.Event()
    worker = START.Process(target=claim_and_hang, args=(tmp_path, ready))
    worker.start()
    assert ready.wait(60)
    assert take_all(tmp_path) == []
    assert worker.pid
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    assert [payload["number"] for payload in take_all(tmp_path)] == [7]


def bind(channel: Any, exchange: int, queue: int) -> None:
    channel._queue_bind(f"exchange{exchange}", "key", "", f"queue{queue}")
    assert f"queue{queue}" in [row.queue for row in channel.get_table(f"exchange{exchange}")]


def test_queues_bound_at_the_same_moment_are_all_bound(tmp_path: Path) -> None:
    exchanges, queues = 40, 8
    with connect(tmp_path) as connection, ThreadPoolExecutor(queues) as threads:
        channels: list[Any] = [connection.channel() for _ in range(queues)]
        for exchange in range(exchanges):
            for done in [
                threads.submit(bind, channel, exchange, queue)
                for queue, channel in enumerate(channels)
            ]:
                done.result()
            table = channels[0].get_table(f"exchange{exchange}")
            assert sorted(row.queue for row in table) == [f"queue{n}" for n in range(queues)]


def test_table_left_empty_by_a_killed_process_stops_nobody(tmp_path: Path) -> None:
    publish(tmp_path, 0, 1)
    (tmp_path / "control" / "work.exchange").write_bytes(b"")
    publish(tmp_path, 1, 1)
    assert [payload["number"] for payload in take_all(tmp_path)] == [0, 1]


def test_process_number_used_again_is_another_process() -> None:
    here = identity(os.getpid())
    assert here is not None
    assert here.startswith(f"{os.getpid()}-")
    assert identity(4_194_303) is None


@pytest.mark.nightly
def test_race_of_publishers_and_consumers_loses_and_doubles_nothing(tmp_path: Path) -> None:
    out = START.Queue()
    until = time.monotonic() + 6
    consumers = [START.Process(target=consume, args=(tmp_path, until, out)) for _ in range(2)]
    publishers = [START.Process(target=publish, args=(tmp_path, n * 100, 100)) for n in range(3)]
    for process in consumers + publishers:
        process.start()
    for process in publishers + consumers:
        process.join(120)
        assert process.exitcode == 0
    taken = [out.get(timeout=1) for _ in range(out.qsize())]
    taken += [payload["number"] for payload in take_all(tmp_path)]
    assert sorted(taken) == list(range(300))
