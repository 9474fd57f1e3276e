"""The root folder holds an interpreter and no tools, and its digest is its content's."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from sandbox import SandboxUnavailable, rootfs


def files(root: Path) -> list[Path]:
    return [Path(folder, name) for folder, _names, names in os.walk(root) for name in names]


def test_root_has_no_shell_and_no_set_uid_file(built_root: rootfs.Root) -> None:
    found = files(built_root.folder)
    names = {path.name for path in found}
    assert not names & {"sh", "bash", "dash", "busybox", "su", "mount", "apt-get", "dpkg", "perl"}
    modes = [path.lstat().st_mode for path in found if not path.is_symlink()]
    assert not any(mode & (stat.S_ISUID | stat.S_ISGID) for mode in modes)
    assert sum(path.lstat().st_size for path in found) < 60 << 20


def test_recorded_digest_is_the_folders(built_root: rootfs.Root) -> None:
    assert rootfs.digest(built_root.folder) == built_root.digest
    tar = io.BytesIO()
    rootfs.write_tar(built_root.folder, tar)
    assert hashlib.sha256(tar.getvalue()).hexdigest() == built_root.digest


def test_digest_depends_on_content_alone(tmp_path: Path) -> None:
    for name, when in (("one", 1_000_000), ("two", 2_000_000)):
        folder = tmp_path / name / "sub"
        folder.mkdir(parents=True)
        (folder / "file").write_text("same")
        os.utime(folder / "file", (when, when))
    assert rootfs.digest(tmp_path / "one") == rootfs.digest(tmp_path / "two")
    (tmp_path / "two" / "sub" / "file").write_text("other")
    assert rootfs.digest(tmp_path / "one") != rootfs.digest(tmp_path / "two")


def test_interpreter_is_the_newest_offered(built_root: rootfs.Root) -> None:
    assert built_root.python in ("3.11", "3.12", "3.13")
    assert (built_root.folder / "usr/bin/python3").resolve().name == f"python{built_root.python}"
    assert f"python{built_root.python}-minimal" in built_root.packages


def test_building_again_changes_nothing(state_dir: Path, built_root: rootfs.Root) -> None:
    root, built = rootfs.build(state_dir)
    assert (root.digest, built) == (built_root.digest, False)


def test_two_builds_are_equal(tmp_path: Path, built_root: rootfs.Root) -> None:
    if shutil.which("apt-get") is None:
        pytest.skip("apt is not here to build a second root folder")
    try:
        again, built = rootfs.build(tmp_path)
    except SandboxUnavailable as error:
        pytest.skip(f"A second root folder could not be built: {error}")
    assert built
    if again.packages != built_root.packages:
        pytest.skip("Debian's packages have changed since the first root folder was built")
    assert again.digest == built_root.digest


def test_missing_apt_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="apt-get") as refused:
        rootfs.build(tmp_path / "state")
    assert "\n" not in str(refused.value)


def test_network_trouble_is_one_clear_sentence_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 100, "", "E: Could not resolve host\n")

    monkeypatch.setattr(subprocess, "run", offline)
    with pytest.raises(SandboxUnavailable, match="Could not resolve host"):
        rootfs.build(tmp_path)
    assert [entry.name for entry in (tmp_path / "roots").iterdir()] == [".lock"]
