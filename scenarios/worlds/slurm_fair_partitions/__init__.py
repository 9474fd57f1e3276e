"""A Slurm cluster that several teams share by an agreement, under an administrator's program."""

from __future__ import annotations

from scenarios.worlds.checks import is_count, is_line, is_list_of, is_name, is_one_of, is_text
from scenarios.worlds.contract import World
from scenarios.worlds.slurm_fair_partitions.config import INFERENCE, TRAINING
from scenarios.worlds.slurm_fair_partitions.controls import is_limits, is_second
from scenarios.worlds.slurm_fair_partitions.measures import MEASURES, account, summary
from scenarios.worlds.slurm_fair_partitions.paperwork import is_row
from scenarios.worlds.slurm_fair_partitions.setting import Setting, open_quarter, read_setting
from scenarios.worlds.slurm_fair_partitions.wording import DOCUMENTS, words
from scenarios.worlds.slurm_fair_partitions.workload import FAMILIES

READS = (
    "jobs", "nodes", "teams", "quotas", "qos", "partitions", "shares", "activity", "reservations",
    "promises",
)  # fmt: skip

WORLD: World[Setting] = World(
    name="slurm_fair_partitions",
    span="quarter",
    families=tuple(FAMILIES),
    methods={
        "tick": {},
        **{name: {} for name in READS},
        "accounting": {"start": is_second, "end": is_second},
        "modify_qos": {"qos": is_name, "limits": is_limits},
        "set_shares": {"team": is_name, "shares": is_count},
        "modify_partition": {
            "partition": is_name,
            "max_time": is_second,
            "allow_qos": is_list_of(is_name, 20),
        },
        "hold": {"job": is_count},
        "unhold": {"job": is_count},
        "requeue": {"job": is_count},
        "cancel": {"job": is_count},
        "move": {"job": is_count, "partition": is_name},
        "set_job_qos": {"job": is_count, "qos": is_name},
        "set_time_limit": {"job": is_count, "seconds": is_second},
        "reserve": {
            "name": is_name,
            "team": is_name,
            "partition": is_name,
            "nodes": is_count,
            "start": is_second,
            "duration": is_second,
        },
        "delete_reservation": {"name": is_name},
        "report": {"day": is_count, "rows": is_list_of(is_row, 200)},
        "submit_template": {
            "purpose": is_one_of(TRAINING, INFERENCE),
            "text": is_text(4000),
        },
        "log": {"text": is_line},
    },
    series=(),
    measures=MEASURES,
    settings=read_setting,
    open=open_quarter,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
)
