"""Packs whose materials a generator writes: what their manifest may say, and what becomes of a variant."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scenarios.company.profile import Profile
from scenarios.packs import Pack, PackInvalid, all_packs, build, load_pack
from scenarios.packs.generated import Generator, UnknownGenerator, load_generator

NAME = "troubleshooting/slow-training"
GENERATED = [pack.name for pack in all_packs() if pack.generator]


@pytest.fixture
def pack() -> Pack:
    return load_pack(NAME)


def changed(pack: Pack, root: Path, old: str, new: str) -> str:
    """A copy whose pack.toml says something else; the copy's name."""
    target = root / "troubleshooting" / "changed"
    shutil.copytree(pack.folder, target)
    manifest = target / "pack.toml"
    text = manifest.read_text(encoding="utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new, 1), encoding="utf-8")
    return "troubleshooting/changed"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('materials = "troubleshooting"', 'materials = "weather"', "No generator 'weather'"),
        ('materials = "troubleshooting"', 'materials = "simulator"', "No generator 'simulator'"),
        (
            'materials = "troubleshooting"',
            'materials = "troubleshooting"\nworld = "queue_autoscaler"',
            "world belongs to",
        ),
        (
            'materials = "troubleshooting"',
            'materials = "troubleshooting"\nanchor = 1',
            "unknown key anchor;",
        ),
        ("[levels.mid]", "[levels.principal]", "a level is one of junior, mid, senior"),
        ("[levels.mid]", "[levels.mid]\nhidden = 5", "hidden belongs to"),
        ("[levels.mid]\nminutes = 40", "[levels.mid]", "the key minutes is missing"),
        ("[levels.mid]", "[levels.mid]\nminute = 3", "unknown key minute;"),
    ],
)
def test_a_wrong_manifest_is_refused_by_name(
    pack: Pack, tmp_path: Path, old: str, new: str, said: str
) -> None:
    name = changed(pack, tmp_path, old, new)
    with pytest.raises(PackInvalid, match=said) as raised:
        load_pack(name, tmp_path)
    assert str(raised.value).startswith("troubleshooting/changed/pack.toml")


def test_a_module_without_the_functions_is_no_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    from scenarios.troubleshooting import variant

    load_generator.cache_clear()
    monkeypatch.delattr(variant, "facts")
    with pytest.raises(UnknownGenerator, match="is no generator: it needs LEVELS"):
        load_generator("troubleshooting")
    monkeypatch.undo()
    load_generator.cache_clear()
    assert isinstance(load_generator("troubleshooting"), Generator)


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.by_day(but=["cost/fleet-bill"])
def test_every_placeholder_is_one_that_the_generator_fills(name: str) -> None:
    found = load_pack(name)
    assert found.generator is not None
    for level in found.levels:
        assert set(found.words(level, seed=4)) == set(found.generator.WORDS)
        for document in found.documents(level, seed=4):
            assert "{{" not in document.text
            assert "  " not in document.text.replace("\n   ", "").replace("\n  ", "")


@pytest.mark.parametrize("level", ["junior", "mid", "senior"])
def test_template_sections_and_schema_agree(pack: Pack, level: str) -> None:
    keys = [section.key for section in pack.sections(level)]
    template = pack.template(level)
    answer, schema = (json.loads(template[f"answer{end}.json"]) for end in ("", ".schema"))
    assert list(answer["sections"]) == keys
    assert answer["hypotheses"] == []
    assert list(schema["properties"]["sections"]["properties"]) == keys
    kinds = [one["properties"]["kind"]["const"] for one in schema["$defs"]["pin"]["oneOf"]]
    assert kinds == ["log", "config", "chart", "command"]


def test_levels_differ_in_more_than_their_minutes(pack: Pack) -> None:
    prompts = [
        tuple(s.prompt for s in pack.sections(level)) for level in ("junior", "mid", "senior")
    ]
    assert len({text for level in prompts for text in level}) == sum(
        len(level) for level in prompts
    )
    guides = [pack.guide(level) for level in pack.levels]
    assert "overlap" in guides[2]
    assert "overlap" not in guides[0]
    assert [d.key for d in pack.documents("senior")] == [
        "brief",
        "environment",
        "stakes",
        "tools",
        "times",
    ]


def test_brief_is_of_the_seed_and_of_the_company(pack: Pack) -> None:
    briefs = {pack.brief("mid", seed=seed) for seed in (1, 2, 1)}
    assert len(briefs) == 2
    company = Profile(cluster="Nordlys", nodes=12, gpu="H200")
    texts = {d.key: d.text for d in pack.documents("mid", company, 1)}
    assert "nordlys" in texts["brief"]
    assert "NVIDIA H200" in texts["environment"]
    assert "\n12 nodes" in texts["environment"]


def test_files_of_an_earlier_variant_are_removed_and_nothing_else(tmp_path: Path) -> None:
    folder, other = tmp_path / "out", tmp_path / "other.txt"
    folder.mkdir()
    for path in (folder / "old.log", folder / "mine.txt", other):
        path.write_text("x")
    rows = [{"path": "old.log"}, {"path": "../other.txt"}, {"path": "never.txt"}]
    (folder / "manifest.json").write_text(json.dumps({"files": rows}))
    build("automation/queue-autoscaler", "mid", 5, folder)
    assert not (folder / "old.log").exists()
    assert (folder / "mine.txt").exists()
    assert other.exists()
