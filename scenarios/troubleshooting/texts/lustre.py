"""Lustre as its clients and servers count it: space, requests by job, waiting by target."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.condition import LUSTRE, MDS
from scenarios.troubleshooting.faults.storage import HEALTHY_AWAIT_MS, StorageNeighbour
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.plant import Ost
from scenarios.troubleshooting.signals.storage import READ_STEP, SAVE
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import owner, total_until, value_at
from scenarios.troubleshooting.texts.slurm_words import state_at
from scenarios.troubleshooting.truth import Incident

READ, WRITE = 1_048_576, 4_194_304


def ost_used(incident: Incident, ost: Ost) -> float:
    """Part of a target that is in use; a flash pool that was cleaned of cold directories is still full."""
    crowded = any(c.key == "checkpoint-on-capacity-pool" for c in incident.causes)
    return ost.used + (0.21 if crowded and ost.pool == "flash" else 0.0)


def space(incident: Incident, at_ms: int) -> Document:
    """`lfs df -h`, then the pools."""
    storage = incident.plant.storage
    head = f"{'UUID':<22} {'bytes':>11} {'Used':>11} {'Available':>11} Use% Mounted on"
    texts = [head, _space(f"{storage.fsname}-MDT0000_UUID", 7.2, 0.31, f"{storage.mount}[MDT:0]")]
    size = used = 0.0
    for ost in storage.osts:
        part = ost_used(incident, ost)
        texts.append(
            _space(f"{ost.name}_UUID", ost.size_tib, part, f"{storage.mount}[OST:{ost.index}]")
        )
        size, used = size + ost.size_tib, used + ost.size_tib * part
    texts += ["", _space("filesystem_summary:", size, used / size, storage.mount), ""]
    for pool in ("flash", "capacity"):
        names = [ost.name for ost in storage.osts if ost.pool == pool]
        texts += [f"# lfs pool_list {storage.fsname}.{pool}", f"Pool: {storage.fsname}.{pool}"]
        texts += [f"{name}_UUID" for name in names]
    return Document("storage/lfs-df.txt", tuple(Line(at_ms, text) for text in texts))


def _space(name: str, tib: float, part: float, where: str) -> str:
    sizes = [f"{value:.1f}T" for value in (tib, tib * part, tib * (1 - part))]
    return f"{name:<22} {sizes[0]:>11} {sizes[1]:>11} {sizes[2]:>11} {part:>4.0%} {where}"


def waits(incident: Incident, at_ms: int, node: str | None = None, part: float = 1.0) -> Document:
    """`lctl get_param osc.*.stats` on a node, the job's first if none is named: waits by target.

    `part` is how many requests the node has sent, as a part of what a node of the job has.
    """
    first = incident.training.nodes[0].name
    steps = max(incident.run.step_at(at_ms), 0)
    flash = len(incident.plant.storage.flash())
    lines: list[Line] = []
    draw = Stream(incident.seed, "osc stats" if node in (None, first) else f"osc stats {node}")
    for ost in incident.plant.storage.osts:
        wait, tag = _wait_us(incident, ost, at_ms)
        share = (
            READ_STEP / len(incident.training.nodes) / flash if ost.pool == "flash" else 2_000_000
        )
        count = max(int(part * steps * share / READ * draw.between(0.97, 1.03)), 40)
        mean = int(wait * draw.between(0.96, 1.04))
        name = f"{ost.name}-osc-ffff{0x9A1C_0000 + ost.index * 0x800:08x}"
        longest, deep = int(mean * draw.between(9, 14)), 12 if tag else 5
        texts = (
            (f"osc.{name}.stats=", None),
            (
                f"snapshot_time             {at_ms // SECOND}.{ost.index * 31 % 1000:03d}417209 secs.nsecs",
                None,
            ),
            (
                f"req_waittime              {count} samples [usecs] {int(draw.between(180, 320))} {longest} "
                f"{count * mean} {count * mean * mean * 2}",
                tag,
            ),
            (
                f"req_active                {count} samples [reqs] 1 {deep} {count * 2} {count * 5}",
                None,
            ),
            (f"read_bytes                {count} samples [bytes] 4096 {READ} {count * READ}", None),
        )
        lines += [Line(at_ms, text, whose) for text, whose in texts]
    return Document(f"storage/osc-stats-{node or first}.txt", tuple(lines))


def _wait_us(incident: Incident, ost: Ost, at_ms: int) -> tuple[float, str | None]:
    """Mean wait of the job's requests at a target, in microseconds, and whose it is."""
    condition = incident.condition
    own = owner(condition, ost.name, "await")
    factor = value_at(condition, ost.name, "await", at_ms)
    tag = own if factor > 1.5 else None
    if ost.pool == "flash":
        for effect in condition.effects:
            alone = owner_of_targets(incident, effect.tag)
            if effect.subject == LUSTRE and effect.field == "latency" and not alone:
                weight = float(
                    effect.shape.weights(incident.calendar)[incident.calendar.cell(at_ms)]
                )
                factor *= 1 + (effect.value - 1) * weight
                tag = tag or effect.tag
    base = HEALTHY_AWAIT_MS if ost.pool == "flash" else 11.0
    return base * 1000 * factor + 600, tag


