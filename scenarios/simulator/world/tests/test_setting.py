"""A world's table in a cluster file: read whole or refused with one sentence."""

from __future__ import annotations

import tomllib

import pytest

from scenarios.simulator.world.setting import AutoscalerSetting, Setting, Window, read_setting

GOOD = """
gpus_per_node = 8
sample_s = 600
[[pools]]
name = "owned"
nodes = 4
price = 12
[[pools]]
name = "spot"
most = 4
spot = "google"
reclaim_hours = 10.5
[failures]
node_hours = 900
[checkpoint]
every_s = 600
[[windows]]
pool = "owned"
first_s = 86400
length_s = 7200
[autoscaler]
evict = true
"""


def test_table_becomes_a_setting() -> None:
    setting = read_setting(tomllib.loads(GOOD))
    assert isinstance(setting, Setting)
    assert [(pool.name, pool.slots, pool.elastic) for pool in setting.pools] == [
        ("owned", 4, False),
        ("spot", 4, True),
    ]
    assert setting.windows == (Window("owned", 86_400, 7_200),)
    assert setting.autoscaler == AutoscalerSetting(evict=True)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('spot = "google"', 'spot = "moon"', "moon"),
        ("nodes = 4", "nodes = -4", "nodes"),
        ("nodes = 4", 'nodes = "four"', "nodes"),
        ("nodes = 4", "nodse = 4", "nodse"),
        ("[failures]", "[faliures]", "faliures"),
        ('pool = "owned"', 'pool = "other"', "other"),
        ('name = "spot"', 'name = "owned"', "name"),
        ("gpus_per_node = 8", "gpus_per_node = 0", "gpus_per_node"),
        ("gpus_per_node = 8", "", "gpus_per_node"),
        ("evict = true", "evict = 1", "evict"),
        ("evict = true", "scan_s = 0", "scan_s"),
        ("first_s = 86400", "", "first_s"),
        ("most = 4", "most = 4\nleast = 5", "spot"),
    ],
)
def test_what_cannot_be_is_named(old: str, new: str, word: str) -> None:
    assert old in GOOD
    with pytest.raises(ValueError, match=word):
        read_setting(tomllib.loads(GOOD.replace(old, new, 1)))
