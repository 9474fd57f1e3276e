"""What a run gets of the host's devices, as plain data; asks no driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Hardware:
    """Device files, read-only folders and files, and variables; empty for almost every run.

    `nodes` and `shown` map paths of this host to paths inside. `requests` are keyword arguments
    of docker.types.DeviceRequest: the Docker backend uses them in place of `nodes`, and the
    engine brings the driver's libraries by itself.
    """

    nodes: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    requests: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_gpu(self) -> bool:
        """Whether the system-call filter has to let the NVIDIA driver be spoken to."""
        return bool(self.nodes or self.requests)


NO_HARDWARE = Hardware()