def owner_of_targets(incident: Incident, tag: str) -> bool:
    """Whether this cause slows single targets, so that its latency is not that of all of them."""
    return any(e.tag == tag and e.field == "await" for e in incident.condition.effects)


def job_stats(incident: Incident, at_ms: int) -> Document:
    """`lctl get_param obdfilter.*.job_stats` on all servers: bytes of each job that is running."""
    lines: list[Line] = []
    running = [job for job in incident.jobs if state_at(job, at_ms) == "RUNNING" and job.account]
    for ost in incident.plant.storage.osts:
        lines.append(Line(at_ms, f"obdfilter.{ost.name}.job_stats="))
        lines.append(Line(at_ms, "job_stats:"))
        for job in running:
            read, write = _bytes(incident, job, ost, at_ms)
            if read or write:
                tag = job.tag if job.tag == StorageNeighbour.key else None
                lines += _entry(str(job.id), at_ms, tag, read_bytes=read, write_bytes=write)
    return Document("storage/ost-job_stats.txt", tuple(lines))


def _bytes(incident: Incident, job: Job, ost: Ost, at_ms: int) -> tuple[int, int]:
    """Bytes that a job has read from and written to one target since it started."""
    elapsed = (at_ms - (job.start_ms or at_ms)) / SECOND
    flash = len(incident.plant.storage.flash())
    if job.role == "slow":
        return _training_bytes(incident, ost, at_ms)
    if ost.pool != "flash":
        return 0, 0
    writer = next((c.fault for c in incident.causes if isinstance(c.fault, StorageNeighbour)), None)
    if writer is not None and job.tag == writer.key:
        return int(elapsed * 2e6), int(
            total_until(incident.condition, LUSTRE, "foreign_gbytes", at_ms) * 1e9 / flash
        )
    habit = Stream(incident.seed, f"lustre {job.id}")
    rate = habit.between(0.2e6, 3e6) * job.gpu_count
    return int(elapsed * rate / flash), int(elapsed * rate * habit.between(0.05, 0.3) / flash)


def _training_bytes(incident: Incident, ost: Ost, at_ms: int) -> tuple[int, int]:
    steps = max(incident.run.step_at(at_ms), 0)
    saved = int((incident.run.save[:steps] > 0).sum())
    moved = any(c.key == "checkpoint-on-capacity-pool" for c in incident.causes)
    targets = [
        o for o in incident.plant.storage.osts if o.pool == ("capacity" if moved else "flash")
    ]
    read = (
        int(steps * READ_STEP) // len(incident.plant.storage.flash()) if ost.pool == "flash" else 0
    )
    return read, int(saved * SAVE) // len(targets) if ost in targets else 0


