"""A controller's view of a Headnode cluster."""

from __future__ import annotations

from ._channel import ChannelClosed, _sock, call
from .alerts import Alert, Contact, Evidence, Gpu, Panel, Process, Sample, Window
from .checkpoints import Checkpoint, Store, Training, Zone
from .clouds import Budget, Cloud, CloudRun, LogPage, Placement, Quote
from .cluster import Cluster, connect
from .errors import ApiError, ApiTimeout, Conflict, InvalidRequest, NotFound, RateLimited
from .model import DrainResult, Event, Job, Metrics, Node, NodeMetrics, Pool, Queue, ScaleResult
from .quotas import (
    Activity,
    JobRun,
    Partition,
    Promise,
    Qos,
    Quota,
    Reservation,
    Share,
    Team,
    TemplateAnswer,
)
from .slices import GangStart, MigGpu, MigInstance, Service, Tenant, fits, size_of
from .workloads import Admission, Flavor, QuotaPlan, Room, Workload

__version__ = "1.0.0"

__all__ = [
    "Activity",
    "Admission",
    "Alert",
    "ApiError",
    "ApiTimeout",
    "Budget",
    "ChannelClosed",
    "Checkpoint",
    "Cloud",
    "CloudRun",
    "Cluster",
    "Conflict",
    "Contact",
    "DrainResult",
    "Event",
    "Evidence",
    "Flavor",
    "GangStart",
    "Gpu",
    "InvalidRequest",
    "Job",
    "JobRun",
    "LogPage",
    "Metrics",
    "MigGpu",
    "MigInstance",
    "Node",
    "NodeMetrics",
    "NotFound",
    "Panel",
    "Partition",
    "Placement",
    "Pool",
    "Process",
    "Promise",
    "Qos",
    "Queue",
    "Quota",
    "QuotaPlan",
    "Quote",
    "RateLimited",
    "Reservation",
    "Room",
    "Sample",
    "ScaleResult",
    "Service",
    "Share",
    "Store",
    "Team",
    "TemplateAnswer",
    "Tenant",
    "Training",
    "Window",
    "Workload",
    "Zone",
    "_sock",
    "call",
    "connect",
    "fits",
    "size_of",
]
