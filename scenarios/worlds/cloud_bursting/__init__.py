"""A full primary cluster, remote clouds with moving prices, and a broker that places jobs in them."""

from __future__ import annotations

from scenarios.worlds.checks import is_count, is_line, is_name, is_one_of
from scenarios.worlds.cloud_bursting.broker import STATES
from scenarios.worlds.cloud_bursting.documents import prices, squeue
from scenarios.worlds.cloud_bursting.measures import MEASURES, account, summary
from scenarios.worlds.cloud_bursting.setting import Setting, open_period, read_setting, words
from scenarios.worlds.cloud_bursting.sketch import SERIES
from scenarios.worlds.cloud_bursting.workload import FAMILIES
from scenarios.worlds.contract import World

WORLD: World[Setting] = World(
    name="cloud_bursting",
    span="period",
    families=tuple(FAMILIES),
    methods={
        "tick": {},
        "jobs": {},
        "clouds": {},
        "budgets": {},
        "runs": {"cloud": is_name},
        "quote": {"cloud": is_name, "job": is_count},
        "run_log": {"cloud": is_name, "run": is_name, "offset": is_count},
        "submit": {"job": is_count, "cloud": is_name, "key": is_name},
        "cancel_run": {"cloud": is_name, "run": is_name},
        "publish": {"job": is_count, "status": is_one_of(*STATES), "since": is_count},
        "log": {"text": is_line},
    },
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_period,
    words=words,
    documents={"prices.csv": prices, "squeue.txt": squeue},
    summary=summary,
    account=account,
    plays_on=("agenda", "machine", "slurm.queue", "world.failures", "world.progress"),
)
