from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.front import within
from scenarios.worlds.spot_checkpointing import WORLD
from scenarios.worlds.spot_checkpointing.families import FAMILIES, draw_trouble
from scenarios.worlds.spot_checkpointing.setting import cluster_config, open_run, read_setting
from scenarios.worlds.spot_checkpointing.tests.weeks import ONE_ZONE, TWO_REGIONS, TWO_ZONES

TABLE: dict[str, Any] = {
    "hours": 96,
    "zones": ["east-1a", "east-1b"],
    "quota_gb": 1200,
    "limit_gb": 2400,
    "trainings": [
        {
            "name": "tune",
            "model": "13B",
            "checkpoint_gb": 182,
            "steps": 72_000,
            "step_s": 3.6,
            "nodes": 4,
            "least": 4,
            "most": 4,
            "deadline_h": 96,
        }
    ],
}


def test_settings_are_read() -> None:
    found = read_setting(TABLE)
    assert found.regions == ("east-1",)
    assert found.trainings[0].step_ms == 3600
    assert cluster_config(DEFAULT, found).ondemand_cost == pytest.approx(72 * 4 * 27.6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hour": 96}, "Unknown setting hour"),
        ({"hours": 1}, "hours must be"),
        ({"zones": []}, "one to four"),
        ({"trainings": []}, "one to three"),
        ({"trainings": [{**TABLE["trainings"][0], "deadline_h": 97}]}, "after the end"),
        ({"trainings": [{**TABLE["trainings"][0], "least": 5}]}, "must rise"),
        ({"trainings": [{**TABLE["trainings"][0], "stepps": 5}]}, "Unknown setting stepps"),
    ],
)
def test_wrong_settings_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_setting({**TABLE, **change})


@pytest.mark.parametrize("key", ["zones", "hours"])
def test_a_missing_setting_is_named(key: str) -> None:
    with pytest.raises(ValueError, match=f"The setting {key} is missing"):
        read_setting({name: value for name, value in TABLE.items() if name != key})


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_trouble_keeps_to_the_bounds_that_the_texts_state(family: str, seed: str) -> None:
    config = cluster_config(DEFAULT, read_setting(TABLE))
    trouble = draw_trouble(family, config, seed)
    assert trouble.api.write_timeout <= 1 / 12
    assert trouble.api.read_timeout <= 1 / 50
    assert all(end - begin <= 8 * MINUTE for begin, end in trouble.api.throttled)
    assert all(end - begin <= 12 * MINUTE for begin, end in trouble.api.stale)
    assert all(40 * MINUTE <= e - b <= 200 * MINUTE for spells in trouble.dry for b, e in spells)
    assert all(9 * HOUR <= mean <= 40 * HOUR for mean in trouble.reclaim_means)
    assert trouble.down_mean >= 80 * HOUR
    assert trouble.slow_mean >= 90 * HOUR
    assert max(trouble.start_failure, trouble.mute, trouble.corrupt) <= 1 / 8
    for zone, points in zip(config.zones, trouble.prices, strict=True):
        assert all(0 < price < zone.ondemand_price for _, price in points)
        assert points[-1][0] >= config.length
    for wave in trouble.waves:
        assert within(wave.at, trouble.dry[wave.zone])


def test_plain_settings_have_one_price_and_no_hidden_faults() -> None:
    plain = replace(ONE_ZONE, plain=True)
    week = open_run(DEFAULT, plain, "adversarial", "plain")
    assert week.world.trouble.mute == 0
    assert week.world.trouble.prices == (((0, DEFAULT.spot_node_hour),),)
    assert all(e - b <= HOUR for spells in week.world.trouble.dry for b, e in spells)


def test_a_divergence_lies_in_the_middle_and_moves_with_the_seed() -> None:
    places = []
    for seed in "abcd":
        week = open_run(DEFAULT, replace(ONE_ZONE, spikes=1), "steady", seed)
        [place] = week.world.trainings[0].spikes_left
        assert 0.2 * 3000 <= place <= 0.75 * 3000
        places.append(place)
    assert len(set(places)) == 4


def test_the_goal_is_half_the_price_at_usual_prices_and_follows_the_discount() -> None:
    assert cluster_config(DEFAULT, read_setting(TABLE)).saving_asked == 50
    dear = cluster_config(replace(DEFAULT, spot_node_hour=24.0), read_setting(TABLE))
    assert dear.saving_asked == 10
    assert dear.goal_cost == pytest.approx(0.9 * dear.ondemand_cost)


@pytest.mark.parametrize(
    "setting", [ONE_ZONE, TWO_ZONES, TWO_REGIONS], ids=["one", "two", "regions"]
)
def test_documents_are_made_from_the_seed_and_say_what_they_are(setting: Any) -> None:
    setting = replace(setting, trainings=(replace(setting.trainings[0], steps=72_000),))
    for name, make in WORLD.documents.items():
        assert make(DEFAULT, setting, "7") == make(DEFAULT, setting, "7"), name
    scrape = WORLD.documents["metrics.prom"](DEFAULT, setting, "7")
    assert 'DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-' in scrape
    assert 'trainer_loss{training="tune"}' in scrape
    clocks = [
        int(line.rsplit(" ", 1)[1])
        for line in scrape.splitlines()
        if line.startswith("DCGM_FI_DEV_SM_CLOCK{")
    ]
    assert len(clocks) == 32
    assert sum(clock < 990 for clock in clocks) == 8
    log = WORLD.documents["last-run.log"](DEFAULT, setting, "7")
    assert "launch tune on 4 nodes" in log
    assert len(log.splitlines()) <= 61
    prices = WORLD.documents["spot-prices.csv"](DEFAULT, setting, "7").splitlines()
    assert prices[0] == "time,zone,usd_per_node_hour"
    assert len(prices) == 1 + 96 * len(setting.zones)


def test_figures_come_out_short_and_in_a_sentence() -> None:
    week = open_run(DEFAULT, TWO_ZONES, "steady", "words")
    week.run_out()
    figures = week.figures()
    short = WORLD.summary(figures)
    assert short["broken_rules"] == [{"t": 43_200, "rule": "tune missed its deadline"}]
    assert short["goodput_pct"] == 0.0
    assert (
        WORLD.account(figures) == "The training was not finished for 203 % of the on-demand price."
    )
