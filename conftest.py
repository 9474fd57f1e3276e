"""What every test run says at its end: what was not there, and how many tests that left out."""

from __future__ import annotations

from collections import Counter

import hypothesis
import pytest

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1
    if reasons:
        parts = [f"{reason} ({count} left out)" for reason, count in reasons.items()]
        terminalreporter.write_line(f"Not tested here: {'; '.join(parts)}.", yellow=True)
