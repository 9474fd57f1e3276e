"""Slurm's scheduler: priorities, fair-share, the periodic planner, preemption with requeue."""

from __future__ import annotations
