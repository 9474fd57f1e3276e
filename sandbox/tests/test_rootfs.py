"""Root folders hold what was declared and nothing else, and a digest is its content's."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import Backend, SandboxUnavailable, rootfs
from sandbox.engine import Engine
from sandbox.roots import debian, declared, furnish
from sandbox.tests.conftest import docker_url


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


def test_login_root_has_its_tools_and_nothing_that_raises_rights(login_root: rootfs.Root) -> None:
    found = files(login_root.folder)
    names = {path.name for path in found}
    assert names >= {"sh", "bash", "awk", "sed", "grep", "jq", "less", "find", "diff", "vi"}
    assert not names & {"su", "sudo", "mount", "unshare", "nsenter", "perl", "gcc", "apt-get"}
    modes = [path.lstat().st_mode for path in found if not path.is_symlink()]
    assert not any(mode & (stat.S_ISUID | stat.S_ISGID) for mode in modes)
    assert not any(path.suffix in (".a", ".h") for path in found)
    assert rootfs.size(login_root.folder) == login_root.size < 150 << 20


def test_links_lead_somewhere_within_the_root(login_root: rootfs.Root) -> None:
    for name in ("awk", "vi", "sh", "python3"):
        assert (login_root.folder / "usr/bin" / name).resolve().is_relative_to(login_root.folder)
    assert (login_root.folder / "bin").readlink() == Path("usr/bin")


def test_interpreter_is_the_distributions(built_root: rootfs.Root) -> None:
    assert tuple(map(int, built_root.python.split("."))) >= (3, 11)
    assert (built_root.folder / "usr/bin/python3").resolve().name == f"python{built_root.python}"
    assert f"python{built_root.python}-minimal" in built_root.packages


def test_building_again_changes_nothing(state_dir: Path, built_root: rootfs.Root) -> None:
    root, built = rootfs.build(state_dir)
    assert (root.digest, built) == (built_root.digest, False)


@pytest.mark.nightly  # fetches and unpacks all of it once more
def test_two_builds_are_equal(tmp_path: Path, built_root: rootfs.Root) -> None:
    if shutil.which("apt-get") is None:
        pytest.skip("apt is not here to build a second root folder")
    try:
        again, built = rootfs.build(tmp_path)
    except SandboxUnavailable as error:
        pytest.skip(f"A second root folder could not be built: {error}")
    assert built
    assert sorted(entry.name for entry in (tmp_path / "roots").iterdir()) == [
        ".lock-python",
        again.folder.name,
        "python.json",
    ]
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
    assert [entry.name for entry in (tmp_path / "roots").iterdir()] == [".lock-python"]


def test_two_builders_at_once_build_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: rootfs.build(tmp_path), range(4)))
    assert sorted(built for _root, built in found) == [False, False, False, True]
    assert len({root.digest for root, _built in found}) == 1


def test_builder_that_was_killed_leaves_nothing_that_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had fetched is used again; what it had unpacked is not."""
    (tmp_path / "roots/.draft-python/usr/bin").mkdir(parents=True)
    (tmp_path / "roots/.draft-python/usr/bin/half").write_text("half")
    pretend(monkeypatch)
    root, built = rootfs.build(tmp_path)
    assert built
    assert not (root.folder / "usr/bin/half").exists()
    assert not (tmp_path / "roots/.draft-python").exists()


def test_building_anew_keeps_the_folder_that_runs_have_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []
    for content in ("one", "two", "three"):
        pretend(monkeypatch, content)
        monkeypatch.setattr(rootfs, "_recipe", lambda _name, content=content: content)
        folders.append(rootfs.build(tmp_path)[0].folder)
    assert [folder.is_dir() for folder in folders] == [False, True, True]


def test_root_that_somebody_wrote_into_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch)
    root, _built = rootfs.build(tmp_path)
    (root.folder / "planted").write_text("x")
    assert not rootfs.is_unchanged(root)
    again, built = rootfs.build(tmp_path)
    assert built
    assert again == root
    assert not (root.folder / "planted").exists()


def test_root_made_to_another_declaration_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch)
    rootfs.build(tmp_path)
    monkeypatch.setattr(rootfs, "_recipe", lambda _name: "another")
    with pytest.raises(SandboxUnavailable, match="build-root'"):
        rootfs.load("python", tmp_path)


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda root: (root / "usr/bin/x").chmod(0o4755), "set-uid"),
        (lambda root: (root / "usr/bin/dash").write_text(""), "a shell, dash"),
        (lambda root: (root / "usr/bin/mount").write_text(""), "the program mount"),
        (lambda root: os.mkfifo(root / "usr/bin/f"), "neither file nor folder"),
        (lambda root: os.truncate(root / "usr/bin/x", 61 << 20), "61 MiB and may hold 60"),
    ],
    ids=["set-uid", "shell", "tool", "pipe", "size"],
)
def test_root_that_is_not_as_declared_is_refused(
    spoil: Callable[[Path], object], named: str, tmp_path: Path
) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/x").write_text("")
    furnish.check_files(tmp_path, declared("python"))
    spoil(tmp_path)
    with pytest.raises(SandboxUnavailable, match=named):
        furnish.check_files(tmp_path, declared("python"))


@pytest.mark.docker
def test_docker_image_is_the_root_folder_to_the_byte(
    docker: Backend, built_root: rootfs.Root
) -> None:
    """The image's one layer is the folder's tar, so two builds give one layer."""
    engine = Engine(docker_url(), None)
    name = engine.image(built_root)
    with engine.connect() as api:
        assert api.inspect_image(name)["RootFS"]["Layers"] == [f"sha256:{built_root.digest}"]


@pytest.mark.docker
def test_image_that_is_not_the_root_folder_is_refused(
    docker: Backend, built_root: rootfs.Root, tmp_path: Path
) -> None:
    """Somebody else's image under our name never runs a program."""
    engine = Engine(docker_url(), None)
    (tmp_path / "file").write_text("another")
    forged = replace(built_root, digest="f0" * 32)
    with engine.connect() as api, (tmp_path / "tar").open("w+b") as tar:
        rootfs.write_tar(tmp_path, tar)
        tar.seek(0)
        api.import_image_from_data(tar, repository="headnode-sandbox", tag=forged.digest[:12])
        try:
            with pytest.raises(SandboxUnavailable, match="docker image rm"):
                engine.image(forged)
        finally:
            api.remove_image(f"headnode-sandbox:{forged.digest[:12]}")


def pretend(monkeypatch: pytest.MonkeyPatch, content: str = "one") -> None:
    """Let building go its way with files of ours in place of Debian's."""

    def unpack(_files: list[Path], root: Path) -> dict[str, str]:
        compiled = root / "usr/lib/python3.11/__pycache__/os.cpython-311.pyc"
        compiled.parent.mkdir(parents=True)
        compiled.write_bytes(b"magi" + content.encode())
        return {"python3.11-minimal": "3.11"}

    def fetch(_packages: list[str], into: Path) -> list[Path]:
        into.mkdir(exist_ok=True)
        return []

    monkeypatch.setattr(debian, "require_apt", lambda: None)
    monkeypatch.setattr(debian, "python_version", lambda: "3.11")
    monkeypatch.setattr(debian, "with_dependencies", lambda wanted, _without: wanted)
    monkeypatch.setattr(debian, "fetch", fetch)
    monkeypatch.setattr(debian, "unpack", unpack)
    monkeypatch.setattr(rootfs, "furnish", lambda _root, _wanted, _python: None)
