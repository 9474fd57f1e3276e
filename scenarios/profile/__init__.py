"""A company's own cluster: its profile as TOML, read, checked, filled with defaults, written and described."""

from __future__ import annotations

from scenarios.profile.columns import ProfileError
from scenarios.profile.company import DEFAULT, Profile
from scenarios.profile.describing import describe
from scenarios.profile.gpus import GPU_MODELS, GpuModel
from scenarios.profile.reading import load_profile, parse_profile, read_profile
from scenarios.profile.writing import complete, digest, to_toml

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
