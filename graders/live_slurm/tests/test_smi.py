"""nvidia-smi on a real cluster: which GPUs work and for whom, and one whose device file is gone."""

from __future__ import annotations

import pytest

from graders.live_slurm import course
from graders.live_slurm.grading import sandboxed
from graders.live_slurm.orders import Course, Order, Said
from graders.live_slurm.tests.clusters import backend
from sandbox import Backend
from scenarios.live_slurm.scene import scene_of

__all__ = ["backend"]

ASKED = (
    "nvidia-smi",
    "ssh gpu-n001 nvidia-smi",
    "ssh gpu-n006 nvidia-smi --query-gpu=index,name,utilization.gpu --format=csv,noheader,nounits",
    "ssh gpu-n001 nvidia-smi --query-compute-apps=pid --format=csv,noheader"
    " | xargs -n 1 ps -o comm= -p",
    "srun -w gpu-n004 nvidia-smi -L",
    "ssh gpu-n002 nvidia-smi -L",
    "ssh gpu-n002 nvidia-smi -i 7",
    "ssh gpu-n001 nvidia-smi -q",
    "ssh gpu-n002 nvidia-smi -q -i 0 -d POWER,PIDS",
    "ssh gpu-n002 nvidia-smi -q -d FANS",
    "ssh gpu-n099 nvidia-smi",
)


def looking() -> Course[list[Said]]:
    scene = scene_of(["gpu-file-gone"])
    yield from course.begin(scene)
    found = []
    for line in ASKED:
        found.append((yield Order(line)))
    return found


@pytest.mark.nightly
def test_gpus_are_told_as_the_cluster_has_them(backend: Backend) -> None:
    outcome, told = sandboxed(backend, looking())
    assert told is not None, outcome
    ctl, first, sixth, ours, fourth, second, lost, *rest = told
    assert (ctl.code, "couldn't communicate" in ctl.out) == (9, True)
    assert first.out.count("NVIDIA H100 80GB HBM3") == 8
    # ana has four of them, chen two.
    assert first.out.count("C   python") == 6
    assert {len(line) for line in first.out.splitlines()[1:]} == {91}
    assert sixth.out.splitlines()[0].startswith("0, NVIDIA A100-SXM4-80GB, 9")
    assert len(sixth.out.splitlines()) == 8
    assert ours.out.split() == ["sleep"] * 6
    assert fourth.out.count("GPU ") == 8
    assert [line.partition(":")[0] for line in second.out.splitlines()] == [
        f"GPU {index}" for index in range(7)
    ]
    assert (lost.code, lost.out) == (6, "No devices were found\n")
    long, short, unknown, nowhere = rest
    assert long.out.count("Product Name") == 8
    assert long.out.count("        Process ID") == 6
    assert [row.split(":")[0].strip() for row in short.out.splitlines()[8:]][:3] == [
        "GPU 00000000",
        "GPU Power Readings",
        "Power Draw",
    ]
    assert short.out.rstrip().endswith(": None")
    assert (unknown.code, "Invalid combination" in unknown.out) == (1, True)
    assert nowhere.code == 255
