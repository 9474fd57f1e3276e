"""What the two runs were started with: batch script, configuration, pinned packages."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.herrings.changed import SCRIPT
from scenarios.troubleshooting.texts import fleet, harmless
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.slurm_words import gpu_type
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

RUNS = ("baseline", "slow")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one run: key of a `config.setting` -> value, and whose the difference is."""

    values: dict[str, str]
    tags: dict[str, str]

    def line(self, key: str, text: str) -> tuple[str, str | None]:
        return text.format(self.values[key]), self.tags.get(key)


_HEALTHY = {
    "srun options": "--cpu-bind=verbose,cores --mem-bind=local",
    "container options": "--container-image=train:26.09",
    "NCCL_IB_HCA": "mlx5",
    "activation_checkpointing": "none",
    "checkpoint.every_steps": "500",
    "webshards": "2.3.1",
}


def settings(incident: Incident, run: str) -> Settings:
    """What a run was started with: the traces' differences on top of what is always there."""
    values, tags = dict(_HEALTHY), {}
    for trace in incident.traces():
        key = str(trace.fields.get("key", ""))
        if trace.kind == "config.setting" and key in values:
            slow = run == "slow"
            values[key] = str(trace.fields["after" if slow else "before"])
            if slow:
                tags[key] = trace.tag
    return Settings(values, tags)


_HEAD = """\
#!/bin/bash
#SBATCH --job-name={training.name}
#SBATCH --account={training.account}
#SBATCH --partition={job.partition}
#SBATCH --qos={job.qos}
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node={gpus}
#SBATCH --gpus-per-node={kind}:{gpus}
#SBATCH --cpus-per-task=28
#SBATCH --time=1-00:00:00
#SBATCH --output={folder}/slurm-%j.out
#SBATCH --signal=USR1@300

set -euo pipefail
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n1)
export MASTER_PORT=29517
export NCCL_DEBUG=INFO
export NCCL_SOCKET_IFNAME=bond0
"""


def batch(incident: Incident, run: str) -> Document:
    """The batch script of a run: train.sbatch."""
    found = settings(incident, run)
    job = incident.slow if run == "slow" else incident.before
    training, storage = incident.training, incident.plant.storage
    told = [c.key for c in incident.causes if c.key == "srun-lost-cpus"]
    lost = told[0] if told and run == "slow" else None
    folder = training.script.rpartition("/")[0]
    head = _HEAD.format(
        training=training,
        job=job,
        nodes=len(training.nodes),
        folder=folder,
        gpus=incident.plant.gpus_per_node,
        kind=gpu_type(incident.plant),
    )
    texts = [(text, lost if "cpus-per-task" in text else None) for text in head.splitlines()]
    texts += [
        found.line("NCCL_IB_HCA", "export NCCL_IB_HCA={}"),
        ("export NCCL_PXN_DISABLE=1   # PXN deadlocked with the expert dispatch in 2.19", None),
        ("export TORCH_NCCL_ASYNC_ERROR_HANDLING=1", None),
        ("export OMP_NUM_THREADS=4", None),
        *_by_many(incident, run, "train.sbatch", SCRIPT),
    ]
    if not told:
        texts.append(("export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK", None))
    binding, whose = found.line("srun options", "srun {} \\")
    texts += [
        ("", None),
        (binding, whose or lost),
        found.line("container options", "  {} \\"),
        (f"  --container-mounts={storage.mount},{storage.home} \\", None),
        (f"  python3 -m trainer --config {folder}/config.yaml", None),
    ]
    return _document(f"runs/{run}/train.sbatch", job.submit_ms, texts)


_OPTIMIZER = ("optimizer:", "  name: adamw", "  learning_rate: 1.5e-4", "  schedule: constant")


def config(incident: Incident, run: str) -> Document:
    """The trainer's configuration of a run: config.yaml."""
    found = settings(incident, run)
    training, storage = incident.training, incident.plant.storage
    at = (incident.slow if run == "slow" else incident.before).submit_ms
    full = "nfs-slots-full" in {cause.key for cause in incident.causes}
    slots = "nfs-slots-full" if full and run == "slow" else None
    nth = RUNS.index(run)
    seed = 1_000 + int(Stream(incident.seed, "config").between(0, 40)) + nth
    texts: list[tuple[str, str | None]] = [
        (f"run_name: {training.name}-{'ab'[nth]}", None),
        (f"seed: {seed}", None),
        ("model:", None),
        (f"  preset: {training.name.removesuffix('-pretrain')}", None),
        ("  sequence_length: 4096", None),
        ("  experts_per_token: 2", None),
        found.line("activation_checkpointing", "activation_checkpointing: {}"),
        *((line, None) for line in _OPTIMIZER),
        ("parallel:", None),
        ("  expert: 8", None),
        (f"  data: {training.ranks // 8}", None),
        ("train:", None),
        ("  steps: 12000", None),
        (f"  resume_from: {training.checkpoints}/global_step{24_000 + 12_000 * nth}", None),
        ("  log_every: 20", None),
        ("  rank_report_every: 250", None),
        ("checkpoint:", None),
        found.line("checkpoint.every_steps", "  every_steps: {}"),
        (f"  directory: {training.checkpoints}", None),
        ("  keep: 6", None),
        ("data:", None),
        (f"  path: {training.dataset}", None),
        (f"  index_dir: {storage.home}/{training.user}/index", slots),
        ("  workers_per_rank: 8", None),
        ("  prefetch_batches: 4", None),
        (f"  shuffle_epoch: {3 + nth}", None),
        *([("recipe:", None)] if incident.settings.fleet else []),
        *_by_many(incident, run, "config.yaml"),
    ]
    return _document(f"runs/{run}/config.yaml", at, texts)


_PINS = (
    "einops==0.8.0",
    "fsspec==2024.6.1",
    "grouped-gemm==0.1.6",
    "numpy==1.26.4",
    "sentencepiece==0.2.0",
)


def requirements(incident: Incident, run: str) -> Document:
    """Pinned packages of a run; now and then one that does not matter has moved too."""
    found = settings(incident, run)
    job = incident.slow if run == "slow" else incident.before
    moved = harmless.lines(incident.seed, harmless.PINS)
    if incident.settings.fleet:
        moved = [row[:2] for row in fleet.changes(incident, "requirements")]
    pins = [pair[run == "slow"] for pair in moved]
    texts: list[tuple[str, str | None]] = [(pin, None) for pin in sorted([*_PINS, *pins])]
    texts.append(found.line("webshards", "webshards=={}"))
    return _document(f"runs/{run}/requirements.txt", job.submit_ms, texts)


def _by_many(
    incident: Incident, run: str, file: str, path: str = ""
) -> list[tuple[str, str | None]]:
    """Lines of a run's file that others changed between the two runs, those of herrings with their key."""
    rows = fleet.changes(incident, file, path)
    texts = [(now, tag) if run == "slow" else (before, None) for before, now, tag in rows]
    return [(text, tag) for text, tag in texts if text]


def _document(path: str, at_ms: int, texts: list[tuple[str, str | None]]) -> Document:
    return Document(path, tuple(Line(at_ms, text, tag) for text, tag in texts))


def differences(incident: Incident) -> list[Trace]:
    """Settings that differ from the last known good, as the causes tell them."""
    return [trace for trace in incident.traces() if trace.kind == "config.setting"]
