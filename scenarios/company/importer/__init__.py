"""Fits a company profile from sacct output, a FOCUS cost file and an inventory. README.md says how."""

from __future__ import annotations

from scenarios.company.importer.fitting import Exports, Fitted, fit
from scenarios.company.importer.sheet import BadRow, Export, ImportRefused

__all__ = ["BadRow", "Export", "Exports", "Fitted", "ImportRefused", "fit"]
