"""Long training runs on spot nodes, with checkpoints, under a supervisor's hand."""

from __future__ import annotations

from scenarios.worlds.checks import is_count, is_line, is_list_of, is_name, is_one_of, is_text
from scenarios.worlds.contract import World
from scenarios.worlds.spot_checkpointing.documents import DOCUMENTS
from scenarios.worlds.spot_checkpointing.families import FAMILIES
from scenarios.worlds.spot_checkpointing.measures import MEASURES, account, summary
from scenarios.worlds.spot_checkpointing.record import SERIES
from scenarios.worlds.spot_checkpointing.setting import Setting, open_run, read_setting
from scenarios.worlds.spot_checkpointing.words import words

is_mode = is_one_of("sync", "async")

WORLD: World[Setting] = World(
    name="spot_checkpointing",
    span="training week",
    families=tuple(FAMILIES),
    methods={
        "tick": {},
        "trainings": {},
        "checkpoints": {},
        "stores": {},
        "zones": {},
        "nodes": {},
        "pools": {},
        "metrics": {},
        "scale": {"pool": is_name, "size": is_count},
        "release": {"node": is_name},
        "launch": {
            "training": is_name,
            "nodes": is_list_of(is_name, 16),
            "checkpoint": is_text(64),
        },
        "stop": {"training": is_name},
        "set_cadence": {"training": is_name, "every": is_count, "mode": is_mode},
        "save": {"training": is_name, "mode": is_mode},
        "verify": {"checkpoint": is_name},
        "replicate": {"checkpoint": is_name, "region": is_name},
        "delete_checkpoint": {"checkpoint": is_name},
        "record_resume": {
            "training": is_name,
            "checkpoint": is_name,
            "step": is_count,
            "lost_steps": is_count,
        },
        "log": {"text": is_line},
    },
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_run,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
    plays_on=("machine", "world.failures", "world.progress"),
)
