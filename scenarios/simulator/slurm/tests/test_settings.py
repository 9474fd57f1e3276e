from __future__ import annotations

import tomllib

import pytest

from scenarios.simulator.slurm.settings import Partition, Qos, read_settings

FULL = """
[slurm]
bf_interval = 60
half_life = 86400
fair_share = "classic"
preempt = "qos"
charge_remainder = false
weights = {fair_share = 1000, age = 10}

[slurm.qos.normal]
[slurm.qos.urgent]
priority = 5
preempt = ["normal"]

[slurm.partitions.main]
tier = 2

[[slurm.associations]]
account = "lab"
shares = 40
[[slurm.associations]]
account = "team"
parent = "lab"
[[slurm.associations]]
account = "team"
user = "ann"
shares = "parent"
"""


def test_table_is_read_into_settings() -> None:
    settings = read_settings(tomllib.loads(FULL))
    assert (settings.bf_interval, settings.half_life, settings.fair_share) == (
        60,
        86_400,
        "classic",
    )
    assert settings.weights.fair_share == 1_000
    assert settings.qos == {"normal": Qos(), "urgent": Qos(5, ("normal",))}
    assert settings.partitions == {"main": Partition(2, 1)}
    assert settings.tree.account == ["root", "lab", "team", "team"]
    assert settings.tree.parent == [-1, 0, 1, 2]
    assert settings.tree.shares == [1, 40, 1, None]
    assert not settings.charge_remainder


def test_no_table_is_first_come_first_served_with_backfill() -> None:
    settings = read_settings({})
    assert set(settings.weights) == {0}
    assert (settings.fair_share, settings.preempt) == ("none", "none")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bf_intervall = 3", "slurm has no entry bf_intervall; it knows"),
        ("bf_interval = 0", "slurm.bf_interval is 0; it should be 1 or more."),
        ("half_life = -1", "slurm.half_life is -1; it should be a whole number of 0 or more."),
        ('fair_share = "fair"', "slurm.fair_share is 'fair'; it is none, classic or fair-tree."),
        ("preempt = true", "slurm.preempt is True; it is none, qos or partition."),
        ("charge_remainder = 1", "slurm.charge_remainder is 1; it is true or false."),
        ("weights = {speed = 1}", "slurm.weights has no entry speed; it knows"),
        ("qos = 3", "slurm.qos should be a table."),
        ('qos.a.preempt = ["b"]', "slurm.qos.a.preempt should be a list of names under slurm.qos."),
        ("partitions.a.tier = 1.5", "slurm.partitions.a.tier is 1.5; it should be a whole number"),
        ('associations = [{user = "u"}]', "slurm.associations, entry 1 names no account."),
        ('associations = [{account = "a", parent = "b"}]', "account b stands in no earlier entry."),
    ],
)
def test_wrong_entry_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(ValueError, match="slurm") as caught:
        read_settings(tomllib.loads(f"[slurm]\n{text}"))
    assert said in str(caught.value)


def test_table_must_be_a_table() -> None:
    with pytest.raises(ValueError, match="slurm should be a table"):
        read_settings({"slurm": 3})
