"""What all tests have in common: the same examples and variants each time, and a word at the end on what
was not there and how many tests that left out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# How long an example takes says more about the machine than about the code. Where a change is judged the
# examples are the same each time; elsewhere every run looks at others.
judged = bool(os.environ.get("HEADNODE_REQUIRE_ALL"))
hypothesis.settings.register_profile("untimed", deadline=None, derandomize=judged)
hypothesis.settings.load_profile("untimed")

PLATFORM = Path(__file__).parent / "platform"


@pytest.fixture(scope="module", autouse=True)
def same_variants_of_a_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """What fixtures of a whole module draw."""
    yield from _same_variants(request)


@pytest.fixture(autouse=True)
def same_variants(request: pytest.FixtureRequest) -> Iterator[None]:
    """What one test draws does not depend on those before it."""
    yield from _same_variants(request)


def _same_variants(request: pytest.FixtureRequest) -> Iterator[None]:
    if not request.path.is_relative_to(PLATFORM):
        yield
        return
    from headnode.tests import variants

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variants.DRAWS, variants.draws(request.node.nodeid))
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1
    if reasons:
        parts = [f"{reason} ({count} left out)" for reason, count in reasons.items()]
        terminalreporter.write_line(f"Not tested here: {'; '.join(parts)}.", yellow=True)
