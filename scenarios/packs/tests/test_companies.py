"""Every pack for six companies unlike the default one: nothing of that one is left in what a candidate gets."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from scenarios.company.profile import DEFAULT, Profile, complete, read_profile, to_toml
from scenarios.company.regions import around
from scenarios.packs import all_packs, build, load_pack
from scenarios.packs.tests.companies import companies

COMPANIES = companies()
CASES = [(company, pack.name) for company in COMPANIES for pack in all_packs()]
# Materials that a generator writes are long in the making: by day of each pack for two of the companies,
# so that each company has a pack of that sort.
GENERATED = [pack.name for pack in all_packs() if pack.generator]
TWO_EACH = {
    (company, GENERATED[turn // 2 % len(GENERATED)]) for turn, company in enumerate(COMPANIES)
}
BY_DAY = [case for case in CASES if case[1] not in GENERATED or case in TWO_EACH]
PLACES = r"Frankfurt|eu-central|Ireland|us-east|US East|Ohio|\bParis\b|Europe \("
# Stories that bring machines or clouds of their own, in places of their own: no company's profile has them.
OWN_PLACES = {"automation/cloud-bursting": "us-east"}
BINARY = (".parquet", ".gz", ".hncol")
OWN_CARD = "gpu/low-utilisation"
"""Played on a real card: the one that the site has, whatever the company owns."""


def handed_out(folder: Path) -> dict[str, str]:
    """Path -> text of everything that a candidate may open."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in BINARY
    }


def leftovers(profile: Profile, pack: str) -> str:
    """What would tell of the default company in this one's materials, as a pattern."""
    home = around(profile.first_region)
    ours = {home.near, home.far, home.beside, *re.findall(r"\w[\w -]+", home.home.name)}
    ours |= {home.home.key, home.away.key, *re.findall(r"\w[\w -]+", home.away.name)}
    ours = {one.strip() for one in ours}
    theirs = [one for one in PLACES.split("|") if one.strip(r"\b").replace("\\", "") not in ours]
    theirs = [
        one for one in theirs if one != OWN_PLACES.get(pack) and "Europe" not in "".join(ours) + one
    ]
    found = [rf"\b{DEFAULT.cluster}\b", *theirs]
    if profile.currency != DEFAULT.currency:
        found += [r"\bUSD\b", r"\$\d[\d,.]*\d", "€"]
    if pack != OWN_CARD and not any(offer.gpu == "H100" for offer in profile.price_book.offers):
        found.append(r"\bH100\b")
    names = {team.name for team in profile.teams}
    found += [one.name for one in DEFAULT.teams if one.name not in names and " " in one.name]
    return "|".join(found)


@pytest.mark.by_day("company,name", BY_DAY)
@pytest.mark.parametrize(("company", "name"), CASES)
def test_nothing_of_the_default_company_is_left(company: str, name: str, tmp_path: Path) -> None:
    profile, pack = COMPANIES[company], load_pack(name)
    level = pack.levels[-1]
    if said := pack.refusal(profile):
        assert profile.gpu in said
        with pytest.raises(ValueError, match="choose another exercise"):
            build(pack, level, 3, tmp_path, profile)
        return
    build(pack, level, 3, tmp_path, profile)
    texts = handed_out(tmp_path) | {"the brief": pack.brief(level, profile, 3)}
    pattern = re.compile(leftovers(profile, name))
    found = {
        f"{path}: {text[max(0, hit.start() - 40) : hit.end() + 40]!r}"
        for path, text in texts.items()
        for hit in list(pattern.finditer(text))[:2]
    }
    assert not found, "\n".join(sorted(found))


@pytest.mark.parametrize("company", list(COMPANIES))
def test_a_company_reads_back_as_it_was_written(company: str) -> None:
    whole = complete(COMPANIES[company])
    again = read_profile(to_toml(whole))
    assert (again.currency, again.per_usd) == (whole.currency, whole.per_usd)
    assert to_toml(complete(again)) == to_toml(whole)


@pytest.mark.nightly
def test_a_bill_is_of_the_region_that_the_profile_names(tmp_path: Path) -> None:
    build("cost/fleet-bill", "senior", 3, tmp_path, COMPANIES["tokyo"])
    rows = (tmp_path / "costs/focus.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert sum("Asia Pacific (Tokyo)" in row for row in rows) > len(rows) / 2
    assert all(",JPY," in row for row in rows)


@pytest.mark.parametrize("name", [pack.name for pack in all_packs()])
@pytest.mark.by_day(but=["cost/fleet-bill"])
def test_a_candidate_reads_that_a_large_fleet_is_shown_in_part(name: str) -> None:
    pack = load_pack(name)
    level = pack.levels[0]
    said = "you see a part of"
    assert said not in pack.brief(level, DEFAULT, 3)
    if pack.refusal(COMPANIES["large"]) or name == OWN_CARD:
        return
    brief = pack.brief(level, COMPANIES["large"], 3)
    assert (f"{said} **boreas**" in brief) == (not pack.own_cluster)


def test_a_cluster_that_is_the_same_for_everybody_is_no_part_of_the_company() -> None:
    [pack] = [pack for pack in all_packs() if pack.own_cluster]
    assert pack.own_cluster == "osprey"
    large = replace(DEFAULT, cluster="boreas", nodes=64, whole=2000)
    assert large.fleet_nodes > large.nodes
    for profile in (DEFAULT, large):
        for level in pack.levels:
            brief = pack.brief(level, profile, 3)
            assert f"no part of **{profile.cluster}**" in brief
            assert "you see a part of" not in brief
    assert "no part of" not in pack.brief("mid", replace(DEFAULT, cluster="osprey"), 3)


def test_a_large_fleet_is_shown_in_part() -> None:
    large = COMPANIES["large"]
    assert (large.nodes, large.all_nodes, large.fleet_nodes) == (64, 2000, 2000)
    part = large.in_part(160)
    assert sum(one.count * one.gpus for one in part.node_types) == 160
    assert DEFAULT.in_part(160) is DEFAULT
