"""Runs untrusted programs; knows neither exercises nor the web."""

from __future__ import annotations

from sandbox.backends import open_backend
from sandbox.contract import Backend, CallRefused, Outcome, Session, Speaking, Spec, Status
from sandbox.limits import Limits
from sandbox.probe import Layer, Report
from sandbox.unavailable import SandboxUnavailable

__all__ = [
    "Backend",
    "CallRefused",
    "Layer",
    "Limits",
    "Outcome",
    "Report",
    "SandboxUnavailable",
    "Session",
    "Speaking",
    "Spec",
    "Status",
    "open_backend",
]
