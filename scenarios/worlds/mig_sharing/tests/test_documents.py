from __future__ import annotations

import re
from dataclasses import replace

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.worlds.mig_sharing import WORLD
from scenarios.worlds.mig_sharing.tests.days import APART, PLAIN


@pytest.mark.parametrize("name", sorted(WORLD.documents))
@pytest.mark.parametrize("gpu", load_pack("automation/mig-sharing").data["accelerators"])
def test_documents_are_made_for_every_card_and_always_alike(name: str, gpu: str) -> None:
    profile = replace(DEFAULT, gpu=gpu)
    first = WORLD.documents[name](profile, APART, "5")
    assert first == WORLD.documents[name](profile, APART, "5")
    assert first.endswith("\n")
    assert profile.gpu_model.memory_mib > 0


def test_instances_are_listed_in_the_tool_s_own_columns() -> None:
    text = WORLD.documents["mig.txt"](DEFAULT, PLAIN, "5")
    table = [line for line in text.splitlines() if line[:1] in "|+" and line]
    assert {len(line) for line in table} == {57}
    assert "|   2  MIG 3g.40gb          9        2          4:4     |" in table
    assert "GPU  0 Profile ID 14 Placements: {0,2,4}:2" in text
    assert "GPU  0 Profile ID  0 Placement : {0}:8" in text


def test_the_scrape_has_instances_and_no_utilisation() -> None:
    text = WORLD.documents["metrics.prom"](DEFAULT, PLAIN, "5")
    assert "DCGM_FI_DEV_GPU_UTIL" not in text
    assert 'GPU_I_PROFILE="1g.10gb",GPU_I_ID="7",Hostname="n01"' in text
    for line in text.splitlines():
        if line.startswith("DCGM_FI_PROF_GR_ENGINE_ACTIVE"):
            assert 0.0 <= float(line.rpartition(" ")[2]) <= 1.0


def test_the_node_offers_what_its_layouts_hold() -> None:
    text = WORLD.documents["node.txt"](DEFAULT, PLAIN, "5")
    assert text.count("  nvidia.com/mig-1g.10gb:     20\n") == 2
    assert text.count("  nvidia.com/gpu:             3\n") == 2
    assert "rdma/hca_shared_devices_a" in text
    capacity, allocatable = text.split("Capacity:")[1].split("Allocatable:")
    for name in ("cpu", "memory"):
        all_of_it, left = (
            int(re.search(rf"  {name}: +(\d+)", part)[1])  # type: ignore[index]
            for part in (capacity, allocatable)
        )
        assert 0.9 * all_of_it < left < all_of_it
    shares = [int(share) for share in re.findall(r"\((\d+)%\)", text)]
    assert max(shares) <= 100
    alone = WORLD.documents["node.txt"](DEFAULT, replace(PLAIN, rdma=False), "5")
    assert "rdma" not in alone


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"nodes": 2}, "missing"),
        ({"nodes": 99, "tenants": {"a": "gpu"}}, "nodes must be a number"),
        ({"gpus": 3}, "Unknown setting gpus"),
        ({"menu": 1}, "menu must be true or false"),
    ],
)
def test_settings_that_are_wrong_are_named(table: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        WORLD.settings(table)


@pytest.mark.parametrize("tenants", [{}, {"a": "card"}, ["a"]])
def test_tenants_that_are_wrong_are_named(tenants: object) -> None:
    rest = {"nodes": 2, "service_load": 0.3, "training_load": 0.3, "largest_gang": 4}
    with pytest.raises(ValueError, match="tenants"):
        WORLD.settings({**rest, "tenants": tenants})


def test_words_speak_of_the_level() -> None:
    words = WORLD.words(DEFAULT, APART)
    assert words["alone"] == "cinder"
    assert words["tenants"] == "aster, boreal and cinder"
    assert (words["gpus"], words["slices"], words["p3"]) == ("24", "168", "3g.40gb")
