"""What all tests have in common: which of them run by day, the same examples and variants each time, and a
word at the end on what was left out and why.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest

# How long an example takes says more about the machine than about the code. Where a change is judged the
# examples are the same each time; elsewhere, and by night, every run looks at others.
judged = bool(os.environ.get("HEADNODE_REQUIRE_ALL"))
nightly = bool(os.environ.get("HEADNODE_NIGHTLY"))
hypothesis.settings.register_profile("untimed", deadline=None, derandomize=judged and not nightly)
hypothesis.settings.load_profile("untimed")

ROOT = Path(__file__).parent
PLATFORM = ROOT / "platform"
LEFT = pytest.StashKey[Counter[str]]()
"""How many tests are left to the night ("night"), and how many in all are not run ("all")."""
DATABASE = {"db", "transactional_db"}
BROWSER = "platform/headnode/tests/browser"
LONGEST = [
    "graders/tests/test_goldens.py",
    f"{BROWSER}/test_story.py",
    f"{BROWSER}/test_candidate_pages.py",
    f"{BROWSER}/test_trouble.py",
    f"{BROWSER}/test_cost_workspace.py",
    f"{BROWSER}/test_scaling_workspace.py",
    f"{BROWSER}/test_troubleshooting.py",
]
"""Modules that begin first: one process has a module to itself, and none shall be left with one at the end."""


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


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Migrating takes seconds: it is done once, not by every process of every run."""
    from django.db import connection

    from headnode.tests.migrated import lend_migrated

    lend_migrated(connection)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("headnode")
    group.addoption(
        "--keep-statements", metavar="FOLDER", help="keep what each test asks of the database"
    )
    group.addoption(
        "--repeat-statements",
        metavar="FOLDER",
        help="of the tests marked database those that together ask all that was kept there",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT] = Counter()
    if folder := config.getoption("--keep-statements"):
        from headnode.tests.statements import Recorder

        config.pluginmanager.register(Recorder(Path(folder)))


# First of all: -m and -k choose among what this leaves and by the marks that it sets.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Leave to the night what is marked so, unless tests are named; mark what asks the database."""
    if not nightly and not any("::" in argument for argument in config.args):
        _leave_to_the_night(config, items)
    marked = _mark_what_asks_the_database(items)
    if folder := config.getoption("--repeat-statements"):
        _leave_what_others_ask(config, items, marked, Path(folder))
    yield
    # The browser's modules mostly wait: others fill what they leave free.
    turns = {ROOT / name: turn for turn, name in enumerate(LONGEST)}
    items.sort(
        key=lambda item: (turns.get(item.path, len(turns)), item.path.parent.name != "browser")
    )


def _mark_what_asks_the_database(items: list[pytest.Item]) -> list[pytest.Function]:
    """Of each test the first case: the others ask the same with other values.

    Where the values are what counts, a test or module has the mark itself, and so all of its cases.
    Returns those that had no mark.
    """
    met, marked = set(), []
    for item in items:
        if isinstance(item, pytest.Function) and _asks(item):
            test = (item.path, item.parent, item.originalname)
            if test not in met and item.get_closest_marker("database") is None:
                item.add_marker("database")
                marked.append(item)
            met.add(test)
    return marked


def _leave_what_others_ask(
    config: pytest.Config, items: list[pytest.Item], marked: list[pytest.Function], folder: Path
) -> None:
    """Leave out of what was marked here tests whose every statement is asked by one that stays.

    Tests that use transactions of their own stay, as do those of which nothing is known: what locks do is
    in no statement, and a thread's are not heard.
    """
    from headnode.tests.statements import enough, known

    kept = known(folder)
    free = {
        item.nodeid: kept[item.nodeid]
        for item in marked
        if item.nodeid in kept and not _commits(item)
    }
    left = free.keys() - enough(free)
    if left:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
        items[:] = [item for item in items if item.nodeid not in left]


def _asks(item: pytest.Function) -> bool:
    return bool(DATABASE & set(item.fixturenames)) or _commits(item)


def _commits(item: pytest.Function) -> bool:
    mark = item.get_closest_marker("django_db")
    by_mark = mark is not None and mark.kwargs.get("transaction", False)
    return bool(by_mark or "transactional_db" in item.fixturenames)


def _leave_to_the_night(config: pytest.Config, items: list[pytest.Item]) -> None:
    by_day = _by_day(items)
    left = [item for item in items if item not in by_day]
    if left:
        config.stash[LEFT]["night"] = len(left)
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item in by_day]


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.config.stash[LEFT]["all"] += 1


def _by_day(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Tests without a mark, and of those with a sample the cases that are in it.

    Raises pytest.UsageError where a sample names what no case has.
    """
    kept: set[pytest.Item] = set()
    unmet: dict[tuple[str, str], list[Any]] = {}
    met: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.split("[")[0]
        inside = item.get_closest_marker("nightly") is None
        for every in _shares(item):
            inside = inside and met[test] % every == 0
        met[test] += 1
        for names, values, value, is_left_out in _samples(item):
            missing = unmet.setdefault((test, names), list(values))
            missing[:] = [one for one in missing if one != value]
            inside = inside and (value in values) != is_left_out
        if inside:
            kept.add(item)
    for (test, names), missing in unmet.items():
        if missing:
            raise pytest.UsageError(f"{test}: no case has {names} = {missing[0]!r}, named by day.")
    return kept


def _shares(item: Any) -> Iterator[int]:
    """Of each mark that keeps every so many cases: how many."""
    for mark in item.iter_markers("by_day"):
        if "every" in mark.kwargs:
            yield mark.kwargs["every"]


def _samples(item: Any) -> Iterator[tuple[str, Sequence[Any], Any, bool]]:
    """Of each mark: its names, its values, the value that this case has, and whether those are left out.

    A module's mark concerns those of its tests that have what it names.
    """
    for node, mark in item.iter_markers_with_node("by_day"):
        for how in {"ids", "but"} & set(mark.kwargs):
            yield "id", list(mark.kwargs[how]), item.callspec.id, how == "but"
        if not mark.args:
            continue
        names, values = mark.args
        given = item.callspec.params if hasattr(item, "callspec") else {}
        wanted = names.split(",")
        if node is not item and not set(wanted) <= set(given):
            continue
        found = [given[name] for name in wanted]
        yield names, list(values), found[0] if len(found) == 1 else tuple(found), False


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process that runs tests tells the one that started it what it left to the night."""
    if hasattr(session.config, "workeroutput"):
        left: Counter[str] = session.config.stash[LEFT]
        session.config.workeroutput["left"] = dict(left)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    left: Counter[str] = node.config.stash[LEFT]
    for kind, count in getattr(node, "workeroutput", {}).get("left", {}).items():
        left[kind] = max(left[kind], count)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1
    if reasons:
        parts = [f"{reason} ({count} left out)" for reason, count in reasons.items()]
        terminalreporter.write_line(f"Not tested here: {'; '.join(parts)}.", yellow=True)
    left = terminalreporter.config.stash[LEFT]
    if left["all"]:
        terminalreporter.stats.setdefault("deselected", [SimpleNamespace()] * left["all"])
    if left["night"]:
        terminalreporter.write_line(f"Tests left to `make nightly`: {left['night']}.", yellow=True)
