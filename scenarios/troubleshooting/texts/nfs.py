"""NFS as a client sees it: nfsiostat of the home directories on the first node of the job."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.condition import NFS
from scenarios.troubleshooting.faults.shared import NfsSlotsFull
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import owner, value_at
from scenarios.troubleshooting.truth import Incident

_COLUMNS = (
    "ops/s",
    "kB/s",
    "kB/op",
    "retrans",
    "avg RTT (ms)",
    "avg exe (ms)",
    "avg queue (ms)",
    "errors",
)


def nfsiostat(incident: Incident, at_ms: int, node: str | None = None) -> Document:
    """`nfsiostat 60 1` of the home mount on a node of the job, the first one if none is named."""
    first = incident.training.nodes[0].name
    stream = "nfsiostat" if node in (None, first) else f"nfsiostat {node}"
    storage, draw = incident.plant.storage, Stream(incident.seed, stream)
    backlog = value_at(incident.condition, NFS, "backlog", at_ms)
    tag = owner(incident.condition, NFS, "backlog")
    full = next((c.fault for c in incident.causes if isinstance(c.fault, NfsSlotsFull)), None)
    sent, answer = (
        draw.between(300, 420),
        draw.between(5.7, 6.3) if full else draw.between(2.6, 3.4),
    )
    whole = full.exe_ms * draw.between(0.98, 1.02) if full else answer + draw.between(0.2, 0.5)
    if full:
        sent = (
            backlog * 1000 / (whole - answer)
        )  # what waits is what comes in a second times its wait
    again = int(value_at(incident.condition, NFS, "retrans", at_ms) * 60)
    texts: list[tuple[str, str | None]] = [
        (f"{storage.nfs_server}:{storage.nfs_export} mounted on {storage.home}:", None),
        ("", None),
        (f"{'ops/s':>16}{'rpc bklog':>17}", None),
        (f"{sent * 1.2:>16.3f}{backlog:>17.3f}", tag),
        ("", None),
    ]
    size = 64.0 if full else 182.0
    texts += [(text, tag) for text in _table("read", sent, size, again, answer, whole)]
    texts += [
        (text, None)
        for text in _table("write", sent * 0.04, size / 3, 0, answer * 1.1, answer * 1.3)
    ]
    rows = tuple(Line(at_ms, text, whose) for text, whose in texts)
    return Document(f"storage/nfsiostat-{node or first}.txt", rows)


def _table(
    name: str, sent: float, size: float, again: int, answer: float, whole: float
) -> Iterator[str]:
    """Head and figures of one operation; what is not round trip is waiting in the client."""
    part = 100 * again / (sent * 60)
    yield f"{name + ':':<7}" + "".join(f"{column:>16}" for column in _COLUMNS)
    figures = (
        f"{sent:.3f}",
        f"{sent * size:.3f}",
        f"{size:.3f}",
        f"{again} ({part:.1f}%)",
        f"{answer:.3f}",
        f"{whole:.3f}",
        f"{max(whole - answer - 0.1, 0):.3f}",
        "0 (0.0%)",
    )
    yield " " * 7 + "".join(f"{figure:>16}" for figure in figures)
