"""What a command loads: whoever builds one pack waits for that pack, and for nothing that it does not use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "django",
    "docker",
    "multiprocessing",
    "numpy.testing",
    "pandas",
    "pytest",
    "scipy",
    "ssl",
    "statsmodels",
    "urllib.request",
}
GENERATORS = {
    "cost/fleet-bill": "scenarios.cost",
    "scaling-plan/growth-year": "scenarios.scaling",
    "troubleshooting/slow-training": "scenarios.troubleshooting",
}
OTHERS = ("automation/queue-autoscaler", "gpu/low-utilisation")


def loaded(*arguments: str) -> set[str]:
    """Names of the modules in a process of its own after the command."""
    program = "import sys; from scenarios.__main__ import main; code = main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; sys.exit(code)", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("pack", [*GENERATORS, *OTHERS])
@pytest.mark.by_day(
    but=["cost/fleet-bill", "scaling-plan/growth-year", "troubleshooting/slow-training"]
)
def test_a_build_loads_its_own_pack_and_nothing_heavy(pack: str, tmp_path: Path) -> None:
    out, key = str(tmp_path / "variant"), str(tmp_path / "key.json")
    found = loaded("build", pack, "--level", "junior", "--seed", "1", "--out", out, "--key", key)
    assert HEAVY & found == set()
    assert {name for name in GENERATORS.values() if name in found} <= {GENERATORS.get(pack, "")}
    assert not any(name.startswith("scenarios.commands.") for name in found)


@pytest.mark.parametrize("pack", ["cost/fleet-bill", *OTHERS])
@pytest.mark.by_day(but=["cost/fleet-bill"])
def test_what_counts_without_arrays_loads_no_numpy(pack: str, tmp_path: Path) -> None:
    out = str(tmp_path / "variant")
    assert "numpy" not in loaded("build", pack, "--level", "junior", "--seed", "1", "--out", out)


@pytest.mark.nightly
def test_the_list_of_packs_loads_no_command() -> None:
    found = loaded("list")
    assert HEAVY & found == set()
    assert not any(name.startswith("scenarios.commands.") for name in found)


@pytest.mark.parametrize(
    ("command", "module"), [("fairshare", "fairshare"), ("import", "importing")]
)
def test_a_command_loads_its_own_module_alone(command: str, module: str) -> None:
    program = (
        "import sys, contextlib; from scenarios.__main__ import main\n"
        "with contextlib.suppress(SystemExit): main([sys.argv[1], '--help'])\n"
        "print(*(name for name in sys.modules if name.startswith('scenarios.commands.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, command], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == f"scenarios.commands.{module}"
