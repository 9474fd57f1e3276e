"""Writes one variant of a pack: the candidate's materials, and apart from them the key."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from scenarios.packs.pack import Pack, load_pack
from scenarios.profile import DEFAULT, Profile


def build(
    pack: Pack | str,
    level: str,
    seed: int,
    out_dir: Path,
    profile: Profile = DEFAULT,
    key_file: Path | None = None,
) -> dict[str, object]:
    """Write materials and manifest.json to `out_dir`, the staff-only key only to `key_file`.

    A pure function of pack version, level, seed and profile: same arguments, same bytes.
    Returns the manifest. Raises PackNotFound for an unknown pack or level, OSError when a
    file cannot be written.
    """
    chosen = load_pack(pack) if isinstance(pack, str) else pack
    files = _materials(chosen, level, seed, profile)
    out_dir.mkdir(parents=True, exist_ok=True)
    for path, (_, text) in files.items():
        target = out_dir / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    manifest = _manifest(chosen, level, seed, files)
    _write_json(out_dir / "manifest.json", manifest)
    if key_file is not None:
        key_file.parent.mkdir(parents=True, exist_ok=True)
        _write_json(key_file, _key(chosen, level, seed, profile))
    return manifest


def _materials(pack: Pack, level: str, seed: int, profile: Profile) -> dict[str, tuple[str, str]]:
    """Path -> (kind, text), documents first, then the starter files."""
    files = {d.path: (d.kind, d.text) for d in pack.documents(level, profile, seed)}
    for path, text in pack.template(level).items():
        files[f"template/{path}"] = ("template", text)
    files["sections.json"] = ("sections", _sections(pack, level))
    return files


def _sections(pack: Pack, level: str) -> str:
    rows = [{"key": s.key, "title": s.title, "prompt": s.prompt} for s in pack.sections(level)]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def _manifest(
    pack: Pack, level: str, seed: int, files: dict[str, tuple[str, str]]
) -> dict[str, object]:
    rows = [
        {"path": path, "kind": kind, "sha256": sha256(text.encode()).hexdigest()}
        for path, (kind, text) in files.items()
    ]
    return {
        "pack": pack.name,
        "version": pack.version,
        "title": pack.title,
        "level": level,
        "seed": seed,
        "files": rows,
    }


def _key(pack: Pack, level: str, seed: int, profile: Profile) -> dict[str, object]:
    """Staff only: what is measured, on which families of days, with the interviewers' guide."""
    table = pack.level(level)
    return {
        "pack": pack.name,
        "level": level,
        "seed": seed,
        "digest": pack.digest,
        "families": list(table["families"]),
        "measures": [
            {"key": m.key, "label": m.label, "unit": m.unit, "better": m.better}
            for m in pack.measures(level)
        ],
        "guide": pack.guide(level, profile),
    }


def _write_json(path: Path, value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
