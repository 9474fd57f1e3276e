from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.__main__ import main

AUTOSCALER = "automation/queue-autoscaler"


def test_list_names_every_pack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    packs = json.loads(capsys.readouterr().out)["packs"]
    row = next(pack for pack in packs if pack["name"] == AUTOSCALER)
    assert row.keys() == {"name", "kind", "levels", "version", "title"}
    assert row["levels"] == ["junior", "mid", "senior"]


def test_build_writes_materials_and_key(tmp_path: Path) -> None:
    arguments = ["build", AUTOSCALER, "--level", "mid", "--seed", "3", "--out"]
    key = tmp_path / "key.json"
    assert main([*arguments, str(tmp_path / "out"), "--key", str(key)]) == 0
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert (tmp_path / "out" / "metrics.prom").is_file()
    assert key.is_file()


@pytest.mark.parametrize(
    ("pack", "level", "extra", "said"),
    [
        ("automation/nothing", "mid", [], "no pack"),
        (AUTOSCALER, "mid", ["--profile", "absent.toml"], "cannot be read"),
        (AUTOSCALER, "mid", ["--key", "{out}/key.json"], "outside --out"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    pack: str,
    level: str,
    extra: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = str(tmp_path / "out")
    extra = [part.replace("{out}", out) for part in extra]
    assert main(["build", pack, "--level", level, "--seed", "1", "--out", out, *extra]) == 2
    message = capsys.readouterr().err
    assert said in message
    assert message.count("\n") == 1
    assert not Path(out).exists()
