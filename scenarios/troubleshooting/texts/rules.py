"""The site's alert rules and its runbook: what would have been told to somebody, and what nobody watches."""

from __future__ import annotations

from scenarios.troubleshooting.physics import limit_c
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.truth import Incident

_RULES = """\
groups:
  - name: gpu
    rules:
      - alert: GpuTooHot
        expr: DCGM_FI_DEV_GPU_TEMP >= {hot}
        for: 15m
        labels:
          severity: critical
        annotations:
          summary: "GPU {{{{ $labels.gpu }}}} of {{{{ $labels.Hostname }}}} is at {{{{ $value }}}} C"
      - alert: GpuXid
        expr: changes(DCGM_FI_DEV_XID_ERRORS[10m]) > 0 and DCGM_FI_DEV_XID_ERRORS > 0
        labels:
          severity: info
        annotations:
          summary: "Xid {{{{ $value }}}} on GPU {{{{ $labels.gpu }}}} of {{{{ $labels.Hostname }}}}"
      - alert: GpuRowRemapFailed
        expr: DCGM_FI_DEV_ROW_REMAP_FAILURE > 0
        labels:
          severity: warning
        annotations:
          summary: "Row remapping failed on GPU {{{{ $labels.gpu }}}} of {{{{ $labels.Hostname }}}}"
      - alert: GpuIdleInJob
        expr: avg by (hpc_job) (DCGM_FI_DEV_GPU_UTIL{{hpc_job!=""}}) < 5
        for: 2h
        labels:
          severity: info
        annotations:
          summary: "Job {{{{ $labels.hpc_job }}}} has left its GPUs idle for two hours"
  - name: node
    rules:
      - alert: NodeDown
        expr: up{{job="node"}} == 0
        for: 15m
        labels:
          severity: critical
        annotations:
          summary: "{{{{ $labels.instance }}}} does not answer"
      - alert: NodeOutOfMemory
        expr: node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.02
        for: 10m
        labels:
          severity: critical
        annotations:
          summary: "{{{{ $labels.instance }}}} has less than 2 % of its memory left"
      - alert: ClockNotSynchronised
        expr: abs(node_timex_offset_seconds) > 30
        for: 10m
        labels:
          severity: warning
        annotations:
          summary: "Clock of {{{{ $labels.instance }}}} is {{{{ $value }}}} s off"
  - name: fabric
    rules:
      - alert: AdapterDown
        expr: node_infiniband_state_id != 4
        for: 5m
        labels:
          severity: critical
        annotations:
          summary: "{{{{ $labels.device }}}} of {{{{ $labels.instance }}}} has been down for five minutes"
      - alert: AdapterFlaps
        expr: increase(node_infiniband_link_downed_total[10m]) > 5
        for: 5m
        labels:
          severity: warning
        annotations:
          summary: "{{{{ $labels.device }}}} of {{{{ $labels.instance }}}} goes up and down"
  - name: storage
    rules:
      - alert: MetadataOverload
        expr: sum by (mdt) (rate(lustre_mdt_ops_total[15m])) > 150000
        for: 30m
        labels:
          severity: warning
        annotations:
          summary: "{{{{ $labels.mdt }}}} answers {{{{ $value }}}} requests a second"
      - alert: ArrayHasNoDisk
        expr: node_md_disks{{state="active"}} == 0
        for: 5m
        labels:
          severity: critical
        annotations:
          summary: "{{{{ $labels.device }}}} of {{{{ $labels.instance }}}} has no active disk"
"""

_RUNBOOK = """\
# Runbook: a job is slow

1. Ask its owner for the job id, for a run to compare with, and since when.
2. Look at the job's own timers before any dashboard. They are means over 20 steps on rank 0 (`train.log`)
   and over 250 steps on every rank (`timing-by-rank.csv`). The parts of a step add up to the step.
3. In synchronous training every rank waits for the slowest. A wait shows on the ranks that are well.
4. Compare with the last good run: what changed in the cluster (`people/changes.txt`), in configuration
   (`config/last-known-good`) and in the job (`runs/baseline`)?
5. Who else ran at the time? `slurm/sacct.txt` has every job with start and end.

## Before you act

- A node is drained with a reason, and its users are told:
  `scontrol update NodeName=NODE State=DRAIN Reason=...`.
- Jobs belong to their owners. Pausing or moving one needs the owner's word, or that of the duty manager.
- The subnet manager, the storage servers and the feeds are changed by their own teams only
  (fabric: l.moreau, storage: p.achebe, hall: facility desk).
- A restart of this training begins at the last checkpoint and takes two and a half minutes before its
  first step.
- Times: logs of hosts and of Slurm are in {zone} ({short}); BMC event logs and metrics are in UTC.

## What is watched

`monitoring/alerts.rules.yml` is everything that wakes somebody. It was written when the cluster was new.
"""


def alert_rules(incident: Incident) -> Document:
    """Rules that promtool accepts; thresholds far out, as sites have them that fear being woken."""
    text = _RULES.format(hot=limit_c(incident.plant) + 5)
    return _document(incident, "monitoring/alerts.rules.yml", text)


def runbook(incident: Incident) -> Document:
    zone = incident.calendar.zone
    return _document(
        incident, "people/runbook.md", _RUNBOOK.format(zone=zone.name, short=zone.short)
    )


def _document(incident: Incident, path: str, text: str) -> Document:
    at = incident.calendar.window_start
    return Document(path, tuple(Line(at, line) for line in text.splitlines()))
