"""Six companies unlike the default one, as their profiles' TOML."""

from __future__ import annotations

from scenarios.company.profile import Profile, read_profile


def _site(name: str, region: str, racks: int, kw: int, price: float) -> str:
    return (
        "[facility]\nnode_weeks = 16\nswitch_weeks = 12\nstorage_weeks = 10\nrack_weeks = 8\npower_weeks = 40\n"
        f'[[facility.sites]]\nname = "{name}"\nregion = "{region}"\nracks = {racks}\nrack_kw = 40\n'
        f"total_kw = {kw}\nprice_kwh = {price}\n"
    )


TEXTS = {
    "tokyo": '[cluster]\nname = "kawa"\nnodes = 4\ngpus_per_node = 8\ngpu_model = "L40S"\n'
    '[prices]\ncurrency = "JPY"\n' + _site("Koto 2", "Tokyo", 4, 60, 27.0),
    "large": '[cluster]\nname = "boreas"\nnodes = 2000\ngpu_model = "MI300X"\n'
    '[prices]\ncurrency = "EUR"\n' + _site("Hall 1", "Stockholm", 1400, 30000, 0.06),
    "university": '[cluster]\nname = "tanager"\nnodes = 12\ngpus_per_node = 4\ngpu_model = "A100"\n'
    "[prices]\nondemand_node_hour = 9.2\nspot_node_hour = 3.6\n"
    '[[teams]]\nname = "Genomics"\ngpu_share = 0.6\ntraining = 0.5\nfine_tuning = 0.3\nbatch = 0.2\n'
    '[[teams]]\nname = "Astronomy"\ngpu_share = 0.4\ntraining = 0.2\n'
    "interactive = 0.4\ninference = 0.1\nbatch = 0.3\n"
    + _site("Computing Center", "Chicago", 12, 200, 0.07),
    "mixed": '[cluster]\nname = "loom"\n[prices]\ncurrency = "GBP"\n'
    '[[node_types]]\nname = "Blackwell"\ncount = 16\ngpu = "B200"\ngpus = 8\npurchased = "2025-06"\n'
    '[[node_types]]\nname = "Ampere"\ncount = 10\ngpu = "A100"\ngpus = 8\npurchased = "2022-03"\n'
    + _site("Slough 4", "London", 60, 600, 0.2),
    "startup": '[cluster]\nname = "jacaranda"\nnodes = 6\ngpu_model = "H200"\n'
    '[prices]\ncurrency = "BRL"\nondemand_node_hour = 180\nspot_node_hour = 70\noverflow_gpu_hour = 46\n',
    "own card": '[cluster]\nname = "meltemi"\nnodes = 24\ngpu_model = "XPU9"\n'
    '[prices]\ncurrency = "AED"\n'
    '[[accelerators]]\nname = "XPU9"\nproduct = "Borealis XPU9"\nvendor = "Borealis"\nmemory_gib = 128\n'
    'power_w = 600\nlink = "FabricLink"\nlink_gbs = 700\nprice_usd = 60000\n'
    + _site("Module 3", "Abu Dhabi", 20, 400, 0.3),
}


def companies() -> dict[str, Profile]:
    """Name -> profile."""
    return {name: read_profile(text) for name, text in TEXTS.items()}
