"""How others would put each measure: written after the patterns, two of which were mended by them."""

from __future__ import annotations

Where = dict[str, str | list[str]]
BURST: Where = {"account": "cluster-burst"}
SERVING: Where = {"account": "serving-prod", "charge": "*on-demand*"}
POWER: Where = {"service": "Electricity"}
DATA: Where = {"service": "Object Storage", "tag": "data=*"}
BATCH: Where = {"account": "data-batch"}
EVAL: Where = {"account": "model-eval"}
OWN: Where = {"service": "Owned GPU nodes"}

SAID: tuple[tuple[str, str, Where], ...] = (
    (
        "idle_reap",
        "Kill GPU allocations sitting at zero utilisation for more than two hours",
        BURST,
    ),
    ("idle_reap", "Detect jobs doing nothing and release their GPUs so we rent less", OWN),
    (
        "notebook_ttl",
        "Auto-stop Jupyter servers that nobody touched for 60 minutes",
        {"account": "research-dev"},
    ),
    (
        "mig_share",
        "Consolidate tiny models onto shared cards using time-slicing",
        {"account": "serving-small"},
    ),
    (
        "rightsize_requests",
        "Half the GPUs in many jobs are never touched: enforce smaller requests",
        BURST,
    ),
    ("gpu_type", "Use L4 class cards for the benchmark suite", EVAL),
    ("binpack", "Reduce fragmentation on partly filled nodes so 8-GPU jobs start at home", BURST),
    ("fair_share", "Replace hard quotas by elastic ones: lend unused quota", BURST),
    ("time_limits", "Require realistic walltimes to make backfill effective", BURST),
    (
        "internal_preemptible",
        "Use our own valleys: preemptible queue at night for the data pipeline",
        {"account": "data-batch"},
    ),
    (
        "cloud_poweroff",
        "Scale burst pools in when no job is queued rather than keeping nodes warm",
        BURST,
    ),
    (
        "commit_base",
        "Reserved capacity for the floor of the assistant's load",
        {"account": "serving-prod", "charge": "*on-demand*"},
    ),
    (
        "spot_batch",
        "Interruptible capacity for restartable nightly work",
        {"account": "data-batch"},
    ),
    (
        "unused_commitment",
        "Let reservation cmt-88213 expire at the renewal and buy a smaller one",
        {"commitment": "Unused"},
    ),
    ("region_move", "Shift evaluation to Virginia, public data only", EVAL),
    (
        "egress_fix",
        "Mirror the daily-downloaded corpora on premises to avoid egress",
        {"charge": "Transfer out"},
    ),
    (
        "tiering",
        "Lifecycle policy: objects unread for a quarter go to cool, then archive",
        {"service": "Object Storage", "tag": "data=*"},
    ),
    (
        "checkpoint_retention",
        "Prune old model checkpoints, keep the newest few per run",
        {"resource": "checkpoints-*"},
    ),
    (
        "power_cap",
        "Lower GPU power limits (cap at 500 W) for I/O-bound jobs",
        {"service": "Electricity"},
    ),
    (
        "licences",
        "Cut the enterprise AI suite from 160 to what is really used",
        {"service": "AI software suite"},
    ),
    (
        "third_party",
        "Move out-of-warranty storage to an independent maintainer",
        {"service": "Support of old*"},
    ),
    (
        "chargeback",
        "Introduce showback so that teams see what they spend",
        {"account": ["research-dev", "model-eval"]},
    ),
    ("goodput", "Cut GPU-hours lost to crashes with pre-flight node checks", BURST),
    (
        "serving_efficiency",
        "Continuous batching on the assistant to run at 70 % instead of half load",
        {"account": "serving-prod", "charge": "*on-demand*"},
    ),
    (
        "return_lease",
        "Terminate the leasing contract for the idle leased boxes",
        {"service": "Leased nodes"},
    ),
    (
        "zombies",
        "Remove unattached disks and stray IP addresses",
        {"resource": ["old-*", "address-*"]},
    ),
    ("switch_off_nodes", "Power down six of our servers at weekends to save depreciation", OWN),
    ("colo_space", "Hand back 60 kW of unused rack power", {"service": "Colocation"}),
    ("support_nodes", "Drop vendor support on the H100 fleet", {"service": "Support of GPU nodes"}),
    (
        "move_to_teams",
        "Charge the network to the teams so it leaves our budget",
        {"account": "shared-network"},
    ),
    (
        "commit_peak",
        "Three-quarter coverage by one-year reservations for all burst instances",
        BURST,
    ),
    ("spot_serving", "Serve the assistant from spot nodes", {"account": "serving-prod"}),
    (
        "single_zone",
        "Keep all serving traffic in a single zone",
        {"charge": "Transfer between zones"},
    ),
    (
        "leave_region",
        "Move all rented workloads to us-east where prices are lower",
        {"account": ["serving-prod", "cluster-burst"]},
    ),
    ("delete_held", "Purge the audit archive bucket", {"resource": "audit-archive"}),
    (
        "deep_archive",
        "Put every data set into the archive tier",
        {"service": "Object Storage", "tag": "data=*"},
    ),
    (
        "cut_cloud_support",
        "Downgrade the cloud support plan to basic",
        {"service": "Cloud Support"},
    ),
    ("cap_critical", "Cap all GPUs of the whole fleet at 500 W", POWER),
    ("cooling_capex", "Invest in aisle containment to bring PUE down", POWER),
    (
        "bring_home",
        "Buy eight nodes and take serving in-house",
        {"account": "serving-prod", "charge": "*on-demand*"},
    ),
)
"""(what is meant, how it is said, at which rows it points)."""
