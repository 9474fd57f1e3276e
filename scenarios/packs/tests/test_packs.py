from __future__ import annotations

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from scenarios.company.profile import Profile
from scenarios.packs import Pack, PackInvalid, PackNotFound, all_packs, build, load_pack
from scenarios.simulator.agenda import HOUR
from scenarios.worlds.slurm_fair_partitions.controls import SETTLED
from scenarios.worlds.slurm_fair_partitions.ledger import WINDOW

AUTOSCALER = "automation/queue-autoscaler"


@pytest.fixture
def pack() -> Pack:
    return load_pack(AUTOSCALER)


def copy_of(pack: Pack, root: Path, name: str) -> Path:
    target = root / name
    shutil.copytree(pack.folder, target)
    return target


def test_copying_a_folder_makes_a_new_pack(pack: Pack, tmp_path: Path) -> None:
    copy_of(pack, tmp_path, "automation/my-own")
    assert [found.name for found in all_packs(tmp_path)] == ["automation/my-own"]
    mine = load_pack("automation/my-own", tmp_path)
    assert mine.title == pack.title
    assert mine.digest == pack.digest


def test_digest_changes_with_any_file(pack: Pack, tmp_path: Path) -> None:
    folder = copy_of(pack, tmp_path, "automation/changed")
    (folder / "mid" / "guide.md").write_text("Another guide.")
    assert load_pack("automation/changed", tmp_path).digest != pack.digest


def test_unknown_pack_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(PackNotFound, match=AUTOSCALER):
        load_pack("automation/../secrets")


def test_unknown_level_is_refused_with_the_levels_there_are(pack: Pack) -> None:
    with pytest.raises(PackNotFound, match="it has junior, mid, senior"):
        pack.brief("director")


def test_misspelt_key_of_a_manifest_is_named(pack: Pack, tmp_path: Path) -> None:
    folder = copy_of(pack, tmp_path, "automation/wrong")
    text = (folder / "pack.toml").read_text().replace("revision_minutes", "revison_minutes")
    (folder / "pack.toml").write_text(text)
    with pytest.raises(PackInvalid, match="revison_minutes"):
        load_pack("automation/wrong", tmp_path)


@pytest.mark.parametrize("name", [found.name for found in all_packs() if "world" in found.data])
def test_guides_tell_the_times_of_the_manifest(name: str, tmp_path: Path) -> None:
    folder = copy_of(load_pack(name), tmp_path, name)
    text = (folder / "pack.toml").read_text()
    (folder / "pack.toml").write_text(re.sub(r"(?m)^(\w*minutes) = \d+", r"\1 = 37", text))
    changed = load_pack(name, tmp_path)
    for level in changed.levels:
        guide = changed.guide(level)
        assert re.search(r"37 minutes\s+on\s+site,\s+37 as take-home,\s+37", guide), level
        assert "that 15 minutes" not in guide
        assert "that 20 minutes" not in guide


def test_revisions_of_programs_are_as_long_at_a_level_in_every_pack() -> None:
    packs = [found for found in all_packs() if "world" in found.data]
    found = {(level, pack.times(level).revision) for pack in packs for level in pack.levels}
    assert found == {("junior", 15), ("mid", 15), ("senior", 20)}


def test_many_workloads_are_called_in_the_plural() -> None:
    said = {load_pack(name).world.spans(5) for name in ("automation/gpu-idle-alerts", AUTOSCALER)}
    assert said == {"stretches of days", "days"}
    assert load_pack("automation/gpu-idle-alerts").world.spans(1) == "stretch of days"


@pytest.mark.nightly
def test_documents_state_by_which_figures_limits_are_judged() -> None:
    pack = load_pack("automation/slurm-fair-partitions")
    for level in pack.levels:
        page = next(one.text for one in pack.documents(level) if one.key == "api")
        assert f"within {SETTLED // HOUR} hours of its last change" in pack.brief(level)
        assert f"for most of {WINDOW // HOUR} hours" in pack.brief(level)
        assert f"changed again within {SETTLED // HOUR} hours" in page