def _entry(job: str, at_ms: int, tag: str | None, **sums: int) -> Iterator[Line]:
    yield Line(at_ms, f"- job_id:          {job}", tag)
    yield Line(at_ms, f"  snapshot_time:   {at_ms // SECOND}")
    for name, total in sums.items():
        size = READ if name == "read_bytes" else WRITE
        texts = f"samples: {total // size:>11}, unit: bytes, min: {4096:>7}, max: {size:>7}, sum: {total:>16}"
        yield Line(at_ms, f"  {name + ':':<16} {{ {texts} }}", tag)


def metadata(incident: Incident, at_ms: int) -> Document:
    """`lctl get_param mdt.*.job_stats` on the metadata server: requests of each client program."""
    storage, condition = incident.plant.storage, incident.condition
    lines = [Line(at_ms, f"mdt.{storage.fsname}-MDT0000.job_stats="), Line(at_ms, "job_stats:")]
    storm = next((c.fault for c in incident.causes if c.key == "metadata-storm"), None)
    if storm is not None:
        total = int(total_until(condition, MDS, "ops", at_ms))
        who = f"find.{getattr(storm, 'user', '')}@{incident.plant.login}"
        lines += _operations(
            who, at_ms, storm.key, open=total // 24, getattr=total * 22 // 24, statfs=2
        )
    for job in incident.jobs:
        if state_at(job, at_ms) == "RUNNING":
            elapsed = (at_ms - (job.start_ms or at_ms)) / SECOND
            rate = Stream(incident.seed, f"mdt {job.id}").between(0.1, 0.8) * job.gpu_count
            opened = int(elapsed * rate)
            lines += _operations(
                str(job.id), at_ms, None, open=opened, getattr=opened * 2, statfs=int(elapsed) // 60
            )
    return Document("storage/mdt-job_stats.txt", tuple(lines))


def _operations(job: str, at_ms: int, tag: str | None, **counts: int) -> Iterator[Line]:
    yield Line(at_ms, f"- job_id:          {job}", tag)
    yield Line(at_ms, f"  snapshot_time:   {at_ms // SECOND}")
    for name, count in counts.items():
        yield Line(at_ms, f"  {name + ':':<16} {{ samples: {count:>11}, unit:  reqs }}", tag)


def sizes(incident: Incident, at_ms: int) -> Document:
    """`lctl get_param obdfilter.*.brw_stats`: sizes of requests on the first flash target of each server."""
    lines: list[Line] = []
    for server in incident.plant.storage.oss:
        ost = next(o for o in incident.plant.storage.flash() if o.oss == server)
        draw = Stream(incident.seed, f"brw {ost.name}")
        lines.append(Line(at_ms, f"obdfilter.{ost.name}.brw_stats="))
        lines.append(
            Line(at_ms, f"snapshot_time:         {at_ms // SECOND}.204881133 (secs.nsecs)")
        )
        lines.append(Line(at_ms, f"{'':<27}read      |     write"))
        lines.append(Line(at_ms, "pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %"))
        reads = [
            int(draw.between(*span))
            for span in ((900, 1800), (300, 700), (900, 2600), (52_000, 61_000))
        ]
        writes = [
            int(draw.between(*span))
            for span in ((200, 600), (100, 300), (400, 900), (21_000, 33_000))
        ]
        for place, pages in enumerate((1, 16, 64, 256)):
            row = [_share(counts, place) for counts in (reads, writes)]
            lines.append(Line(at_ms, f"{pages}:{'':<{21 - len(str(pages))}}{row[0]} | {row[1]}"))
    return Document("storage/brw_stats.txt", tuple(lines))


def _share(counts: list[int], place: int) -> str:
    whole = sum(counts)
    return f"{counts[place]:>6} {100 * counts[place] // whole:>3} {100 * sum(counts[: place + 1]) // whole:>3}"
