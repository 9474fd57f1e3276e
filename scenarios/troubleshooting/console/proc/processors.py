"""Processors of a host: what they are, how their time went, what waits for them."""

from __future__ import annotations

import re

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import MINUTE, SECOND
from scenarios.troubleshooting.console.command import NODE
from scenarios.troubleshooting.console.host.running import processes
from scenarios.troubleshooting.console.host.system import threads
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.signals.node import CPUS
from scenarios.troubleshooting.texts.smi_state import value
from scenarios.troubleshooting.texts.system_host import boot_ms

_FLAGS = (
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr "
    "sse sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art arch_perfmon pebs bts rep_good "
    "nopl xtopology nonstop_tsc cpuid aperfmperf tsc_known_freq pni pclmulqdq dtes64 monitor ds_cpl vmx "
    "smx est tm2 ssse3 sdbg fma cx16 xtpr pdcm pcid dca sse4_1 sse4_2 x2apic movbe popcnt "
    "tsc_deadline_timer aes xsave avx f16c rdrand lahf_lm abm 3dnowprefetch cpuid_fault epb cat_l3 cat_l2 "
    "cdp_l3 invpcid_single intel_ppin cdp_l2 ssbd mba ibrs ibpb stibp ibrs_enhanced tpr_shadow vnmi "
    "flexpriority ept vpid ept_ad fsgsbase tsc_adjust bmi1 avx2 smep bmi2 erms invpcid cqm rdt_a avx512f "
    "avx512dq rdseed adx smap avx512ifma clflushopt clwb intel_pt avx512cd sha_ni avx512bw avx512vl "
    "xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local split_lock_detect "
    "avx_vnni avx512_bf16 wbnoinvd dtherm ida arat pln pts avx512vbmi umip pku ospke waitpkg avx512_vbmi2 "
    "gfni vaes vpclmulqdq avx512_vnni avx512_bitalg tme avx512_vpopcntdq la57 rdpid bus_lock_detect "
    "cldemote movdiri movdir64b enqcmd fsrm md_clear serialize tsxldtrk pconfig arch_lbr amx_bf16 "
    "avx512_fp16 amx_tile amx_int8 flush_l1d arch_capabilities"
)


