"""Folders of ours that every run sees read-only: the bootstrap and SDKs, by their content."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import py_compile
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sandbox.rootfs import Root

BOOTSTRAP = "bootstrap.py"


@cache
def bootstrap_files() -> Mapping[str, bytes]:
    return {BOOTSTRAP: (Path(__file__).parent / "inside" / BOOTSTRAP).read_bytes()}


class Workshop:
    """Keeps content-addressed folders below the state folder.

    When the interpreter in `root` reads the same byte code as ours, the files are compiled here,
    which saves every run the time.
    """

    def __init__(self, state_dir: Path, root: Root) -> None:
        self._at = state_dir / "inside"
        self._at.mkdir(parents=True, exist_ok=True)
        self._at.chmod(0o755)
        self._compile = root.magic == importlib.util.MAGIC_NUMBER.hex()

    def folder(self, files: Mapping[str, bytes], inside: str) -> Path:
        """The folder with exactly these files, to be seen at path `inside`."""
        final = self._at / (_digest(files, inside) + ("-c" if self._compile else ""))
        if not final.is_dir():
            draft = Path(tempfile.mkdtemp(dir=self._at))
            try:
                self._fill(draft, files, inside)
                draft.rename(final)
            except OSError:
                # Another process may have finished the same folder first.
                shutil.rmtree(draft, ignore_errors=True)
                if not final.is_dir():
                    raise
        return final

    def bootstrap(self, inside: str) -> tuple[Path, str]:
        """The bootstrap's folder, and the path to start it by when the folder is at `inside`."""
        folder = self.folder(bootstrap_files(), inside)
        compiled = importlib.util.cache_from_source(str(folder / BOOTSTRAP))
        name = os.path.relpath(compiled, folder) if os.path.exists(compiled) else BOOTSTRAP
        return folder, f"{inside}/{name}"

    def _fill(self, draft: Path, files: Mapping[str, bytes], inside: str) -> None:
        for path, content in files.items():
            target = draft / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            if self._compile and path.endswith(".py"):
                _compile(target, f"{inside}/{path}")
        for folder, _names, plain in os.walk(draft):
            os.chmod(folder, 0o755)  # noqa: S103 - read by the run's own user
            for name in plain:
                os.chmod(os.path.join(folder, name), 0o644)


def _compile(source: Path, shown_as: str) -> None:
    try:
        py_compile.compile(
            str(source),
            cfile=importlib.util.cache_from_source(str(source)),
            dfile=shown_as,
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    except py_compile.PyCompileError:
        return


def _digest(files: Mapping[str, bytes], inside: str) -> str:
    total = hashlib.sha256(inside.encode())
    for path in sorted(files):
        total.update(f"\0{path}\0{len(files[path])}\0".encode() + files[path])
    return total.hexdigest()[:24]
