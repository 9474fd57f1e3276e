"""What a candidate is shown beside the editor: texts, code, tables, metrics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenarios.profile import Profile
from scenarios.telemetry.prometheus import snapshot

_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Document:
    """One tab: `kind` is markdown, code, table or prom; `path` its file name in a built variant."""

    key: str
    title: str
    kind: str
    text: str
    path: str


def words(profile: Profile) -> dict[str, str]:
    """What the placeholders of a pack's texts stand for."""
    gpu = profile.gpu_model
    firm = round(profile.nodes * 0.6)
    gpus = profile.nodes * profile.gpus_per_node
    return {
        "cluster": profile.cluster,
        "nodes": str(profile.nodes),
        "gpus": str(gpus),
        "gpus_per_node": str(profile.gpus_per_node),
        "gpu": profile.gpu,
        "gpu_product": gpu.product,
        "ondemand_max": str(firm),
        "ondemand_start": str(max(2, firm // 3)),
        "spot_max": str(profile.nodes - firm),
        "ondemand_price": f"{profile.ondemand_node_hour:.2f}",
        "spot_price": f"{profile.spot_node_hour:.2f}",
        "overflow_price": f"{profile.overflow_gpu_hour:.2f}",
        "healthy_mhz": f"{int(gpu.top_mhz * 0.89):,} to {gpu.top_mhz:,}",
        "throttled_mhz": f"{int(gpu.top_mhz * 0.6):,}",
        "idle_mhz": str(gpu.idle_mhz),
    }


def fill(text: str, profile: Profile, path: Path) -> str:
    """Put the profile's words in the places marked {{word}}. ValueError for an unknown word."""
    known = words(profile)

    def word(found: re.Match[str]) -> str:
        if found[1] not in known:
            raise ValueError(f"{path}: there is no word {found[1]} to fill in.")
        return known[found[1]]

    return _PLACE.sub(word, text)


def read_documents(
    folder: Path, rows: Sequence[Mapping[str, str]], profile: Profile, seed: int
) -> list[Document]:
    """The level's documents; one whose file is `snapshot` is made from the simulated cluster."""
    made = []
    for row in rows:
        name = row["file"]
        if name == "snapshot":
            text, name = snapshot(profile, str(seed)), "metrics.prom"
        else:
            text = fill((folder / name).read_text(encoding="utf-8"), profile, folder / name)
        made.append(Document(row["key"], row["title"], row["kind"], text, Path(name).name))
    return made
