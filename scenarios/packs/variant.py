"""Writes one variant of a pack: the candidate's materials, and apart from them the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from scenarios.company.profile import DEFAULT, Profile
from scenarios.packs.pack import Pack, load_pack

_MANIFEST = "manifest.json"


def build(
    pack: Pack | str,
    level: str,
    seed: int,
    out_dir: Path,
    profile: Profile = DEFAULT,
    key_file: Path | None = None,
) -> dict[str, object]:
    """Write materials and manifest.json to `out_dir`, the staff-only key only to `key_file`.

    A pure function of pack version, level, seed and profile: same arguments, same bytes. Files of an
    earlier variant in the folder are removed. Returns the manifest. Raises PackNotFound for an unknown
    pack or level, ValueError for a profile that the pack cannot use, OSError when a file cannot be written.
    """
    chosen = load_pack(pack) if isinstance(pack, str) else pack
    files = _texts(chosen, level, seed, profile)
    _clear(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    for path, (_, _, text) in files.items():
        target = out_dir / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    manifest = _manifest(chosen, level, seed, profile, out_dir, files)
    _write_json(out_dir / _MANIFEST, manifest)
    if key_file is not None:
        key_file.parent.mkdir(parents=True, exist_ok=True)
        _write_json(key_file, key(chosen, level, seed, profile))
    return manifest


def _clear(folder: Path) -> None:
    """Remove what an earlier build listed there: a file of another seed would contradict this one's."""
    try:
        rows = json.loads((folder / _MANIFEST).read_bytes())["files"]
        paths = [folder / str(row["path"]) for row in rows]
    except (OSError, ValueError, LookupError, TypeError):
        return
    inside = folder.resolve()
    for path in paths:
        if inside in path.resolve().parents:
            path.unlink(missing_ok=True)


def _texts(pack: Pack, level: str, seed: int, profile: Profile) -> dict[str, tuple[str, str, str]]:
    """Path -> (kind, title, text) of what the pack itself says: documents, starter files, sections."""
    files = {d.path: (d.kind, d.title, d.text) for d in pack.documents(level, profile, seed)}
    for path, text in pack.template(level).items():
        files[f"template/{path}"] = ("template", path, text)
    files["sections.json"] = ("sections", "Sections", _sections(pack, level))
    return files


def _sections(pack: Pack, level: str) -> str:
    rows = [{"key": s.key, "title": s.title, "prompt": s.prompt} for s in pack.sections(level)]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def _manifest(
    pack: Pack,
    level: str,
    seed: int,
    profile: Profile,
    folder: Path,
    files: dict[str, tuple[str, str, str]],
) -> dict[str, object]:
    """The list of all files; a generator writes its own and says what else a candidate's page may know.

    The seed of a generated variant is left out: with it and this program anybody has the key.
    """
    manifest: dict[str, object] = {
        "pack": pack.name,
        "version": pack.version,
        "title": pack.title,
        "level": level,
    }
    if not (generator := pack.generator):
        return manifest | {
            "seed": seed,
            "files": [
                {"path": path, "kind": kind, "sha256": sha256(text.encode()).hexdigest()}
                for path, (kind, _, text) in files.items()
            ],
        }
    found = [(path, kind, title, "") for path, (kind, title, _) in files.items()]
    for one in generator.write(folder, profile, level, seed):
        found.append((one.path, one.kind, one.title, one.before))
    manifest["files"] = list(_rows(folder, found))
    manifest[generator.FACTS] = generator.facts(profile, level, seed)
    return manifest


def _rows(folder: Path, found: list[tuple[str, str, str, str]]) -> Iterator[dict[str, str]]:
    for path, kind, title, before in found:
        digest = sha256((folder / path).read_bytes()).hexdigest()
        yield {"path": path, "kind": kind, "title": title, "sha256": digest, "before": before}


def key(pack: Pack, level: str, seed: int, profile: Profile = DEFAULT) -> dict[str, object]:
    """Staff only: what is measured or, of a generated variant, what is true, with the interviewers' guide."""
    table = pack.level(level)
    told: dict[str, object] = {
        "pack": pack.name,
        "level": level,
        "seed": seed,
        "digest": pack.digest,
    }
    if generator := pack.generator:
        told |= generator.key(profile, level, seed)
        return told | {"guide": pack.guide(level, profile, seed)}
    return told | {
        "families": list(table["families"]),
        "measures": [
            {"key": m.key, "label": m.label, "unit": m.unit, "better": m.better}
            for m in pack.measures(level, profile)
        ],
        "guide": pack.guide(level, profile),
    }


def _write_json(path: Path, value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
