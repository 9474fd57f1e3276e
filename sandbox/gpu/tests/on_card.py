"""Runs in the sandbox: takes as much of its card's memory as it is told, and says what it sees."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import time
from pathlib import Path

import headnode_sdk


def refused(request: int) -> bool:
    """Whether the filter keeps a terminal's request from the kernel, which would say ENOTTY."""
    with open("/dev/null", "rb") as file:
        try:
            fcntl.ioctl(file, request, b"x")
        except OSError as error:
            return error.errno == 38
    return False


order = headnode_sdk.call("order")
cuda = ctypes.CDLL("libcuda.so.1")
count, device = ctypes.c_int(), ctypes.c_int()
context, address = ctypes.c_void_p(), ctypes.c_uint64()
begun = cuda.cuInit(0)
cuda.cuDeviceGetCount(ctypes.byref(count))
print(  # noqa: T201
    json.dumps(
        {
            "init": begun,
            "count": count.value,
            "visible": os.environ.get("CUDA_VISIBLE_DEVICES"),
            "files": sorted(path.name for path in Path("/dev").glob("nvidia*")),
            "caps": sorted(path.name for path in Path("/dev/nvidia-caps").glob("*")),
            "terminal_refused": refused(0x5412) and refused(0x541C),
        }
    )
)
if order["memory_mb"]:
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)
    cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(order["memory_mb"] << 20))
    headnode_sdk.call("taken", memory_mb=order["memory_mb"])
time.sleep(order["hold_s"])
headnode_sdk.call("end")
