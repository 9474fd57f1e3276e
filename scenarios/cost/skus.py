"""What is sold to the company, by key: ids, FOCUS categories, meters and units."""

from __future__ import annotations

from scenarios.cost.rows import Sku

_GOVERN = "Management and Governance"
_DESK = ("Compute", "End User Computing")
_AI = ("AI and Machine Learning", "AI Platforms")
_HELP = (_GOVERN, "Support")
_VM = ("GPU Compute", "Compute", "Virtual Machines")
_OBJECTS = ("Object Storage", "Storage", "Object Storage")
_NET = ("Networking", "Network Infrastructure")
_OTHER = ("Other", "Other (Other)")
_TRANSFER = ("Network Transfer", "Networking", "Network Connectivity")
_SOLD = {
    "node": ("NB-G8-OD", *_VM, "Instance hours, 8 GPUs, on-demand", "Hours"),
    "node-spot": ("NB-G8-SP", *_VM, "Instance hours, 8 GPUs, spot", "Hours"),
    "single": ("NB-G1-OD", *_VM, "Instance hours, 1 GPU, on-demand", "Hours"),
    "committed": ("NB-CMT-G8", *_VM, "Committed hours, 8 GPUs, one year", "Hours"),
    "volume": ("NB-SSD", "Block Volumes", "Storage", "Block Storage", "Volume storage", "TB-Days"),
    "snapshot": (
        "NB-SNAP",
        "Block Volumes",
        "Storage",
        "Block Storage",
        "Snapshot storage",
        "TB-Days",
    ),
    "hot": ("NB-OBJ-HOT", *_OBJECTS, "Objects, class hot", "TB-Days"),
    "archive": ("NB-OBJ-ARC", *_OBJECTS, "Objects, class archive", "TB-Days"),
    "egress": ("NB-NET-OUT", *_TRANSFER, "Transfer out", "TB"),
    "nat": ("NB-NET-NAT", *_TRANSFER, "Address translation", "TB"),
    "zones": ("NB-NET-ZONE", *_TRANSFER, "Transfer between zones", "TB"),
    "address": ("NB-IP-IDLE", "Network Addresses", *_NET, "Address without use", "Days"),
    "cloud-support": ("NB-SUP-BUS", "Cloud Support", *_HELP, "Business support plan", "Months"),
    "dc.nodes": (
        "OWN-NODES",
        "Owned GPU nodes",
        "Compute",
        "Other (Compute)",
        "Amortisation",
        "Months",
    ),
    "dc.fabric": ("OWN-FABRIC", "Owned network", *_NET, "Amortisation", "Months"),
    "dc.storage": (
        "OWN-STORAGE",
        "Owned storage",
        "Storage",
        "File Storage",
        "Amortisation",
        "Months",
    ),
    "space": ("KCO-KW", "Colocation", *_OTHER, "Contracted power", "kW-Months"),
    "power": ("KCO-KWH", "Electricity", *_OTHER, "Power drawn, with the contract's factor", "kWh"),
    "lic.suite": ("VSW-SUITE", "AI software suite", *_AI, "AI software suite", "Seats"),
    "lic.monitoring": ("VSW-MON", "Monitoring", _GOVERN, "Observability", "Monitoring", "Seats"),
    "lic.scheduler": ("VSW-SCH", "Scheduler support", *_HELP, "Scheduler support", "Seats"),
    "lic.desktop": ("VSW-DSK", "Virtual desktops", *_DESK, "Virtual desktops", "Seats"),
    "lease": (
        "LLE-NODE",
        "Leased nodes",
        "Compute",
        "Other (Compute)",
        "Lease of a node",
        "Months",
    ),
    "sup.nodes": ("RLS-NODES", "Support of GPU nodes", *_HELP, "Support of GPU nodes", "Months"),
    "sup.fabric": (
        "RLS-FABRIC",
        "Support of the fabric",
        *_HELP,
        "Support of the fabric",
        "Months",
    ),
    "sup.old": (
        "RLS-OLD",
        "Support of old storage and CPU nodes",
        *_HELP,
        "Support of old kit",
        "Months",
    ),
}


def sold(
    key: str, cents: int = 0, *, listed: int = 0, pricing: str = "Standard", details: str = ""
) -> Sku:
    """The SKU of that key at our price in cents; `listed` is the list price where it is another."""
    code, service, category, subcategory, meter, unit = _SOLD[key]
    return Sku(
        code, service, category, subcategory, meter, unit, listed or cents, cents, pricing, details
    )
