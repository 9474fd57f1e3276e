"""What the controller's log tells of somebody's work, and whom that touched."""

from __future__ import annotations

from graders.live_slurm.events import Effect, effects, parsed

LOG = """\
[2026-11-28T11:00:00.250] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=7 uid 64000
no line of a log
[2026-11-28T11:00:01.000] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=31 uid 64000
[2026-11-28T11:00:02.000] update_node: node gpu-n002 state set to IDLE
[2026-11-28T11:00:02.500] update_node: node gpu-n002 state set to IDLE
[2026-11-28T11:00:03.000] slurmctld version 22.05.8 started on cluster osprey
[2026-11-28T11:00:04.000] sched: Allocate JobId=8 NodeList=gpu-n002 #CPUs=1 Partition=train
"""


def test_lines_of_a_log_have_their_time_and_others_are_left_out() -> None:
    found = parsed(LOG)
    assert len(found) == 6
    assert found[1].at - found[0].at == 0.75
    assert found[-1].text.startswith("sched: Allocate JobId=8")


def test_what_reached_others_is_counted_and_an_own_test_job_is_nobody_elses() -> None:
    assert effects(parsed(LOG), own=["31"]) == [
        Effect("jobs ended", 1, ("7",)),
        Effect("nodes changed", 2, ("gpu-n002",)),
        Effect("controller begun anew", 1, ()),
    ]
    assert effects(parsed("x"), own=()) == []
