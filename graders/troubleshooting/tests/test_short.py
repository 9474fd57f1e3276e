"""What people shorten is written out before it is read, and nothing else is touched."""

from __future__ import annotations

import pytest

from graders.troubleshooting.short import written_out

NAMES = frozenset(
    [*(f"node-g{number:03d}" for number in range(1, 21)), "oss01", "leaf01", "scratch-OST0000"]
)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("act ckpt full", "activation checkpointing full"),
        ("act_ckpt full vs none", "activation checkpointing full vs none"),
        ("pwr cap, clk low", "power cap, clock low"),
        ("PL 425W", "power limit 425W"),
        ("1st NS dead", "1st name server dead"),
        ("g001,g009 slow", "node-g001,node-g009 slow"),
        ("n/a: g002+g003", "n/a: node-g002+node-g003"),
        ("node-g001/009/015 wait", "node-g001, node-g009, node-g015 wait"),
        ("g[001,003] wait", "node-g[001,003] wait"),
    ],
)
def test_short_forms_are_written_out(said: str, meant: str) -> None:
    assert written_out(said, NAMES) == meant


@pytest.mark.parametrize(
    "said",
    [
        "config.yaml:7 and /etc/cfg.d/mem.txt",
        "--mem 10 --pl=3",
        "node-g002, 128 GB",
        "node-g001/009 GiB",
        "node-g001/044",
        "AC lost on PSU2, pl is no limit",
        "d'un temps à l'autre",
    ],
)
def test_paths_options_figures_and_other_words_stay(said: str) -> None:
    assert written_out(said, NAMES) == said


def test_a_short_name_that_two_machines_share_stays() -> None:
    assert written_out("g001", frozenset(["node-g001", "gpu-g001"])) == "g001"
    assert written_out("g001", frozenset()) == "g001"
