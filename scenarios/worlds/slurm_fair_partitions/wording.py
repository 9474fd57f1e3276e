"""The words of a level's texts, and the documents that the world makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR
from scenarios.worlds.slurm_fair_partitions import slurm_text
from scenarios.worlds.slurm_fair_partitions.config import INFERENCE, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.controls import SETTLED
from scenarios.worlds.slurm_fair_partitions.ledger import WINDOW
from scenarios.worlds.slurm_fair_partitions.setting import Setting, cluster_config
from scenarios.worlds.slurm_fair_partitions.workload import FAMILIES

DOCUMENTS: Mapping[str, Callable[[Profile, Setting, str], str]] = {
    "slurm.conf": slurm_text.slurm_conf,
    "sacctmgr.txt": slurm_text.sacctmgr_text,
    "sshare.txt": slurm_text.sshare_text,
    "squeue.txt": slurm_text.squeue_text,
    "sacct.txt": slurm_text.sacct_text,
}


def words(profile: Profile, setting: Setting) -> Mapping[str, str]:
    """What the placeholders of the pack's texts stand for."""
    config = cluster_config(profile, setting, FAMILIES["steady"], "words")
    training = [shape for shape in config.partitions if shape.purpose != INFERENCE]
    guaranteed = sum(team.guaranteed for team in config.teams)
    return {
        "cluster": profile.cluster,
        "days": str(setting.days),
        "ticks": f"{config.length // config.tick:,}",
        "nodes": str(sum(shape.nodes for shape in config.partitions)),
        "engineers": str(sum(len(team.users) for team in config.teams if not team.contract)),
        "team_count": str(len(config.teams)),
        "training_gpus": str(config.training_gpus),
        "guaranteed_gpus": str(guaranteed),
        "unpromised_gpus": str(config.training_gpus - guaranteed),
        "inference_gpus": str(config.partitions[config.inference].gpus),
        "training_partition": training[0].name,
        "team_table": _team_table(config),
        "partition_table": _partition_table(config),
        "revision_day": str(config.revisions[0].at // DAY + 1) if config.revisions else "-",
        "revision_table": _revision_table(config),
        "report_hours": str(24),
        "settled_h": str(SETTLED // HOUR),
        "window_h": str(WINDOW // HOUR),
        "tick_minutes": str(config.tick * 60 // HOUR),
    }


def _team_table(config: ClusterConfig) -> str:
    lines = ["| account | guaranteed A100 | shares | engineers |", "|---|---|---|---|"]
    for team in config.teams:
        who = ", ".join(team.users)
        lines.append(f"| `{team.name}` | {team.guaranteed} | {team.shares} | {who} |")
    return "\n".join(lines)


def _partition_table(config: ClusterConfig) -> str:
    lines = ["| partition | site | nodes | a node | for |", "|---|---|---|---|---|"]
    for shape in config.partitions:
        gpu = "A100-SXM4-80GB" if shape.gpu == "a100" else "Tesla T4"
        lines.append(
            f"| `{shape.name}` | {shape.site.capitalize()} | {shape.nodes} | {shape.per_node} × NVIDIA {gpu}"
            f" | {shape.purpose} |"
        )
    return "\n".join(lines)


def _revision_table(config: ClusterConfig) -> str:
    lines = ["| account | guaranteed A100 | shares |", "|---|---|---|"]
    for change in config.revisions:
        old = config.teams[change.team]
        lines.append(
            f"| `{old.name}` | {old.guaranteed} becomes {change.guaranteed}"
            f" | {old.shares} becomes {change.shares} |"
        )
    return "\n".join(lines)
