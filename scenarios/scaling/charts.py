"""Which columns of the history's files a page draws as charts."""

from __future__ import annotations

from scenarios.scaling.history import GPUS, NETWORK, POWER, QUEUE, STORAGE, TEAMS, WAITS, waiting
from scenarios.scaling.scene import Scene
from scenarios.scaling.tables import slugs


def charts(scene: Scene) -> list[dict[str, object]]:
    """Each: path of a CSV, column of its x axis, title, and series of column, title and unit."""
    return [*_work(scene), *_plant(scene), _teams(scene)]


def _work(scene: Scene) -> list[dict[str, object]]:
    """What runs and what waits, by kind of work."""
    names = {work.job_class: _title(work.title or work.job_class) for work in scene.work}
    queued = [(work.job_class, names[work.job_class]) for work in waiting(scene)]
    running = [(f"{key}_gpus", name, "GPUs") for key, name in names.items()]
    asked = [(f"{key}_queued_gpus", name, "GPUs") for key, name in queued]
    oldest = [(f"{key}_oldest_wait_h", name, "h") for key, name in queued]
    p95 = [(f"{key}_p95_h", name, "h") for key, name in queued]
    p50 = [(f"{key}_p50_h", name, "h") for key, name in queued]
    apart = [
        ("sessions_without_activity_gpus", "Held by sessions without activity", "GPUs"),
        ("free_on_shared_nodes_gpus", "Free on shared nodes", "GPUs"),
        ("serving_unserved_gpus", "Asked for by serving and not there", "GPUs"),
    ]
    return [
        _chart(
            "GPUs in use", GPUS, "time", [*running, ("unallocated_gpus", "Not allocated", "GPUs")]
        ),
        _chart("Held, free and missing GPUs", GPUS, "time", apart),
        _chart("GPUs that the queue asks for", QUEUE, "time", asked),
        _chart("Longest wait of a job in the queue", QUEUE, "time", oldest),
        _chart("Wait that 95 of 100 jobs stayed within", WAITS, "day", p95),
        _chart("Wait that half of the jobs stayed within", WAITS, "day", p50),
    ]


def _plant(scene: Scene) -> list[dict[str, object]]:
    """Storage, network and power."""
    sites = slugs([place.site.name for place in scene.places])
    storage = [
        ("asked_gbs", "Asked for", "GB/s"),
        ("of_it_checkpoints_gbs", "of it checkpoints", "GB/s"),
        ("limit_gbs", "Limit", "GB/s"),
    ]
    uplinks = [(f"{key}_uplinks_percent", name, "%") for name, key in sites.items()]
    found = [
        _chart("Storage bandwidth", STORAGE, "time", storage),
        _chart("Uplinks from leaves to spines", NETWORK, "time", uplinks),
    ]
    for name, key in sites.items():
        power = [(f"{key}_kw", "Drawn", "kW"), (f"{key}_limit_kw", "Limit", "kW")]
        found.append(_chart(f"Power at {name}", POWER, "time", power))
    return found


def _teams(scene: Scene) -> dict[str, object]:
    names = slugs([team.name for team in scene.profile.teams])
    series = [(key, name, "GPU-hours") for name, key in names.items()]
    return _chart("GPU-hours by team", TEAMS, "day", series)


def _title(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _chart(title: str, path: str, x: str, series: list[tuple[str, str, str]]) -> dict[str, object]:
    return {
        "path": path,
        "x": x,
        "title": title,
        "series": [
            {"column": column, "title": name, "unit": unit} for column, name, unit in series
        ],
    }
