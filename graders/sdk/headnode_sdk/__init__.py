"""A controller's view of a Headnode cluster."""

from __future__ import annotations

from ._channel import ChannelClosed, _sock, call
from .cluster import Cluster, connect
from .errors import ApiError, ApiTimeout, Conflict, InvalidRequest, NotFound, RateLimited
from .model import DrainResult, Event, Job, Metrics, Node, NodeMetrics, Pool, Queue, ScaleResult

__version__ = "1.0.0"

__all__ = [
    "ApiError",
    "ApiTimeout",
    "ChannelClosed",
    "Cluster",
    "Conflict",
    "DrainResult",
    "Event",
    "InvalidRequest",
    "Job",
    "Metrics",
    "Node",
    "NodeMetrics",
    "NotFound",
    "Pool",
    "Queue",
    "RateLimited",
    "ScaleResult",
    "_sock",
    "call",
    "connect",
]
