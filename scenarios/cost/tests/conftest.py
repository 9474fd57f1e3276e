from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scenarios.packs import build, load_pack

PACK = "cost/fleet-bill"


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """One senior variant on disk, with its manifest; the key lies beside the folder."""
    folder = tmp_path_factory.mktemp("bill")
    manifest = build(load_pack(PACK), "senior", 3, folder / "variant", key_file=folder / "key.json")
    return folder / "variant", manifest
