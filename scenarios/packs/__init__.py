"""Scenario packs: folders found by their path; copying one makes a new one."""

from __future__ import annotations

from scenarios.packs.check import PackInvalid
from scenarios.packs.documents import Document
from scenarios.packs.pack import (
    PRACTICE,
    Measure,
    Pack,
    PackNotFound,
    Section,
    Times,
    all_packs,
    load_pack,
    practice_company,
)
from scenarios.packs.rubric import Criterion, Rubric
from scenarios.packs.variant import build

__all__ = [
    "PRACTICE",
    "Criterion",
    "Document",
    "Measure",
    "Pack",
    "PackInvalid",
    "PackNotFound",
    "Rubric",
    "Section",
    "Times",
    "all_packs",
    "build",
    "load_pack",
    "practice_company",
]
