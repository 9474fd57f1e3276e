"""Small exports as the tools write them, for tests."""

from __future__ import annotations

import csv
import io
import random
from datetime import datetime, timedelta

from scenarios.company.importer import Export, Exports, Fitted, fit

FIELDS = (
    "JobID|JobName|User|Account|Partition|State|Submit|Start|End|Elapsed|NNodes|AllocTRES|NodeList"
)
JOB = {
    "JobID": "4711",
    "JobName": "sweep",
    "User": "ada",
    "Account": "vision",
    "Partition": "gpu",
    "State": "COMPLETED",
    "Submit": "2026-01-05T08:00:00",
    "Start": "2026-01-05T09:00:00",
    "End": "2026-01-05T11:00:00",
    "Elapsed": "02:00:00",
    "NNodes": "1",
    "AllocTRES": "billing=288,cpu=64,gres/gpu:h100=8,gres/gpu=8,mem=1T,node=1",
    "NodeList": "gpu001",
}
COST = {
    "BilledCost": "55.04",
    "EffectiveCost": "55.04",
    "BillingCurrency": "USD",
    "ChargeCategory": "Usage",
    "ChargePeriodStart": "2026-02-01T00:00:00Z",
    "ChargePeriodEnd": "2026-02-01T01:00:00Z",
    "ServiceCategory": "Compute",
    "PricingCategory": "Standard",
    "PricingQuantity": "1",
    "PricingUnit": "Hours",
    "SkuPriceDetails": '{"InstanceType": "p5.48xlarge", "GpuCount": 8}',
    "ServiceName": "Virtual machines",
    "ChargeDescription": "p5.48xlarge in Frankfurt",
    "ChargeFrequency": "Usage-Based",
    "CommitmentDiscountStatus": "",
}


def job(fields: str = FIELDS, **values: str) -> str:
    """One line of accounting."""
    return "|".join((JOB | values).get(name, "") for name in fields.split("|"))


def sacct(*lines: str, fields: str = FIELDS) -> str:
    """What `sacct -P` prints."""
    return "\n".join([fields, *lines]) + "\n"


def focus(*rows: dict[str, str]) -> str:
    """A FOCUS file with those rows, each given by what differs from a usual one."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(COST))
    writer.writeheader()
    writer.writerows(COST | row for row in rows)
    return out.getvalue()


def export(name: str, text: str | bytes, encoding: str = "") -> Export:
    """A file in memory."""
    return Export(name, io.BytesIO(text if isinstance(text, bytes) else text.encode()), encoding)


def imported(
    accounting: str | bytes | None = None,
    costs: str | bytes | None = None,
    stock: str | bytes | None = None,
    *,
    skip_bad: bool = False,
    encoding: str = "",
) -> Fitted:
    """What comes of those files."""
    given = (("sacct", accounting), ("focus", costs), ("inventory", stock))
    found = {kind: export(kind, text, encoding) for kind, text in given if text is not None}
    return fit(Exports(**found), name="Aurora", skip_bad=skip_bad)


def year(jobs: int = 3000, growth: float = 1.0) -> str:
    """Accounting of 180 days: 24 nodes, three teams with rhythms of their own, growing use."""
    chance, lines = random.Random(5), []
    first = datetime(2025, 6, 2)  # noqa: DTZ001
    for number in range(jobs):
        day = int(180 * chance.random() ** (1 / growth))
        team = chance.choices(("foundation", "serving", "students"), (5, 3, 2))[0]
        weekend = (first + timedelta(days=day)).weekday() >= 5
        if team == "students" and weekend and chance.random() < 0.8:
            continue
        hour = chance.randrange(9, 18) if team == "students" else chance.randrange(24)
        start = first + timedelta(days=day, hours=hour, minutes=chance.randrange(60))
        end = start + timedelta(minutes=chance.randrange(20, 300))
        gpus, name = {
            "foundation": (16, "pretrain_70b"),
            "serving": (4, "vllm-serve"),
            "students": (1, "jupyter"),
        }[team]
        nodes = max(1, gpus // 8)
        place = chance.randrange(1, 26 - nodes)
        hosts = f"gpu[{place:02d}-{place + nodes - 1:02d}]" if nodes > 1 else f"gpu{place:02d}"
        lines.append(
            job(
                JobID=str(1000 + number),
                JobName=name,
                User=f"u{chance.randrange(12)}",
                Account=team,
                Start=start.isoformat(),
                End=end.isoformat(),
                NNodes=str(nodes),
                AllocTRES=f"cpu={gpus * 8},gres/gpu={gpus},gres/gpu:h200={gpus},node={nodes}",
                NodeList=hosts,
            )
        )
    return sacct(*lines)


STOCK = """kind,name,count,gpu_model,gpus,power_kw,rack_units,price_usd,purchased,site,role,ports,link_gbps,\
storage_kind,capacity_tb,used_tb,bandwidth_gbs,price_tb_month,region,racks,rack_kw,total_kw,pue
node,h001,,H100,8,10.2,8,305000,2024-11,Hall 1,,,,,,,,,,,,,
node,h002,,NVIDIA H100,8,10.2,8,305000,2024-11,Hall 1,,,,,,,,,,,,,
node,H100 rest,14,H100,8,10.2,8,305000,2025-06,Hall 1,,,,,,,,,,,,,
node,Login,2,,,0.8,1,12000,2024-11,Hall 1,,,,,,,,,,,,,
switch,leaf,8,,,,,,,,leaf,64,400,,,,,,,,,,
switch,spine,4,,,,,,,,spine,64,400,,,,,,,,,,
storage,"Scratch, fast",,,,,,,,,,,,parallel,800,500,90,11,,,,,
site,Hall 1,,,,,42,,,,,,,,,,,,Oslo,14,25,260,1.2
"""
