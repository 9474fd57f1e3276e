"""What every mark of the key says, as something to check: one claim for each cause or herring and metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.tests.board import View, carries

GB, GIB = 1e9, 2.0**30
Claim = Callable[[View], bool]


def med(values: Array) -> float:
    return float(np.nanmedian(values))


def near(value: float, wanted: float, part: float) -> bool:
    return abs(value - wanted) <= part * abs(wanted)


def _top(values: Array) -> float:
    return float(np.nanquantile(values, 0.9))


def _late(values: Array) -> Array:
    """Without the first half hour, in which ramps end."""
    return values[:, 120:]


def _between(low: float, high: float) -> Claim:
    return lambda v: low <= med(_late(v.own)) <= high


def _clock(v: View) -> bool:
    held = med(_late(v.own))
    return abs(held - v.fault.clock_mhz) <= 30 and held < med(v.peers) - 60


def _spikes(row: Array, level: float) -> int:
    high = row >= level
    return int((high[1:] & ~high[:-1]).sum())


def _brake(v: View) -> bool:
    own = v.own
    low = own <= v.fault.brake_mhz + 30
    alike = float((low.all(axis=0) | ~low.any(axis=0)).mean())
    return near(float(low.mean()), v.fault.share, 0.25) and alike > 0.99


def _brake_power(v: View) -> bool:
    clocks = v.other("DCGM_FI_DEV_SM_CLOCK")
    low = clocks <= v.fault.brake_mhz + 30
    return float(np.nanmax(v.own[low])) < _top(v.own[~low]) - 150


def _dips(v: View) -> bool:
    board, stage = v.board, v.board.stage
    node = v.mark.labels["node"]
    rows = {
        labels["device"]: row for host, labels, row in board.rows(v.mark.metric) if host == node
    }
    own = rows.pop(v.mark.labels["device"])
    first, last = stage.span(v.mark.from_ms, v.mark.to_ms, 30)
    rest = np.array(list(rows.values())).mean(axis=0)[first:last]
    return int((own[first:last] < 0.88 * rest)[rest > 0].sum()) >= 10


def _socket(v: View) -> bool:
    first, second = (
        np.nanmean([o for o, a in zip(v.own, v.labels, strict=True) if _user(a, cpus)])
        for cpus in (("0", "28"), ("56", "84"))
    )
    return bool(first > 5 * second)


def _user(labels: Mapping[str, str], cpus: tuple[str, ...]) -> bool:
    return labels["mode"] == "user" and labels["cpu"] in cpus


def _user_part(v: View) -> bool:
    own = np.nanmean([o for o, a in zip(v.own, v.labels, strict=True) if a["mode"] == "user"])
    rows = v.base_board.rows(v.mark.metric)
    base = np.nanmean([row for _, labels, row in rows if labels["mode"] == "user"])
    return bool(own < 0.35 * base)


def _wait(v: View) -> bool:
    """Against ports to other hosts that carry the training's traffic."""
    hosts = [h for n in v.board.stage.nodes for h in n.hcas if h.leaf == v.mark.labels["switch"]]
    ports = {str(h.leaf_port) for h in hosts} - {v.mark.labels["port"]}
    rows = [
        row
        for host, labels, row in v.board.rows(v.mark.metric)
        if host == v.mark.labels["switch"] and labels["port"] in ports
    ]
    rest = v._cut(rows, v.board.stage, v.mark.from_ms, v.mark.to_ms)
    return med(v.own) > 10 * med(rest) > 0


def _split(v: View) -> tuple[Array, Array]:
    """(ports to hosts of the training, ports to spines) of a leaf."""
    nodes = v.board.stage.nodes
    ports = {str(h.leaf_port) for n in nodes for h in n.hcas if h.leaf == v.mark.labels["switch"]}
    down = [o for o, labels in zip(v.own, v.labels, strict=True) if labels["port"] in ports]
    up = [o for o, labels in zip(v.own, v.labels, strict=True) if int(labels["port"]) > 32]
    return np.array(down), np.array([o for o in up if np.nanmax(o) > 0])


