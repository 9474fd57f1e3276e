"""What a candidate takes home: the answer so far, the library, the simulator and the public workloads."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import scenarios
from graders.inprocess import SDK_FOLDER
from graders.trimmed import asked_for, trimmed
from graders.workloads import public_workload
from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs import Pack
from scenarios.packs.documents import fill

LOCAL_FOLDER = Path(__file__).parent / "local"
KIT_PAGE = LOCAL_FOLDER / "KIT.md"
SOURCES = Path(scenarios.__file__).parent
FORMAT = 1
"""Of workloads.json; the local simulator refuses any other."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a zip, so that the same kit has the same bytes."""
MODE = 0o100644 << 16

Files = dict[str, bytes]


class NoKit(ValueError):
    """This exercise cannot be worked on elsewhere; the message is one sentence."""


def kit_files(
    pack: Pack,
    level: str,
    seed: int,
    files: Mapping[str, str],
    written: Mapping[str, str],
    profile: Profile = DEFAULT,
) -> Files:
    """Path -> bytes of the kit for a variant: a pure function of what is given and of the sources.

    `files` is the answer, `written` the sections' texts by key. Nothing of the variant's seed is
    in it but the seeds of public workloads, from which it cannot be computed. Raises NoKit for a
    pack that is not played on a simulated cluster.
    """
    if "world" not in pack.data:
        raise NoKit(f"{pack.title} is not played on a simulated cluster: there is no kit for it.")
    found = {f"answer/{path}": text.encode() for path, text in files.items()}
    for section in pack.sections(level):
        text = written.get(section.key, "")
        found[f"written/{section.key}.md"] = f"# {section.title}\n\n{text}\n".encode()
    for document in pack.documents(level, profile):
        found[f"documents/{document.path}"] = document.text.encode()
    found |= _below("headnode-sdk", _package(SDK_FOLDER, "headnode_sdk"))
    found |= _below("headnode-local", _package(LOCAL_FOLDER, "headnode_local"))
    found |= _below("headnode-local", sources_of(pack.world.name))
    found["workloads.json"] = _workloads(pack, level, seed, profile)
    found["README.md"] = _readme(pack, level)
    return dict(sorted(found.items()))


def _below(folder: str, files: Mapping[str, bytes]) -> Files:
    return {f"{folder}/{path}": body for path, body in files.items()}


@cache
def _package(folder: Path, name: str) -> Files:
    """An installable folder: pyproject.toml, its pages and the package itself."""
    inside = [
        path
        for path in sorted((folder / name).rglob("*"))
        if path.suffix in (".py", ".typed") and "tests" not in path.relative_to(folder).parts
    ]
    pages = [path for path in sorted(folder.glob("*.md")) if path != KIT_PAGE]
    paths = [folder / "pyproject.toml", *pages, *inside]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _workloads(pack: Pack, level: str, seed: int, profile: Profile) -> bytes:
    names = [name for name, _ in pack.public_workloads(level)]
    found = [public_workload(pack, level, seed, name) for name in names]
    data: dict[str, Any] = {
        "format": FORMAT,
        "title": pack.title,
        "level": level,
        "entry": pack.entry,
        "world": pack.world.name,
        "settings": pack.level(level).get("settings", {}),
        "profile": profile.basics(),
        "workloads": [
            {"name": one.name, "title": one.title, "family": one.family, "seed": one.seed}
            for one in found
        ],
    }
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def _readme(pack: Pack, level: str) -> bytes:
    rows = pack.public_workloads(level)
    words = {
        "title": pack.title,
        "level": level,
        "entry": pack.entry,
        "first": rows[0][0],
        "workloads": ", ".join(f"{name} ({title})" for name, title in rows),
    }
    return fill(KIT_PAGE.read_text(encoding="utf-8"), words, KIT_PAGE).encode()


@cache
def sources_of(world: str) -> Files:
    """The simulator as far as one world needs it: path -> bytes, from the folder `scenarios` down.

    What is not reached by an import is left out, and so are packs, other worlds and tests. With a
    world's code comes the data beside it. How figures become what is judged stays at home: a kit that
    carried it could be read instead of the brief.
    """
    todo = ["scenarios.company.profile", "scenarios.worlds.calls", f"scenarios.worlds.{world}"]
    modules: set[str] = set()
    while todo:
        name = todo.pop()
        if name in modules or _path_of(name) is None:
            continue
        modules.add(name)
        todo += [name.rpartition(".")[0], *_imported(name)]
    paths = [path for name in modules if (path := _path_of(name))]
    paths += (SOURCES / "worlds" / world).glob("*.toml")
    root = SOURCES.parent
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(paths)}
    return found | _without_measures(world, modules, root)


def _without_measures(world: str, modules: set[str], root: Path) -> Files:
    """The files that say how a day is judged, with no more than what prints its figures."""
    judging = (f"scenarios.worlds.{world}.measures", "scenarios.worlds.averages")
    texts = {name: path.read_text(encoding="utf-8") for name in modules if (path := _path_of(name))}
    found: Files = {}
    for name in judging:
        path = _path_of(name)
        if name in texts and path:
            texts[name] = trimmed(texts[name], asked_for(texts, name), ("MEASURES",))
            found[path.relative_to(root).as_posix()] = texts[name].encode()
    return found


def _path_of(module: str) -> Path | None:
    """The file of one of our modules; None for a name that is none."""
    top, _, rest = module.partition(".")
    if top != "scenarios":
        return None
    path = SOURCES.joinpath(*rest.split(".")) if rest else SOURCES
    tries = (path / "__init__.py", path.with_suffix(".py"))
    return next((found for found in tries if found.is_file()), None)


def _imported(module: str) -> Iterator[str]:
    path = _path_of(module)
    if path is None:
        return
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def zipped(folder: str, files: Mapping[str, bytes]) -> bytes:
    """The files below one folder as a zip; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, body in files.items():
            entry = zipfile.ZipInfo(f"{folder}/{path}", LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = MODE
            archive.writestr(entry, body)
    return out.getvalue()


def kit_name(pack: Pack, level: str) -> str:
    """The kit's folder, and its zip's name without the suffix."""
    return f"{pack.name.rpartition('/')[2]}-{level}"
