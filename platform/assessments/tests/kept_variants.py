"""Variants for tests, built once for each state of the sources and copied from then on."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.test import override_settings

from assessments.materials import variants
from assessments.tests.kept import kept_folder, mark_of_sources, one_at_a_time

PREFIX = "variants-"


def lend_variant(to: Path, pack: str, level: str, seed: int) -> Path:
    """Put a variant with its key into a folder of variants, and give that folder."""
    kept = kept_folder() / f"{PREFIX}{mark_of_sources()}"
    with one_at_a_time("variants"), override_settings(VARIANTS=kept):
        for old in set(kept_folder().glob(f"{PREFIX}*/")) - {kept}:
            shutil.rmtree(old)
        variants.key_of(pack, level, seed)
        built = variants.folder_of(pack, level, seed)
        shutil.copytree(built, to / built.name)
        key = Path(variants.KEYS, f"{built.name}.json")
        (to / variants.KEYS).mkdir(exist_ok=True)
        shutil.copyfile(kept / key, to / key)
    return to
