"""A controller's view of a Headnode cluster."""

from __future__ import annotations

from ._channel import ChannelClosed, _sock, call
from .checkpoints import Checkpoint, Store, Training, Zone
from .clouds import Budget, Cloud, CloudRun, LogPage, Placement, Quote
from .cluster import Cluster, connect
from .errors import ApiError, ApiTimeout, Conflict, InvalidRequest, NotFound, RateLimited
from .model import DrainResult, Event, Job, Metrics, Node, NodeMetrics, Pool, Queue, ScaleResult
from .slices import GangStart, MigGpu, MigInstance, Service, Tenant

__version__ = "1.0.0"

__all__ = [
    "ApiError",
    "ApiTimeout",
    "Budget",
    "ChannelClosed",
    "Checkpoint",
    "Cloud",
    "CloudRun",
    "Cluster",
    "Conflict",
    "DrainResult",
    "Event",
    "GangStart",
    "InvalidRequest",
    "Job",
    "LogPage",
    "Metrics",
    "MigGpu",
    "MigInstance",
    "Node",
    "NodeMetrics",
    "NotFound",
    "Placement",
    "Pool",
    "Queue",
    "Quote",
    "RateLimited",
    "ScaleResult",
    "Service",
    "Store",
    "Tenant",
    "Training",
    "Zone",
    "_sock",
    "call",
    "connect",
]
