"""A process that takes memory of the first visible card, in MiB, and keeps it until it is killed."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable


def occupy(memory_mb: int) -> None:
    """Through the CUDA driver's own interface, so that no framework is needed."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    calls: tuple[Callable[[], int], ...] = (
        lambda: cuda.cuInit(0),
        lambda: cuda.cuDeviceGet(ctypes.byref(device), 0),
        lambda: cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device),
        lambda: cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(memory_mb << 20)),
    )
    for call in calls:
        code = call()
        if code:
            sys.exit(f"CUDA answered {code}.")


if __name__ == "__main__":
    occupy(int(sys.argv[1]))
    sys.stdout.write("there\n")
    sys.stdout.flush()
    time.sleep(60)
