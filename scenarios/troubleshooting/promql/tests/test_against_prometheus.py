"""Expressions whose answers have to be those of the real Prometheus."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.promql.engine import Engine
from scenarios.troubleshooting.promql.tests.prometheus import ask, prometheus
from scenarios.troubleshooting.promql.tests.small import END, MINUTE, START, small_file
from scenarios.troubleshooting.promql.vectors import Label, Scalar, Vector

STEP_MS = 37_000
"""No multiple of a scrape interval, so that windows begin and end anywhere."""
EXPRESSIONS = (
    "gpu_temp",
    'gpu_temp{Hostname="gpu-n002",gpu!="1"}',
    'gpu_temp{Hostname=~"gpu-n00[13]",gpu!~"0|2"} offset 7m',
    '{__name__=~"node_.*",instance=~".*n001.*"}',
    'gpu_temp{hpc_job=""}',
    'gpu_temp{hpc_job=~"10[12]"}',
    f"gpu_temp @ {START // 1000 + 3000}",
    "gpu_temp @ start() - gpu_temp @ end()",
    "rate(gpu_energy[1m])",
    "rate(node_sent_bytes_total[5m])",
    "irate(node_sent_bytes_total[5m])",
    "increase(node_sent_bytes_total[10m] offset 4m)",
    "increase(link_downed_total[30m])",
    "delta(gpu_temp[5m])",
    "idelta(gpu_temp[2m])",
    "deriv(gpu_temp[10m])",
    "predict_linear(gpu_temp[10m], 600)",
    "avg_over_time(gpu_temp[3m])",
    "min_over_time(node_load1[7m]) + max_over_time(node_load1[7m])",
    "sum_over_time(node_load1[4m]) / count_over_time(node_load1[4m])",
    "stddev_over_time(gpu_temp[10m])",
    "quantile_over_time(0.9, gpu_temp[10m])",
    "last_over_time(gpu_temp[2m])",
    "changes(gpu_temp[10m])",
    "resets(node_sent_bytes_total[20m])",
    'absent_over_time(gpu_temp{gpu="0",hpc_job="101"}[5m])',
    "sum by (Hostname) (gpu_temp)",
    "avg without (gpu) (gpu_temp)",
    "min(gpu_temp)",
    "max by (gpu) (gpu_temp)",
    "count by (hpc_job) (gpu_temp)",
    "stddev by (Hostname) (gpu_temp)",
    "quantile by (Hostname) (0.25, gpu_temp)",
    "topk by (Hostname) (2, rate(gpu_energy[5m]))",
    "bottomk(3, rate(node_sent_bytes_total[5m]))",
    "group by (device) (link_downed_total)",
    "gpu_temp > 46 and on (Hostname, gpu) rate(gpu_energy[5m]) > 480",
    "gpu_temp or node_load1",
    'gpu_temp unless on (Hostname) gpu_temp{gpu="3"} > 45',
    "gpu_temp / on (Hostname, gpu) rate(gpu_energy[5m])",
    "gpu_temp - on (Hostname) group_left () avg by (Hostname) (gpu_temp)",
    "node_sent_bytes_total * ignoring (device) group_left node_load1",
    "max by (Hostname) (gpu_temp) * on (Hostname) group_right (hpc_job) gpu_temp",
    "node_load1 > bool 40",
    "node_load1 >= 20 <= 60",
    "2 * node_load1 % 7 ^ 2 - -1",
    "100 < node_load1 * 2",
    "abs(node_load1 - 50)",
    "ceil(node_load1) + floor(node_load1) + round(node_load1, 5)",
    "clamp(node_load1, 20, 60) + clamp_min(node_load1, 30) - clamp_max(node_load1, 40)",
    "sqrt(node_load1) + ln(node_load1) + sgn(node_load1 - 40)",
    "node_load1 / (node_load1 - node_load1)",
    'absent(gpu_temp{Hostname="gpu-n002"})',
    "scalar(avg(gpu_temp)) + time() / 1e9",
    "vector(3) + hour() + minute(vector(time()))",
    'label_replace(node_load1, "Hostname", "$1", "instance", "(.*):.*")',
    'label_join(gpu_temp{gpu="0"}, "place", "/", "Hostname", "gpu")',
    'sum by (Hostname) (gpu_temp) + on (Hostname) label_replace(node_load1, "Hostname", "$1", "instance", "(.+):(\\\\d+)")',  # noqa: E501
    "max_over_time(sum(gpu_temp)[20m:1m])",
    "avg_over_time(rate(node_sent_bytes_total[5m])[15m:30s] offset 3m)",
    "histogram_quantile(0.9, rate(lookup_seconds_bucket[5m]))",
    "histogram_quantile(0.05, sum by (le) (rate(lookup_seconds_bucket[3m])))",
    'histogram_quantile(scalar(node_load1{instance=~".*n001.*"}) / 80, lookup_seconds_bucket)',
    'histogram_quantile(0.5, lookup_seconds_bucket{le!="+Inf"})',
    'histogram_quantile(0.5, rate(lookup_seconds_bucket{le!="0.05"}[5m]) or vector(1))',
    'histogram_quantile(0.5, label_replace(gpu_temp, "le", "$1", "gpu", "(.*)"))',
    "histogram_quantile(1.5, lookup_seconds_bucket) or histogram_quantile(-1, lookup_seconds_bucket)",
    "timestamp(node_load1)",
    "timestamp((node_load1 offset 7m))",
    "timestamp(node_load1 + 1) - time()",
    "time() - timestamp(link_downed_total)",
    'count_values("celsius", gpu_temp)',
    'count_values by (Hostname) ("degrees", round(gpu_temp / 3, 0.25))',
    'count_values without (gpu) ("state", floor(gpu_temp / 10) / (floor(gpu_temp / 10) - 4))',
    "month() + year() + day_of_year() + days_in_month() + day_of_month() + day_of_week()",
    "hour(timestamp(node_load1)) * 60 + minute(timestamp(node_load1))",
    "year(vector(time() - 400 * 86400)) + days_in_month(vector(time() - 230 * 86400))",
    "holt_winters(node_load1[10m], 0.4, 0.2)",
    'quantile_over_time(scalar(node_load1{instance=~".*n001.*"}) / 90, gpu_temp[5m])',
    "deg(sin(node_load1)) + rad(cos(node_load1)) + tan(node_load1)",
    "asin(node_load1 / 90) + acos(node_load1 / 90) + atan(node_load1)",
    "sinh(node_load1 / 90) + cosh(node_load1 / 90) + tanh(node_load1)",
    "asinh(node_load1) + acosh(node_load1 + 1) + atanh(node_load1 / 91)",
    "sum by (instance) (node_load1 atan2 (node_load1 - 40))",
    "log2(node_load1) + log10(node_load1) + exp(node_load1 / 90)",
    "stdvar_over_time(gpu_temp[10m]) + present_over_time(gpu_temp[10m])",
    "stdvar by (Hostname) (gpu_temp) + pi()",
)
NATIVE = (
    "histogram_count(gpu_temp)",
    "histogram_sum(gpu_temp)",
    "histogram_fraction(0, 1, gpu_temp)",
)
"""Of native histograms: Prometheus answers with nothing where there are none."""
INSTANT = ("sort_desc(gpu_temp)", "topk(4, gpu_temp)", "gpu_temp[2m]", "1 + 1", "sort(node_load1)")


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> Columns:
    return small_file(tmp_path_factory.mktemp("small") / "small.hncol")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, columns: Columns) -> Iterator[str]:
    with prometheus(tmp_path_factory.mktemp("prometheus"), columns) as url:
        yield url


def table(found: Vector | Scalar, at: list[int]) -> dict[tuple[Any, ...], float]:
    if isinstance(found, Scalar):
        return {((), t): float(v) for t, v in zip(at, found.values, strict=True)}
    return {
        (told(labels), t): float(value)
        for labels, values, present in zip(found.labels, found.values, found.present, strict=True)
        for t, value, there in zip(at, values, present, strict=True)
        if there
    }


def told(labels: Label) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(labels.items()))


def same(ours: float, theirs: float) -> bool:
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return ours == theirs or abs(ours - theirs) <= 1e-6 * max(abs(ours), abs(theirs), 1e-9)


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.by_day(every=2)
def test_answers_as_prometheus_does(expression: str, columns: Columns, real: str) -> None:
    first, last = START + 3 * MINUTE, END - MINUTE
    answer = ask(
        real,
        "query_range",
        query=expression,
        start=first / 1000,
        end=last / 1000,
        step=STEP_MS / 1000,
    )
    theirs = {
        (told(one["metric"]), round(float(at) * 1000)): float(value)
        for one in answer
        for at, value in one["values"]
    }
    at, found = Engine(columns).over(expression, first, last, STEP_MS)
    ours = table(found, at.tolist())
    assert theirs, "an expression without an answer tests nothing"
    assert ours.keys() == theirs.keys()
    different = [key for key, value in ours.items() if not same(value, theirs[key])]
    assert different == []


@pytest.mark.parametrize("expression", INSTANT)
def test_answers_at_one_instant(expression: str, columns: Columns, real: str) -> None:
    at = START + 100 * MINUTE + 11_000
    theirs = ask(real, "query", query=expression, time=at / 1000)
    found = Engine(columns).instant(expression, at)
    if isinstance(found, Scalar | Vector):
        ours = [(labels, value) for (labels, _), value in table(found, [at]).items()]
        wanted = [(told(one["metric"]), float(one["value"][1])) for one in theirs]
        if not expression.startswith(("sort", "topk")):
            ours, wanted = sorted(ours), sorted(wanted)
        assert [v for _, v in ours] == pytest.approx([v for _, v in wanted])
        assert sorted(k for k, _ in ours) == sorted(k for k, _ in wanted)
    else:
        rows = {told(r.labels): r.values.tolist() for r in found.rows}  # type: ignore[union-attr]
        assert rows == {told(one["metric"]): [float(v) for _, v in one["values"]] for one in theirs}


@pytest.mark.parametrize("expression", NATIVE)
def test_functions_of_other_histograms_find_nothing(
    expression: str, columns: Columns, real: str
) -> None:
    at = START + 100 * MINUTE
    assert ask(real, "query", query=expression, time=at / 1000) == []
    found = Engine(columns).instant(expression, at)
    assert isinstance(found, Vector)
    assert found.labels == []