def socket_of(cpu: int, total: int) -> int:
    """First the cores of both sockets, then their second threads."""
    return cpu % (total // 2) // (total // 4)


def cpuinfo(site: Site, host: str) -> str:
    """A paragraph for every thread; model, family and stepping are lscpu's."""
    total = threads(site, host)
    node = site.kind(host) == NODE
    facts = _lscpu(site, host) if node else {}
    model = facts.get("Model name", "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz")
    number = (facts.get("CPU family", "6"), facts.get("Model", "106"), facts.get("Stepping", "6"))
    draw = Stream(site.incident.seed, f"cpuinfo {host}")
    top = value(site.incident, host, "core_mhz", site.looked_ms) if node else 3_100.0
    kib = 107_520 if node else 49_152
    paragraphs = []
    for cpu in range(total):
        core = cpu % (total // 4)
        rows = (
            ("processor", str(cpu)), ("vendor_id", "GenuineIntel"), ("cpu family", number[0]),
            ("model", number[1]), ("model name", model), ("stepping", number[2]),
            ("microcode", "0x2b000590" if node else "0xd0003b9"),
            ("cpu MHz", f"{top - draw.between(0, 22):.3f}"), ("cache size", f"{kib} KB"),
            ("physical id", str(socket_of(cpu, total))), ("siblings", str(total // 2)),
            ("core id", str(core)), ("cpu cores", str(total // 4)),
            ("apicid", str(128 * socket_of(cpu, total) + 2 * core + cpu // (total // 2))),
            ("initial apicid", str(128 * socket_of(cpu, total) + 2 * core + cpu // (total // 2))),
            ("fpu", "yes"), ("fpu_exception", "yes"), ("cpuid level", "32" if node else "27"), ("wp", "yes"),
            ("flags", _FLAGS), ("bugs", "spectre_v1 spectre_v2 spec_store_bypass swapgs eibrs_pbrsb"),
            ("bogomips", "4000.00"), ("clflush size", "64"), ("cache_alignment", "64"),
            ("address sizes", facts.get("Address sizes", "46 bits physical, 57 bits virtual")),
            ("power management", ""),
        )  # fmt: skip
        paragraphs.append("".join(_field(name, text) for name, text in rows))
    return "\n".join(paragraphs) + "\n"


def _field(name: str, text: str) -> str:
    return f"{name}{chr(9) * (2 - len(name) // 8)}: {text}\n"


def _lscpu(site: Site, host: str) -> dict[str, str]:
    rows = (row.partition(":") for row in told(site, host)["lscpu | head -18"].splitlines())
    return {name.strip(): text.strip() for name, _, text in rows}


def up_s(site: Site, host: str) -> float:
    """Seconds since the host was started, the same that uptime shows."""
    if site.kind(host) == NODE:
        return (site.looked_ms - boot_ms(site.incident, host, site.traces)) / SECOND
    found = re.search(r"up (\d+) days, +(\d+):(\d+)", told(site, host)["uptime"])
    days, hours, minutes = (int(part) for part in found.groups()) if found else (0, 0, 1)
    rest = Stream(site.incident.seed, f"up {host}").between(0, 60)
    return float(((days * 24 + hours) * 60 + minutes) * 60) + rest


def _shares(site: Site, host: str) -> list[dict[str, float]]:
    """How the time of each CPU goes now: a node's as its exporter shows it for two CPUs of each socket."""
    total, draw = threads(site, host), Stream(site.incident.seed, f"cpu {host}")
    if site.kind(host) != NODE:
        part = (
            float(told(site, host)["uptime"].rpartition("load average: ")[2].split(",")[0]) / total
        )
        one = {"user": 0.6 * part, "system": 0.4 * part, "iowait": 0.1 * part}
        return [
            {mode: share * draw.between(0.8, 1.2) for mode, share in one.items()}
            for _ in range(total)
        ]
    readings, span = site.readings(host), 10 * MINUTE
    seen = []
    for cpu in CPUS:
        now = {
            mode: readings.at("node_cpu_seconds_total", site.now_ms + span, cpu=str(cpu), mode=mode)
            - readings.at("node_cpu_seconds_total", site.now_ms, cpu=str(cpu), mode=mode)
            for mode in ("user", "system", "iowait")
        }
        seen.append({mode: max(seconds, 0.0) / (span / SECOND) for mode, seconds in now.items()})
    found = []
    for cpu in range(total):
        like = seen[2 * socket_of(cpu, total) + cpu % 2]
        found.append(
            {mode: min(share * draw.between(0.97, 1.03), 0.98) for mode, share in like.items()}
        )
    return found


def _ticks(site: Site, host: str) -> list[list[int]]:
    """Hundredths of seconds in each mode since the start, for each CPU: the job's share since it began."""
    up = up_s(site, host)
    started = site.incident.slow.start_ms or site.looked_ms
    ran = min(up, (site.looked_ms - started) / SECOND) if site.kind(host) == NODE else up
    rows = []
    for share in _shares(site, host):
        user, system, waits = (
            share[mode] * ran + idle * (up - ran)
            for mode, idle in (("user", 0.008), ("system", 0.006), ("iowait", 0.0004))
        )
        soft = 0.05 * system
        idle = up - user - system - waits - soft
        rows.append([round(100 * s) for s in (user, 0, system, idle, waits, 0, soft, 0, 0, 0)])
    return rows


def stat(site: Site, host: str) -> str:
    rows = _ticks(site, host)
    up, draw = up_s(site, host), Stream(site.incident.seed, f"stat {host}")
    busy = sum(p.cpu > 50 for p in processes(site, host))
    lines = [f"cpu  {' '.join(str(sum(column)) for column in zip(*rows, strict=True))}"]
    lines += [f"cpu{cpu} {' '.join(map(str, row))}" for cpu, row in enumerate(rows)]
    rate = len(rows) * draw.between(900, 1_400)
    soft = int(up * rate / 9)
    booted = (site.looked_ms + site.ahead_ms(host)) // SECOND - int(up)
    lines += [
        f"intr {int(up * rate)} 0{' 0' * 255}",
        f"ctxt {int(up * rate * 1.7)}",
        f"btime {booted}",
        f"processes {int(up * draw.between(3, 9))}",
        f"procs_running {max(busy, 1)}",
        "procs_blocked 0",
        f"softirq {3 * soft} 0 {soft} 0 0 0 0 0 {soft} 0 {soft}",
    ]
    return "".join(f"{line}\n" for line in lines)


def uptime(site: Site, host: str) -> str:
    idle = sum(row[3] for row in _ticks(site, host)) / 100
    return f"{up_s(site, host):.2f} {idle:.2f}\n"


def shares(site: Site, host: str) -> tuple[float, float, float]:
    """How much of all CPUs goes to programs, to the kernel and to waiting for disks now, in per cent."""
    rows = _shares(site, host)
    user, system, waits = (
        100 * sum(row.get(mode, 0.0) for row in rows) / len(rows)
        for mode in ("user", "system", "iowait")
    )
    return user, system, waits


def loadavg(site: Site, host: str) -> str:
    loads = told(site, host)["uptime"].rpartition("load average: ")[2].strip().split(", ")
    found = processes(site, host)
    running = max(sum(process.cpu > 50 for process in found), 1)
    return f"{' '.join(loads)} {running}/3114 {max(p.pid for p in found) + 211}\n"


def pressure(site: Site, host: str, what: str) -> str:
    """Share of the time in which somebody waited. CPU and memory as the exporter shows them; for storage
    it is the part of a step in which the loaders wait, where the training runs."""
    some = _waiting(site, host, what)
    whole = 0.0 if what == "cpu" else 0.8 * some
    rows = []
    for name, share in (("some", some), ("full", whole)):
        averages = " ".join(
            f"avg{span}={100 * min(share * factor, 0.99):.2f}"
            for span, factor in ((10, 1.02), (60, 1.0), (300, 0.99))
        )
        rows.append(f"{name} {averages} total={_total(site, host, what, share)}\n")
    return "".join(rows)


def _waiting(site: Site, host: str, what: str) -> float:
    if site.kind(host) != NODE:
        return 0.0004
    if what == "io":
        run = site.incident.run
        step = run.step_at(site.looked_ms)
        took = float(run.starts[step + 1] - run.starts[step]) / SECOND
        return float(run.data[step]) / took if site.own_job(host) else 0.0003
    name, readings = f"node_pressure_{what}_waiting_seconds_total", site.readings(host)
    grown = readings.at(name, site.now_ms + 10 * MINUTE) - readings.at(name, site.now_ms)
    return max(grown, 0.0) / 600


def _total(site: Site, host: str, what: str, share: float) -> int:
    """Microseconds since the start; the exporter's own counter where it has one."""
    name = f"node_pressure_{what}_waiting_seconds_total"
    if site.kind(host) == NODE and what != "io":
        some = site.readings(host).at(name, site.now_ms)
        return round(1e6 * some * share / max(_waiting(site, host, what), 1e-9))
    began = site.incident.slow.start_ms or site.looked_ms
    return round(1e3 * share * (site.looked_ms - began))
