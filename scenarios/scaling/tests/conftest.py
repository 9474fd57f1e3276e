from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.packs.generated import Written
from scenarios.scaling import variant


@pytest.fixture(scope="package")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Written]]:
    """The files of one senior variant, and what was told of them."""
    folder = tmp_path_factory.mktemp("growth")
    return folder, variant.write(folder, DEFAULT, "senior", 3)
