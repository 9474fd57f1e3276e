"""Cheap noise that is the same everywhere: raw bits of Philox, reused from other places of one pool."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.float32]
_POOL = 1 << 20
_ROWS_APART = 53_777


class Noise:
    """Draws from one pool of a million values; a row starts where its name says."""

    def __init__(self, seed: str, window: str) -> None:
        self._bell, self._flat = _pools(seed)
        self._seed = f"{seed} {window}"

    def bell(self, cause: str, rows: int, samples: int) -> Grid:
        """Mean 0, standard deviation 1, never beyond 3.5."""
        return self._rows(self._bell, cause, rows, samples)

    def flat(self, cause: str, rows: int, samples: int) -> Grid:
        """Even between 0 and 1."""
        return self._rows(self._flat, cause, rows, samples)

    def slow(self, cause: str, rows: int, samples: int, each: int) -> Grid:
        """Like `bell`, but it holds a value for `each` samples and goes straight to the next one."""
        few = samples // each + 2
        ends = self.bell(cause, rows, few)
        part = _parts(each, -(-samples // 4_096) * 4_096)[:samples]
        left = np.repeat(ends[:, :-1], each, axis=1)[:, :samples]
        right = np.repeat(ends[:, 1:], each, axis=1)[:, :samples]
        return left + (right - left) * part

    def unit(self, cause: str) -> float:
        """One value even between 0 and 1."""
        return (crc32(f"{self._seed}\n{cause}".encode()) + 0.5) / 2**32

    def _rows(self, pool: Grid, cause: str, rows: int, samples: int) -> Grid:
        start = crc32(f"{self._seed}\n{cause}".encode())
        size = _POOL // 2
        found = np.empty((rows, samples), np.float32)
        for row in range(rows):
            at = (start + row * _ROWS_APART) % size
            found[row] = pool[at : at + samples]
        return found


@lru_cache(maxsize=64)
def _parts(each: int, samples: int) -> Grid:
    """How far each sample lies between the value that is held and the next one."""
    found: Grid = (np.arange(samples, dtype=np.float32) % each) / np.float32(each)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=2)
def _pools(seed: str) -> tuple[Grid, Grid]:
    """(bell, flat), each half as long again so that every row finds its end."""
    key = int.from_bytes(sha256(f"{seed}\nnoise".encode()).digest()[:16], "big")
    raw = np.random.Philox(key=key).random_raw(_POOL // 2).view(np.uint8).reshape(4, -1)
    # Four bytes of even spread added: close to a bell, no library's distribution needed.
    total = raw.astype(np.float32).sum(axis=0) - np.float32(510.0)
    bell = total / np.float32(147.8)
    flat = (raw[0].astype(np.float32) + raw[1].astype(np.float32) / 256 + 1 / 512) / 256
    return tuple(  # type: ignore[return-value]
        np.concatenate([pool, pool[: _POOL // 2]]).astype(np.float32) for pool in (bell, flat)
    )