def _uplinks(v: View) -> bool:
    down, up = _split(v)
    return med(up) > 10 * max(med(down), 1.0)


def _uplinks_jump(v: View) -> bool:
    """On a few uplinks only: the others wait as they did before the other job began."""
    start = int((v.fault.start_ms - v.mark.from_ms) / 60_000)
    _, up = _split(v)
    grown = np.nanmedian(up[:, start + 3 :], axis=1) / np.nanmedian(up[:, 1 : start - 1], axis=1)
    return 0 < int((grown > 5).sum()) <= len(up) / 3 and float(np.median(grown)) < 1.5


def _host_ports(v: View) -> bool:
    down, _ = _split(v)
    each = np.nanmedian(down, axis=1)
    return bool(each.max() < 1.5 * each.min() and med(v.own) > 0)


def _flap(v: View) -> bool:
    return float(np.nansum(v.own)) * 60 > 5_000 and float(np.nanmax(v.peers)) == 0.0


def _latency(v: View) -> bool:
    asked = v.other("node_mountstats_nfs_operations_requests_total")
    replied = v.other("node_mountstats_nfs_operations_response_time_seconds_total")
    exe, rtt = (1_000 * np.nansum(part) / np.nansum(asked) for part in (v.own, replied))
    return near(float(exe), v.fault.exe_ms, 0.1) and 3 <= float(rtt) <= 9


def _more_wait(v: View) -> bool:
    return float(np.nanmean(v.own)) > 2 * float(np.nanmean(v.base))


def _drift(v: View) -> bool:
    tenth = v.own.shape[1] // 10
    grown = med(v.own[:, -tenth:]) - med(v.own[:, :tenth])
    return near(grown, 2 * v.fault.seconds * 0.85, 0.3)


def _comb(v: View) -> bool:
    return near(_spikes(v.own[0], v.fault.stall_s * 0.9), 12_000 / v.fault.every, 0.15)


def _checkpoints(v: View) -> bool:
    return near(_spikes(v.own[0], v.fault.stall_s * 0.9), 12_000 / v.fault.every, 0.1)


def _bursts(v: View) -> bool:
    total = np.nansum(v.own, axis=0)
    return bool(np.quantile(total, 0.97) > np.quantile(total, 0.03) + 4 * GB)


def _dark(v: View) -> bool:
    rows = [row for host, _, row in v.board.rows(v.mark.metric) if host in v.board.stage.own]
    own = v._cut(rows, v.board.stage, v.mark.from_ms, v.mark.to_ms)
    dark = float((own < v.board.stage.plant.idle_w + 90).mean())
    run = v.board.stage.run
    return dark > 0.7 * float(run.save.sum() / run.step_s.sum())


def _leak(v: View) -> bool:
    lost = float(np.nanmean(v.own[:, :10]) - np.nanmean(v.own[:, -10:])) / GIB
    return (
        near(lost, v.fault.gib, 0.1)
        and float(v.after.max()) > float(v.own[:, -1].max()) + 500 * GIB
    )


def _cache(v: View) -> bool:
    hour = slice(130, 160)
    free, left = v.own[:, hour], v.other("node_memory_MemAvailable_bytes")[:, hour]
    return float(np.nanmax(free)) < 25 * GIB < 1_000 * GIB < float(np.nanmin(left))


def _rail_idle(v: View) -> bool:
    rows = [
        row
        for host, labels, row in v.board.rows(v.mark.metric)
        if host in v.board.stage.own and carries(host, labels, v.mark.labels)
    ]
    own = v._cut(rows, v.board.stage, v.mark.from_ms, v.mark.to_ms)
    return float(np.nanmax(own)) < 0.1 * GB and med(v.peers) > 1 * GB


def _started(v: View) -> bool:
    start = int((v.fault.start_ms - v.mark.from_ms) / 30_000)
    return med(v.own[:, start + 4 :]) > 0.8 * v.board.stage.plant.port_gbps / 8 * GB > med(v.before)


