from __future__ import annotations

import pytest

from graders.own_tests import own_tests
from graders.tests.sandboxes import backend
from sandbox import Backend

__all__ = ["backend"]

POLICY = "def wanted(queue):\n    return max(2, queue // 4)\n"
TESTS = """import pytest
from policy import wanted

def test_least():
    assert wanted(0) == 2

def test_wrong():
    assert wanted(40) == 11

@pytest.mark.skip
def test_later():
    pass
"""


def test_each_test_tells_its_outcome(backend: Backend) -> None:
    files = {"policy.py": POLICY, "tests/test_policy.py": TESTS}
    found = own_tests(files, backend)
    assert found["paths"] == ["tests/test_policy.py"]
    assert found["counts"] == {"passed": 1, "failed": 1, "skipped": 1}
    assert [row["outcome"] for row in found["results"]] == ["passed", "failed", "skipped"]
    assert "assert 10 == 11" in found["output"]
    assert found["detail"] == "1 passed, 1 failed, 1 skipped."
    assert found == own_tests(files, backend)


def test_without_tests_nothing_runs() -> None:
    found = own_tests({"controller.py": "", "latest.py": ""}, None)  # type: ignore[arg-type]
    assert (found["paths"], found["results"]) == ([], [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def test_x(:\n", "No test reported a result."),
        ("import os\nos._exit(3)\n", "No test reported a result."),
        ("import headnode_sdk\ndef test_x():\n    headnode_sdk.connect().tick()\n", "1 failed"),
    ],
)
def test_broken_tests_are_told_and_break_nothing(backend: Backend, text: str, said: str) -> None:
    assert said.lower() in own_tests({"test_a.py": text}, backend)["detail"].lower()


def test_flood_of_results_is_counted_and_cut(backend: Backend) -> None:
    text = (
        "from headnode_sdk import call\ndef test_x():\n    for n in range(1000):\n"
        "        call('result', name='x', outcome='passed')\n"
    )
    found = own_tests({"test_a.py": text}, backend)
    assert len(found["results"]) == 300
    assert found["counts"]["passed"] == 1001


def test_tests_of_the_local_simulator_are_skipped(backend: Backend) -> None:
    text = "def test_x(local_cluster):\n    local_cluster.tick()\n"
    found = own_tests({"test_a.py": text}, backend)
    assert found["detail"] == "1 skipped."
