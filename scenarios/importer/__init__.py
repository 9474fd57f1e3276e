"""Fits a company profile from sacct output, a FOCUS cost file and an inventory. README.md says how."""

from __future__ import annotations

from scenarios.importer.fitting import Exports, Fitted, fit
from scenarios.importer.sheet import BadRow, Export, ImportRefused

__all__ = ["BadRow", "Export", "Exports", "Fitted", "ImportRefused", "fit"]
