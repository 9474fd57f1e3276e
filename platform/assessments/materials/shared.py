"""Variants that one host built, for the others: a folder that all see, or an S3-compatible store.

Off until SHARED_STORAGE names a place. What cannot be fetched or given is built or kept here, from the
same seed to the same bytes.
"""

from __future__ import annotations

import io
import logging
import shutil
import tarfile
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

logger = logging.getLogger(__name__)
ALIAS = "shared"
FILES, KEY = "files", "key.json"


def give(folder: Path, key: Path) -> bool:
    """Put a variant that was built here, with its key, where other hosts find it; whether that was done."""
    if (store := _store()) is None:
        return False
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(folder, FILES)
        archive.add(key, KEY)
    try:
        name = _name(folder)
        if not store.exists(name):
            store.save(name, ContentFile(packed.getvalue()))
    except Exception as error:  # each store has errors of its own, and none of them may matter
        logger.warning("%s was not given to the other hosts: %s", folder.name, error)
        return False
    return True


def fetch(folder: Path, key: Path) -> bool:
    """Bring a variant that another host built; whether it was there. `folder` appears when it is whole."""
    if (store := _store()) is None:
        return False
    making = folder.parent / f".{folder.name}.fetched"
    shutil.rmtree(making, ignore_errors=True)
    try:
        if not store.exists(_name(folder)):
            return False
        with store.open(_name(folder)) as file, tarfile.open(fileobj=file) as archive:
            _unpack(archive, making)
        key.parent.mkdir(parents=True, exist_ok=True)
        (making / KEY).replace(key)
        (making / FILES).rename(folder)
    except Exception as error:
        logger.warning("%s could not be fetched and is built here: %s", folder.name, error)
        return False
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return True


def _unpack(archive: tarfile.TarFile, to: Path) -> None:
    """Folders and plain files below `to`; ValueError for anything else.

    Python's own filter of this kind came with 3.11.4, and Debian 12 has 3.11.2.
    """
    for member in archive:
        path = to / member.name
        content = archive.extractfile(member) if member.isreg() else None
        if not (content or member.isdir()) or not path.resolve().is_relative_to(to.resolve()):
            raise ValueError(f"{member.name[:80]!r} is no file of a variant.")
        if content is None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with content, path.open("wb") as file:
            shutil.copyfileobj(content, file)


def _store() -> Storage | None:
    return storages[ALIAS] if ALIAS in settings.STORAGES else None


def _name(folder: Path) -> str:
    return f"variants/{folder.name}.tar"