@pytest.mark.parametrize("name", [found.name for found in all_packs()])
@pytest.mark.by_day(
    but=["automation/cluster-priorities", "automation/spot-checkpointing", "cost/fleet-bill"]
)
def test_every_pack_is_complete_at_every_level(name: str) -> None:
    found = load_pack(name)
    assert found.levels
    for level in found.levels:
        documents = found.documents(level)
        assert len({document.key for document in documents}) == len(documents)
        assert all("{{" not in document.text for document in documents)
        assert found.entry in found.template(level)
        assert found.read_only(level) <= found.template(level).keys()
        assert 0 < found.times(level).revision < found.times(level).on_site
        assert "{{" not in found.guide(level)
        assert "{{" not in found.brief(level)
        if found.generator:
            assert 5 <= len(found.sections(level)) <= 7
            continue
        assert len(found.sections(level)) == 6
        assert len(found.public_workloads(level)) >= 1
        assert int(found.level(level)["hidden"]) >= 5
        assert len(set(found.level(level)["families"])) >= 5


@pytest.mark.parametrize("name", [found.name for found in all_packs()])
def test_every_rubric_describes_five_levels_of_each_criterion_in_both_rounds(name: str) -> None:
    found = load_pack(name)
    for level in found.levels:
        criteria = found.rubric(level).criteria
        first = [criterion for criterion in criteria if criterion.round == 1]
        assert 5 <= len(first) <= 6
        second = [criterion.dimension for criterion in criteria if criterion.round == 2]
        assert second == ["adaptability"]
        for criterion in criteria:
            assert sorted(criterion.levels) == [1, 2, 3, 4, 5]
            assert len(set(criterion.levels.values())) == 5


def test_company_profile_shows_in_every_text(pack: Pack) -> None:
    company = Profile(cluster="Nordlys", nodes=40, gpu="H200", spot_node_hour=11.5)
    texts = {document.key: document.text for document in pack.documents("mid", company)}
    assert "Nordlys" in texts["brief"]
    assert "NVIDIA H200" in texts["environment"]
    assert "11.50 USD" in texts["environment"]
    assert 'modelName="NVIDIA H200"' in texts["metrics"]
    assert "0 to 16" in texts["environment"]


def read_all(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_build_writes_the_same_bytes_for_the_same_arguments(tmp_path: Path) -> None:
    for part in "ab":
        build(AUTOSCALER, "mid", 5, tmp_path / part)
    build(AUTOSCALER, "mid", 6, tmp_path / "c")
    first, again, other = (read_all(tmp_path / part) for part in "abc")
    assert first == again
    assert first["metrics.prom"] != other["metrics.prom"]


def test_build_lists_every_file_with_its_hash(tmp_path: Path) -> None:
    build(AUTOSCALER, "mid", 5, tmp_path)
    written = read_all(tmp_path)
    manifest = json.loads(written.pop("manifest.json"))
    listed = {row["path"]: row["sha256"] for row in manifest["files"]}
    assert listed == {path: sha256(body).hexdigest() for path, body in written.items()}


def test_key_is_written_only_to_its_own_file(pack: Pack, tmp_path: Path) -> None:
    key_file = tmp_path / "staff" / "key.json"
    build(pack, "mid", 5, tmp_path / "candidate", key_file=key_file)
    key = json.loads(key_file.read_text())
    assert key["families"] == pack.level("mid")["families"]
    shown = b"".join(read_all(tmp_path / "candidate").values()).decode()
    assert "Interviewer guide" not in shown
    assert "Reading the measures" not in shown
    for family in ("failure-heavy", "adversarial"):
        assert family not in shown


def test_a_golden_may_be_another_one_changed_and_says_where_the_change_no_longer_fits(
    pack: Pack, tmp_path: Path
) -> None:
    goldens = copy_of(pack, tmp_path, "automation/mine") / "goldens"
    (goldens / "mid").mkdir(exist_ok=True)
    (goldens / "a.py").write_text("first\nsecond\n")
    (goldens / "mid/changes.toml").write_text(
        '[b]\nof = "a.py"\nchanges = [["second", "third"]]\n'
        '[c]\nof = "a.py"\nchanges = [["fourth", "third"]]\n'
        '[d]\nof = "template"\nchanges = []\n'
    )
    mine = load_pack("automation/mine", tmp_path)
    assert mine.golden("mid", "b") == "first\nthird\n"
    assert mine.golden("mid", "d") == mine.template("mid")[mine.entry]
    with pytest.raises(PackInvalid, match="golden c: 'fourth' is not once in its source"):
        mine.golden("mid", "c")
    with pytest.raises(FileNotFoundError, match="has no golden b"):
        mine.golden("senior", "b")
