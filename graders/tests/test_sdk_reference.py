"""The SDK as a whole: every verb is documented, exists in some world, and takes what that world checks."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path

import pytest

from graders.api_types import api_pages, with_types
from graders.inprocess import SDK_FOLDER, sdk
from graders.sdk_reference import page, verbs
from scenarios.worlds import load_world

WORLDS = sorted(
    path.parent.name
    for path in (Path(sys.modules["scenarios.worlds"].__path__[0])).glob("*/__init__.py")
    if path.parent.name
    not in ("tests", "practice")  # practice is played by its calls, without verbs
)
SOURCES = sorted((SDK_FOLDER / "headnode_sdk").glob("*.py"))
GATHERED = {"modify_qos": {"qos", "limits"}}
"""Verbs that gather keywords into one parameter."""


def test_every_verb_exists_in_some_world_and_every_call_has_a_verb() -> None:
    calls = {method for name in WORLDS for method in load_world(name).methods}
    assert calls == verbs().keys()


@pytest.mark.parametrize("world", WORLDS)
def test_verbs_take_the_parameters_that_the_world_checks(world: str) -> None:
    for method, checks in load_world(world).methods.items():
        taken = inspect.signature(verbs()[method]).parameters.keys() - {"self"}
        assert GATHERED.get(method, taken) == checks.keys(), method


@pytest.mark.parametrize("name", sorted(verbs()))
def test_every_verb_is_documented_and_typed(name: str) -> None:
    verb = verbs()[name]
    assert (inspect.getdoc(verb) or "").endswith(".")
    shown = inspect.signature(verb)
    assert shown.return_annotation is not inspect.Signature.empty
    for parameter in list(shown.parameters.values())[1:]:
        assert parameter.annotation is not inspect.Parameter.empty


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_class_is_documented_and_exported_and_nothing_is_imported_from_elsewhere(
    path: Path,
) -> None:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            assert ast.get_docstring(node)
            inner = node.name.endswith(("Verbs", "Reads"))
            assert inner or node.name in sdk().__all__
        if isinstance(node, ast.ImportFrom) and not node.level:
            assert str(node.module).split(".")[0] in sys.stdlib_module_names


def test_no_two_groups_have_a_verb_of_the_same_name() -> None:
    seen: dict[str, str] = {}
    for part in sdk().Cluster.__mro__[:-1]:
        for name in vars(part):
            if not name.startswith("_"):
                assert name not in seen, f"{name} is in {seen.get(name)} and {part.__name__}"
                seen[name] = part.__name__


def test_page_is_that_of_the_code() -> None:
    made = (SDK_FOLDER / "REFERENCE.md").read_text()
    assert made == page(), "run python -m graders.sdk_reference"
    assert all(f"\n### {name}(" in made for name in verbs())


@pytest.mark.parametrize("path", api_pages(), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_every_api_page_gives_the_types_of_what_it_names(path: Path) -> None:
    text = path.read_text()
    assert text == with_types(text), "run python -m graders.api_types"
    calls = re.findall(r"^\| `([a-z_]+)\(", text, re.MULTILINE)
    assert calls
    assert all(re.search(rf"^{name}\(.*\) -> ", text, re.MULTILINE) for name in calls)
    assert re.search(
        r"^Job\(id: int,|^Workload\(id: int,|^Training\(name: str,", text, re.MULTILINE
    )


def test_a_job_and_a_cloud_tell_drivers_in_one_type() -> None:
    declared = [kind.__annotations__["driver"] for kind in (sdk().Job, sdk().Cloud)]
    assert declared[0] == declared[1]


def test_package_says_that_it_is_typed() -> None:
    assert (SDK_FOLDER / "headnode_sdk" / "py.typed").is_file()
