"""Reads records ahead of the training, in threads of its own."""

from __future__ import annotations

import queue
import threading

import numpy as np

import task

THREADS = 4
AHEAD = 2
_disk = threading.Lock()


def _read(plan, number):
    size = task.record_size(plan)
    with open(task.SHARD, "rb") as file:
        file.seek(int(number) * size)
        return np.frombuffer(file.read(size), dtype=np.uint8)


def _sample(plan, number, dx, dy, flip, gain):
    """Only one thread at a time: the file must not be read by two at once."""
    with _disk:
        raw, side = _read(plan, number), plan.side
        image = np.zeros((side, side))
        pairs = raw[1:].reshape(side, side // 2)
        image[:, 0::2] = pairs >> 4
        image[:, 1::2] = pairs & 15
        image = np.pad(image, 2)[2 - dy : 2 - dy + side, 2 - dx : 2 - dx + side]
        if flip:
            image = image[:, ::-1]
        image = image * gain
        return (image - image.mean()) / (image.std() + 1e-3), int(raw[0])


class Loader:
    """The samples of an epoch in their order, one after another."""

    def __init__(self, plan, epoch):
        self._plan, self._draws = plan, task.draws(plan, epoch)
        self._next, self._turn = 0, threading.Lock()
        self._ready = queue.Queue(maxsize=AHEAD)
        for _ in range(THREADS):
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            with self._turn:
                n = self._next
                if n == self._plan.records:
                    return
                self._next += 1
                order, dx, dy, flip, gain = self._draws
                self._ready.put(_sample(self._plan, order[n], dx[n], dy[n], flip[n], gain[n]))

    def take(self, count):
        return [self._ready.get() for _ in range(count)]
