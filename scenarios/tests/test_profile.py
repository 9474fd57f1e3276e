from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.company.profile import (
    DEFAULT,
    ProfileError,
    load_profile,
    parse_profile,
    read_profile,
)


def test_profile_without_keys_is_the_default() -> None:
    assert parse_profile({}) == DEFAULT


def test_profile_takes_what_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "company.toml"
    path.write_text(
        '[cluster]\nname = "Aurora"\nnodes = 32\ngpu_model = "A100"\n'
        "[prices]\nondemand_node_hour = 16\nspot_node_hour = 6.5\n"
    )
    profile = load_profile(path)
    assert (profile.cluster, profile.nodes, profile.gpu) == ("Aurora", 32, "A100")
    assert profile.ondemand_node_hour == 16.0


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"cluster": {"nodez": 4}}, "nodez"),
        ({"clusters": {}}, "clusters"),
        ({"cluster": 3}, "cluster"),
        ({"cluster": {"nodes": 2}}, "nodes"),
        ({"cluster": {"nodes": True}}, "nodes"),
        ({"cluster": {"nodes": 20.0}}, "nodes"),
        ({"cluster": {"gpus_per_node": 6}}, "gpus_per_node"),
        ({"cluster": {"gpu_model": "RTX"}}, "gpu_model"),
        ({"cluster": {"name": ""}}, "name"),
        ({"cluster": {"name": "a\nb"}}, "name"),
        ({"prices": {"spot_node_hour": -1}}, "spot_node_hour"),
        ({"prices": {"spot_node_hour": float("nan")}}, "spot_node_hour"),
        ({"prices": {"spot_node_hour": 90.0}}, "spot_node_hour"),
        ({"prices": {"overflow_gpu_hour": 0.5}}, "overflow_gpu_hour"),
    ],
)
def test_wrong_profile_is_refused_with_the_key_that_is_wrong(
    data: dict[str, object], named: str
) -> None:
    with pytest.raises(ProfileError, match=named) as refused:
        parse_profile(data)
    assert str(refused.value).endswith(".")


def test_profile_that_is_not_toml_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "company.toml"
    path.write_text("[cluster\n")
    with pytest.raises(ProfileError, match="not TOML"):
        load_profile(path)
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profile(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[cluster]\nnodes = " + "9" * 5_000, "too many digits"),
        (".".join(["a"] * 40_000) + " = 1", "very many points in line 1"),
        ("[cluster]\n[" + ".".join(["a"] * 40_000) + "]", "very many points in line 2"),
        ("a = {" + ".".join(["a"] * 40_000) + " = 1}", "very many points in line 1"),
    ],
)
def test_profile_that_would_take_the_memory_is_refused(text: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        read_profile(text)
