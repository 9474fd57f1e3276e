"""What cards, leases and watches have to show, on a stand-in for the driver and on a real card."""

from __future__ import annotations
