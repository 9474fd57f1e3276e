"""A company's own cluster as an exercise sees it: read, checked, with defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class ProfileError(ValueError):
    """The profile cannot be used; the message is one sentence that names the key."""


@dataclass(frozen=True, slots=True)
class GpuModel:
    """What telemetry of a GPU model looks like: clocks in MHz, power in W, memory in MiB.

    Figures: domain handbook 2.1 (top clock, board power, idle power, memory).
    """

    name: str
    product: str
    top_mhz: int
    idle_mhz: int
    top_w: int
    idle_w: int
    memory_mib: int


GPU_MODELS = {
    gpu.name: gpu
    for gpu in (
        GpuModel("A100", "NVIDIA A100-SXM4-80GB", 1410, 210, 400, 60, 81_920),
        GpuModel("H100", "NVIDIA H100 80GB HBM3", 1980, 345, 700, 78, 81_559),
        GpuModel("H200", "NVIDIA H200", 1980, 345, 700, 80, 143_771),
        GpuModel("B200", "NVIDIA B200", 1965, 345, 1000, 130, 183_359),
    )
}


@dataclass(frozen=True, slots=True)
class Profile:
    """A cluster that can be asked about. Prices in USD, without storage and network.

    The default prices are of the 2026 market for eight H100 (domain handbook 2.9):
    3.45 USD for a GPU-hour on demand, spot about 60 % below, and work bought elsewhere at
    short notice at hyperscaler list price.
    """

    cluster: str = "halo"
    nodes: int = 20
    gpus_per_node: int = 8
    gpu: str = "H100"
    ondemand_node_hour: float = 27.6
    spot_node_hour: float = 10.4
    overflow_gpu_hour: float = 7.0

    @property
    def gpu_model(self) -> GpuModel:
        return GPU_MODELS[self.gpu]


DEFAULT = Profile()


def load_profile(path: Path) -> Profile:
    """Read `company.toml`. Raises ProfileError for anything that is not exactly right."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ProfileError(f"The profile {path} cannot be read: give a text file.") from None
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"The profile {path} is not TOML: {error}.") from None
    return parse_profile(data)


def parse_profile(data: Mapping[str, object]) -> Profile:
    """Check a profile's tables [cluster] and [prices]; every key is optional."""
    known = {"cluster": _CLUSTER, "prices": _PRICES}
    for table in data:
        if table not in known:
            raise ProfileError(f"Unknown table [{table}]: a profile has [cluster] and [prices].")
    values: dict[str, object] = {}
    for table, keys in known.items():
        given = data.get(table, {})
        if not isinstance(given, Mapping):
            raise ProfileError(f"[{table}] must be a table.")
        for key, value in given.items():
            if key not in keys:
                raise ProfileError(f"Unknown key {key} in [{table}]: it has {', '.join(keys)}.")
            values[keys[key]] = _checked(table, key, value)
    return _consistent(Profile(**values))  # type: ignore[arg-type]


_CLUSTER = {
    "name": "cluster",
    "nodes": "nodes",
    "gpus_per_node": "gpus_per_node",
    "gpu_model": "gpu",
}
_PRICES = {
    "ondemand_node_hour": "ondemand_node_hour",
    "spot_node_hour": "spot_node_hour",
    "overflow_gpu_hour": "overflow_gpu_hour",
}


def _checked(table: str, key: str, value: object) -> object:
    where = f"{key} in [{table}]"
    if key == "name":
        if not (isinstance(value, str) and 1 <= len(value) <= 40 and value.isprintable()):
            raise ProfileError(f"{where} must be a name of 1 to 40 printable characters.")
        return value
    if key == "gpu_model":
        if value not in GPU_MODELS:
            raise ProfileError(f"{where} must be one of {', '.join(GPU_MODELS)}.")
        return value
    if key == "gpus_per_node":
        if type(value) is not int or value not in (4, 8):
            raise ProfileError(f"{where} must be 4 or 8.")
        return value
    if key == "nodes":
        if type(value) is not int or not 8 <= value <= 64:
            raise ProfileError(f"{where} must be a whole number from 8 to 64.")
        return value
    if type(value) not in (int, float) or not 0.01 <= value <= 10_000:  # type: ignore[operator]
        raise ProfileError(f"{where} must be a price in USD from 0.01 to 10000.")
    return float(value)  # type: ignore[arg-type]


def _consistent(profile: Profile) -> Profile:
    if profile.spot_node_hour >= profile.ondemand_node_hour:
        raise ProfileError("spot_node_hour in [prices] must be below ondemand_node_hour.")
    if profile.overflow_gpu_hour * profile.gpus_per_node <= profile.ondemand_node_hour:
        raise ProfileError(
            "overflow_gpu_hour in [prices] must be above the on-demand price of one GPU."
        )
    return profile
