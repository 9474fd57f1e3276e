"""Stops with an error in its first step."""

from __future__ import annotations

import task

plan = task.begin()
model = task.build(plan)
raise RuntimeError("CUDA error: an illegal memory access was encountered")