def _foreign(v: View) -> bool:
    total = np.nansum(v.own, axis=0)[30:]
    return near(float(np.median(total)), v.fault.gbytes * GB, 0.2)


def _refused(v: View) -> bool:
    return sum(float(o.sum()) > 0 for o in v.own) == 4


def _saw(v: View) -> bool:
    inside = (v.own > 55) & (v.own < 97)
    base = (v.base > 55) & (v.base < 97)
    return float(inside.mean()) > float(base.mean()) + 0.15


def _rises(v: View) -> bool:
    start = max(int((v.fault.start_ms - v.mark.from_ms) / 15_000), 1)
    grown = float(np.nanmean(v.own[:, start + 20 :])) - float(np.nanmean(v.own[:, :start]))
    return bool(grown > 0.6 * v.fault.seconds)


CLAIMS: dict[tuple[str, str], Claim] = {
    ("acs-enabled", "ib_switch_port_xmit_wait_total"): _wait,
    ("pcie-downtrained", "ib_switch_port_xmit_wait_total"): _wait,
    ("pcie-downtrained", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"): lambda v: (
        near(float(np.nanmean(v.own)) * 3_600, 420, 0.1) and float(np.nanmax(v.peers)) == 0
    ),
    ("cgroup-cpu-limit", "container_cpu_cfs_throttled_periods_total"): lambda v: near(
        float(np.nanmean(v.own)) / 10, v.fault.percent / 100, 0.05
    ),
    ("cgroup-cpu-limit", "train_data_wait_seconds"): _more_wait,
    ("checkpoint-on-capacity-pool", "lustre_ost_write_bytes_total"): lambda v: (
        _spikes(np.nansum(v.own, axis=0), 2.5 * med(np.nansum(v.own, axis=0))) >= 20
    ),
    ("checkpoint-on-capacity-pool", "train_checkpoint_seconds"): _checkpoints,
    ("checkpoint-too-often", "DCGM_FI_DEV_POWER_USAGE"): _dark,
    ("checkpoint-too-often", "lustre_ost_write_bytes_total"): _bursts,
    ("checkpoint-too-often", "train_checkpoint_seconds"): _checkpoints,
    ("clock-ahead", "node_timex_sync_status"): lambda v: (
        float(np.nanmax(v.own)) == 0 and float(np.nanmin(v.peers)) == 1
    ),
    ("clocks-pinned", "DCGM_FI_DEV_GPU_TEMP"): lambda v: med(v.own) < med(v.peers) - 1,
    ("clocks-pinned", "DCGM_FI_DEV_SM_CLOCK"): lambda v: (
        set(v.own[~np.isnan(v.own)]) == {v.fault.clock_mhz}
    ),
    ("driver-mismatch", "DCGM_FI_PROF_PCIE_RX_BYTES"): lambda v: med(v.own) > 1.3 * med(v.peers),
    ("driver-mismatch", "node_cpu_seconds_total"): lambda v: med(v.own) > 1.5 * _other_system(v),
    ("fabric-neighbour", "ib_switch_port_xmit_wait_total"): _uplinks_jump,
    ("fabric-neighbour", "node_infiniband_port_data_transmitted_bytes_total"): _started,
    ("fan-failure", "DCGM_FI_DEV_GPU_TEMP"): _between(84, 89),
    ("fan-failure", "DCGM_FI_DEV_POWER_USAGE"): lambda v: _top(_late(v.own)) < _top(v.peers) - 40,
    ("fan-failure", "DCGM_FI_DEV_SM_CLOCK"): _clock,
    ("fan-failure", "ipmi_fan_speed_rpm"): lambda v: (
        float(np.nanmax(v.own)) == 0 and float(np.nanmin(v.peers)) > 4_000
    ),
    ("governor-powersave", "DCGM_FI_DEV_GPU_UTIL"): _saw,
    ("governor-powersave", "node_cpu_scaling_frequency_hertz"): lambda v: (
        near(med(v.own), v.fault.mhz * 1e6, 0.05) and med(v.base) > 3.3e9
    ),
    ("gpu-thermal-throttle", "DCGM_FI_DEV_GPU_TEMP"): _between(85, 89),
    ("gpu-thermal-throttle", "DCGM_FI_DEV_POWER_USAGE"): lambda v: (
        _top(_late(v.own)) < _top(v.peers) - 40
    ),
    ("gpu-thermal-throttle", "DCGM_FI_DEV_SM_CLOCK"): _clock,
    ("gpu-thermal-throttle", "train_comm_seconds"): lambda v: med(v.own) < med(v.peers) - 0.1,
    ("host-memory-leak", "node_memory_MemAvailable_bytes"): _leak,
    ("host-memory-leak", "node_pressure_memory_waiting_seconds_total"): lambda v: (
        med(v.own[:, -100:]) > 20 * med(v.own[:, :100])
    ),
    ("host-memory-leak", "train_data_wait_seconds"): _drift,
    ("host-port-wait", "ib_switch_port_xmit_wait_total"): _host_ports,
    ("ib-link-flapping", "ib_switch_port_link_downed_total"): lambda v: (
        float(np.nansum(v.own)) * 60 >= 10 and float(np.nanmax(v.peers)) == 0
    ),
    ("ib-link-flapping", "ib_switch_port_symbol_errors_total"): _flap,
    ("ib-link-flapping", "node_infiniband_port_data_transmitted_bytes_total"): _dips,
    ("load-average", "node_load1"): lambda v: (
        80 <= med(v.own) <= 101 and near(med(v.own), med(v.peers), 0.15)
    ),
    ("metadata-storm", "lustre_mdt_ops_total"): lambda v: (
        near(med(v.own[:, 30:]), v.fault.ops, 0.2) and med(v.before) < 3_000
    ),
    ("metadata-storm", "train_data_wait_seconds"): _rises,
    ("mtu-mismatch", "node_netstat_Tcp_RetransSegs"): lambda v: (
        near(med(v.own), v.fault.retrans, 0.15) and med(v.base) < 1
    ),
    ("mtu-mismatch", "switch_port_oversize_frames_total"): _refused,
    ("name-service-slow", "train_data_wait_seconds"): _comb,
    ("nccl-adapters-left-out", "node_infiniband_port_data_transmitted_bytes_total"): _rail_idle,
    ("nfs-slots-full", "node_mountstats_nfs_operations_request_time_seconds_total"): _latency,
    ("nvlink-degraded", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"): lambda v: (
        med(v.own) < 0.95 * med(v.peers)
    ),
    ("nvlink-degraded", "DCGM_FI_DEV_XID_ERRORS"): lambda v: (
        set(v.own[~np.isnan(v.own)]) == {74.0} and 74.0 not in v.peers
    ),
    ("old-symbol-errors", "ib_switch_port_symbol_errors_total"): lambda v: (
        float(np.nanmax(v.own)) == 0
        and any(b.values.max() == v.fault.count for b in v.board.blocks[v.mark.metric])
    ),
    ("ost-rebuild", "lustre_ost_read_await_seconds"): lambda v: (
        near(med(v.own), v.fault.times * 0.004, 0.5) and 0.002 <= med(v.peers) <= 0.008
    ),
    ("ost-rebuild", "node_md_disks"): lambda v: (
        float(v.own.min()) == 1 and float(v.before[0, 0]) == 0 and float(v.before[0, -1]) == 1
    ),
    ("ost-rebuild", "train_data_wait_seconds"): _more_wait,
    ("page-cache-full", "node_memory_MemFree_bytes"): _cache,
    ("power-brake", "DCGM_FI_DEV_POWER_USAGE"): _brake_power,
    ("power-brake", "DCGM_FI_DEV_SM_CLOCK"): _brake,
    ("power-brake", "ipmi_power_watts"): lambda v: (
        float(np.nanmax(v.own)) == 0 and float(np.nanmin(v.before[:, :5])) > 0
    ),
    ("power-cap-left", "DCGM_FI_DEV_GPU_TEMP"): lambda v: med(v.own) < med(v.peers) - 1,
    ("power-cap-left", "DCGM_FI_DEV_POWER_USAGE"): lambda v: (
        float(np.nanmax(v.own)) <= v.fault.limit_w and _top(v.own) > v.fault.limit_w - 15
    ),
    ("power-cap-left", "DCGM_FI_DEV_SM_CLOCK"): _clock,
    ("rack-inlet-hot", "DCGM_FI_DEV_GPU_TEMP"): _between(83, 88),
    ("rack-inlet-hot", "DCGM_FI_DEV_SM_CLOCK"): _clock,
    ("rack-inlet-hot", "ipmi_temperature_celsius"): _between(32, 35.5),
    ("recompute-turned-on", "DCGM_FI_DEV_FB_USED"): lambda v: _job_median(v) < 0.7 * med(v.base),
    ("recompute-turned-on", "train_compute_seconds"): lambda v: (
        med(v.own) > (1 + 0.85 * v.fault.percent / 100) * med(v.base)
    ),
    ("row-remapped-settled", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"): lambda v: _constant_one(v),
    ("scrape-gap", "up"): lambda v: (
        float(v.own.max()) == 0 and med(v.before) == 1 and med(v.after) == 1
    ),
    ("silent-slow-node", "DCGM_FI_DEV_SM_CLOCK"): lambda v: abs(med(v.own) - med(v.peers)) <= 15,
    ("silent-slow-node", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"): lambda v: (
        float(np.nanmean(v.own)) < 0.95 * med(np.nanmean(v.peers, axis=1))
    ),
    ("silent-slow-node", "train_compute_seconds"): lambda v: near(
        med(v.own) / med(v.peers), 1 + v.fault.percent / 100, 0.05
    ),
    ("spine-down", "ib_switch_port_xmit_data_bytes_total"): lambda v: (
        float(np.nanmax(v.own)) == 0 and float(np.nanmax(v.before)) == 0 and med(v.peers) > 0.1 * GB
    ),
    ("spine-down", "ib_switch_port_xmit_wait_total"): _uplinks,
    ("srun-lost-cpus", "node_cpu_seconds_total"): _user_part,
    ("srun-lost-cpus", "train_data_wait_seconds"): _more_wait,
    ("storage-neighbour", "lustre_ost_read_await_seconds"): lambda v: (
        med(v.own[:, 30:]) > 1.15 * med(v.before)
    ),
    ("storage-neighbour", "lustre_ost_write_bytes_total"): _foreign,
    ("wrong-socket", "node_cpu_seconds_total"): _socket,
    ("wrong-socket", "node_memory_numa_other_node_total"): lambda v: _far(v),
}


def _far(v: View) -> bool:
    near_by = v.other("node_memory_numa_local_node_total")
    part = float(np.nansum(v.own) / (np.nansum(v.own) + np.nansum(near_by)))
    return near(part, v.fault.percent / 100, 0.05)


def _job_median(v: View) -> float:
    found = v.board.rows(v.mark.metric)
    rows = [row for host, _, row in found if host in v.board.stage.own]
    return med(v._cut(rows, v.board.stage, v.mark.from_ms, v.mark.to_ms))


def _constant_one(v: View) -> bool:
    wanted = v.mark.labels
    for block in v.board.blocks[v.mark.metric]:
        for labels, row in zip(block.labels, block.values, strict=True):
            if row.max() != carries(block.host, dict(labels), wanted) or row.min() != row.max():
                return False
    return True


def _other_system(v: View) -> float:
    found = v.board.rows(v.mark.metric)
    own = v.board.stage.own
    rows = [
        r
        for host, labels, r in found
        if labels["mode"] == "system" and host in own and host not in v.fault.nodes
    ]
    return med(v._cut(rows, v.board.stage, v.mark.from_ms, v.mark.to_ms))
