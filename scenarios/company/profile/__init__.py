"""A company's own cluster: its profile as TOML, read, checked, filled with defaults, written and described."""

from __future__ import annotations

from scenarios.company.profile.columns import ProfileError
from scenarios.company.profile.company import DEFAULT, Profile
from scenarios.company.profile.describing import describe
from scenarios.company.profile.gpus import GPU_MODELS, GpuModel
from scenarios.company.profile.reading import load_profile, parse_profile, read_profile
from scenarios.company.profile.writing import complete, digest, to_toml

__all__ = [
    "DEFAULT",
    "GPU_MODELS",
    "GpuModel",
    "Profile",
    "ProfileError",
    "complete",
    "describe",
    "digest",
    "load_profile",
    "parse_profile",
    "read_profile",
    "to_toml",
]
