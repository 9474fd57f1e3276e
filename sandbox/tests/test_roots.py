"""Declarations of roots are read strictly, and apt's answers are understood."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandbox import SandboxUnavailable, Spec, roots
from sandbox.roots import debian
from sandbox.roots.declarations import parse

GOOD = """
about = "A root."
packages = ["jq"]
without = ["lib.*-data"]
drop = ["usr/share/doc"]
shell = true
largest_mb = 10
imports = ["json"]
commands = ["true"]

[links]
"usr/bin/awk" = "gawk"
"""


def test_four_roots_are_declared_and_python_has_no_shell() -> None:
    assert roots.NAMES == ("login", "python", "slurm", "torch")
    shells = {name: roots.declared(name).shell for name in roots.NAMES}
    assert shells == {"login": True, "python": False, "slurm": True, "torch": False}
    assert [name for name in roots.NAMES if roots.declared(name).cluster] == ["slurm"]
    assert roots.declared("python").largest_mb <= 60


def test_fingerprint_follows_the_declaration() -> None:
    one, two = parse("x", GOOD), parse("x", GOOD.replace("jq", "jo"))
    assert one == parse("x", GOOD)
    assert one.fingerprint != two.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("about", "abuot", "abuot"),
        ('["jq"]', '"jq"', "packages"),
        ("usr/share/doc", "../doc", "below the root"),
        ("usr/bin/awk", "/usr/bin/awk", "below the root"),
        ("lib.*-data", "lib(", "not a pattern"),
        ("true\nlargest", "1\nlargest", "true or false"),
        ("= 10", "= 0", "positive"),
        ("about =", "about", "TOML"),
        ("shell = true", 'shell = true\nhostname = "A b"', "a name of small letters"),
        ("[links]", '[people]\nana = "x:0:0"\n[links]', "a name of small letters"),
        ("shell = true", "shell = true\ncluster = 1", "true or false"),
    ],
)
def test_declaration_that_is_wrong_is_named(old: str, new: str, named: str) -> None:
    with pytest.raises(ValueError, match=r"roots/x\.toml") as refused:
        parse("x", GOOD.replace(old, new))
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)


def test_program_for_a_root_nobody_declared_is_refused() -> None:
    with pytest.raises(ValueError, match="choose login or python or slurm or torch"):
        Spec({"controller.py": b""}, root="windows")


def apt(monkeypatch: pytest.MonkeyPatch, answers: dict[str, str]) -> list[list[str]]:
    """Answer commands by the last word that `answers` knows; returns what was asked."""
    asked: list[list[str]] = []

    def answer(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        told = "".join(answers.get(word, "") for word in command)
        return subprocess.CompletedProcess(command, 0, told, "")

    monkeypatch.setattr(subprocess, "run", answer)
    return asked


def test_dependencies_are_followed_without_what_is_unwanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apt(
        monkeypatch,
        {
            "jq": "jq\n  Depends: libjq1\n  Depends: libc6\n  Depends: perl-base\n",
            "libjq1": "libjq1\n |Depends: libone\n  Depends: libother\n  Depends: libx-data\n",
            "libone": "libone\n |Depends: <virtual>\n    libthird\n  Depends: libreal\n",
        },
    )
    found = debian.with_dependencies(["jq"], ("lib.*-data",))
    assert found == ["jq", "libc6", "libjq1", "libone", "libreal"]


@pytest.mark.parametrize(
    ("offered", "python"),
    [("3.11", "3.11"), ("3.13", "3.13"), ("3.9", None), ("", None)],
)
def test_python_is_the_distributions_and_not_too_old(
    offered: str, python: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt(monkeypatch, {"python3-minimal": f"python3-minimal\n  Depends: python{offered}-minimal\n"})
    if python is not None:
        assert debian.python_version() == python
        return
    with pytest.raises(SandboxUnavailable, match=r"3\.11 or newer; run 'apt-get update'"):
        debian.python_version()


def test_packages_of_an_earlier_try_that_are_not_asked_for_stay_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / ".packages-x"
    packages.mkdir()
    for name in ("jq_1_amd64.deb", "jq_2_amd64.deb"):
        (packages / name).write_text("")
    apt(monkeypatch, {"--print-uris": "'http://here/jq_2_amd64.deb' jq_2_amd64.deb 5 SHA256:0\n"})
    assert [file.name for file in debian.fetch(["jq"], packages)] == ["jq_2_amd64.deb"]


def test_package_that_did_not_come_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt(monkeypatch, {"--print-uris": "'http://here/jq_2_amd64.deb' jq_2_amd64.deb 5 SHA256:0\n"})
    with pytest.raises(SandboxUnavailable, match=r"did not fetch jq_2_amd64\.deb"):
        debian.fetch(["jq"], tmp_path / ".packages-x")
