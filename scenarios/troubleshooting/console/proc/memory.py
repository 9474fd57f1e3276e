"""Memory of a host as the kernel counts it, in step with `free`, `numastat` and the exporter."""

from __future__ import annotations

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import DAY
from scenarios.troubleshooting.console.command import NODE, Call
from scenarios.troubleshooting.console.host.memory import numbers
from scenarios.troubleshooting.console.site import Site

_BUFFERS = 2
"""MiB."""


def _kib(site: Site, host: str) -> dict[str, int]:
    memory, swap = numbers(Call(site, host, "free", ()))
    total, used, free, shared, cache, available = (mib * 1024 for mib in memory)
    draw = Stream(site.incident.seed, f"meminfo {host}")
    slab = round(cache * draw.between(0.012, 0.02))
    cached = cache - slab // 2 - _BUFFERS * 1024
    anonymous = round(used * draw.between(0.8, 0.86))
    return {
        "MemTotal": total, "MemFree": free, "MemAvailable": available, "Buffers": _BUFFERS * 1024,
        "Cached": cached, "SwapCached": 0, "Active": round(cached * 0.31), "Inactive": round(cached * 0.66)
        + anonymous, "Active(anon)": shared + 9_216, "Inactive(anon)": anonymous,
        "Active(file)": round(cached * 0.31) - shared - 9_216, "Inactive(file)": round(cached * 0.66),
        "Unevictable": 31_284, "Mlocked": 28_212, "SwapTotal": swap[0] * 1024, "SwapFree": swap[2] * 1024,
        "Dirty": int(draw.between(300, 9_000)), "Writeback": 0, "AnonPages": anonymous,
        "Mapped": round(anonymous * 0.11), "Shmem": shared, "KReclaimable": slab // 2, "Slab": slab,
        "SReclaimable": slab // 2, "SUnreclaim": slab - slab // 2,
        "KernelStack": 58_416, "PageTables": round(anonymous * 0.003), "NFS_Unstable": 0, "Bounce": 0,
        "WritebackTmp": 0, "CommitLimit": swap[0] * 1024 + total // 2, "Committed_AS": round(anonymous * 2.4),
        "VmallocTotal": 13_743_895_347_199, "VmallocUsed": 2_981_440, "VmallocChunk": 0, "Percpu": 517_888,
        "HardwareCorrupted": 0, "AnonHugePages": anonymous // 4_096 * 2_048, "ShmemHugePages": 0,
        "ShmemPmdMapped": 0, "FileHugePages": 0, "FilePmdMapped": 0,
    }  # fmt: skip


def meminfo(site: Site, host: str) -> str:
    found = _kib(site, host)
    rows = [f"{name + ':':<15} {kib:>8} kB\n" for name, kib in found.items()]
    rows += [f"{name + ':':<15} {0:>8}\n" for name in _HUGE]
    rows += ["Hugepagesize:       2048 kB\n", "Hugetlb:               0 kB\n"]
    rest = found["MemTotal"] // 2
    for name, kib in (
        ("DirectMap4k", 1_648_640),
        ("DirectMap2M", 46_137_344),
        ("DirectMap1G", 2 * rest),
    ):
        rows.append(f"{name + ':':<15} {kib:>8} kB\n")
    return "".join(rows)


_HUGE = ("HugePages_Total", "HugePages_Free", "HugePages_Rsvd", "HugePages_Surp")


def vmstat(site: Site, host: str) -> str:
    """Pages of 4 KiB; a host that swaps nothing has moved only what lies in swap."""
    kib = _kib(site, host)
    swapped = (kib["SwapTotal"] - kib["SwapFree"]) // 4
    draw = Stream(site.incident.seed, f"vmstat counters {host}")
    days = max((site.looked_ms - site.incident.calendar.maintenance) / DAY, 1.0)
    read = int(days * draw.between(2e8, 5e8))
    faults = int(days * draw.between(3e9, 5e9))
    local, other = (int(_numa(site, host, name)) for name in ("local", "other"))
    hit = (local + other) or int(days * 4e9)
    rows = {
        "nr_free_pages": kib["MemFree"] // 4, "nr_zone_inactive_anon": kib["Inactive(anon)"] // 4,
        "nr_zone_active_anon": kib["Active(anon)"] // 4, "nr_zone_inactive_file": kib["Inactive(file)"] // 4,
        "nr_zone_active_file": kib["Active(file)"] // 4, "nr_zone_unevictable": kib["Unevictable"] // 4,
        "nr_zone_write_pending": kib["Dirty"] // 4, "nr_mlock": kib["Mlocked"] // 4, "nr_bounce": 0,
        "numa_hit": hit, "numa_miss": 0, "numa_foreign": 0, "numa_interleave": 4_212,
        "numa_local": local or hit, "numa_other": other,
        "nr_anon_pages": kib["AnonPages"] // 4, "nr_mapped": kib["Mapped"] // 4,
        "nr_file_pages": (kib["Cached"] + kib["Buffers"]) // 4, "nr_dirty": kib["Dirty"] // 4,
        "nr_writeback": 0,
        "nr_shmem": kib["Shmem"] // 4, "nr_kernel_stack": kib["KernelStack"],
        "nr_slab_reclaimable": kib["SReclaimable"] // 4, "nr_slab_unreclaimable": kib["SUnreclaim"] // 4,
        "nr_page_table_pages": kib["PageTables"] // 4, "nr_dirty_threshold": kib["MemAvailable"] // 20,
        "nr_dirty_background_threshold": kib["MemAvailable"] // 40,
        "pgpgin": read, "pgpgout": read // 5, "pswpin": 0, "pswpout": swapped,
        "pgalloc_normal": hit, "pgfree": hit - kib["MemTotal"] // 40, "pgactivate": read // 9,
        "pgdeactivate": 0, "pgfault": faults, "pgmajfault": int(days * draw.between(900, 4_000)),
        "pgscan_kswapd": read // 3, "pgscan_direct": 0, "pgsteal_kswapd": read // 3, "pgsteal_direct": 0,
        "allocstall_normal": 0, "allocstall_movable": 0, "oom_kill": 0, "numa_pte_updates": 0,
        "numa_hint_faults": 0, "numa_hint_faults_local": 0, "numa_pages_migrated": 0, "pgmigrate_success": 0,
        "compact_stall": 0, "compact_fail": 0, "compact_success": 0, "thp_fault_alloc": faults // 4_000,
        "thp_fault_fallback": 0, "thp_collapse_alloc": faults // 90_000, "thp_split_page": faults // 60_000,
        "workingset_refault_file": read // 50, "drop_pagecache": 0, "drop_slab": 0,
    }  # fmt: skip
    return "".join(f"{name} {value}\n" for name, value in rows.items())


def _numa(site: Site, host: str, name: str) -> float:
    if site.kind(host) != NODE:
        return 0.0
    readings, at = site.readings(host), site.looked_ms
    metric = f"node_memory_numa_{name}_node_total"
    return sum(readings.at(metric, at, node=str(side)) for side in (0, 1))
