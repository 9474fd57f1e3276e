from __future__ import annotations

from pathlib import Path

import pytest

from graders import quality
from graders.quality import MOST_LINTS, code_quality

TANGLED = """import os

def choose(a, b, c):
    if a:
        if b:
            return 1
        elif c:
            return 2
    for x in range(3):
        try:
            print(x)
        except:
            pass
    return undefined

def short():
    return 1
"""


def test_size_and_complexity_of_each_file_are_told() -> None:
    [row] = code_quality({"controller.py": TANGLED, "notes.md": "# no code"}, {})["files"]
    assert row["path"] == "controller.py"
    assert (row["lines"], row["code_lines"], row["functions"]) == (17, 15, 2)
    assert (row["longest"], row["longest_function"]) == ("choose", 12)
    assert (row["most_complex"], row["complexity"]) == ("choose", 6)
    assert not row["unchanged"]


def test_mistakes_are_found_and_taste_is_not() -> None:
    lints = code_quality({"controller.py": TANGLED}, {})["lints"]
    assert {"F401", "F821", "E722"} <= {one["code"] for one in lints}
    assert {one["path"] for one in lints} == {"controller.py"}
    assert not any(one["code"].startswith(("D", "Q", "COM", "E501")) for one in lints)


def test_file_that_does_not_parse_is_said_so_and_others_are_still_read() -> None:
    found = code_quality({"a.py": "def f(:\n", "b.py": "x = 1\n"}, {})
    assert [row["parses"] for row in found["files"]] == [False, True]
    assert found["problem"] == ""


def test_starter_file_that_nobody_changed_is_marked() -> None:
    starter = {"policy.py": "x = 1\n"}
    [row] = code_quality(starter, starter)["files"]
    assert row["unchanged"]


def test_comment_of_the_candidate_cannot_switch_the_lints_off() -> None:
    text = "# ruff: noqa\nimport os  # noqa\n"
    assert [one["code"] for one in code_quality({"a.py": text}, {})["lints"]] == ["F401"]


def test_own_settings_of_the_candidate_are_not_read() -> None:
    files = {"a.py": "import os\n", "ruff.toml": "lint.select = []\n"}
    assert code_quality(files, {})["lint_count"] == 1


def test_flood_of_findings_is_cut_and_counted() -> None:
    text = "".join(f"import module{n}\n" for n in range(MOST_LINTS + 20))
    found = code_quality({"a.py": text}, {})
    assert (len(found["lints"]), found["lint_count"]) == (MOST_LINTS, MOST_LINTS + 20)


def test_same_text_gives_the_same_evidence() -> None:
    assert code_quality({"a.py": TANGLED}, {}) == code_quality({"a.py": TANGLED}, {})


@pytest.mark.parametrize("program", [None, Path("/bin/false")])
def test_without_ruff_the_rest_is_still_told(
    monkeypatch: pytest.MonkeyPatch, program: Path | None
) -> None:
    monkeypatch.setattr(quality, "_ruff", lambda: program)
    found = code_quality({"a.py": TANGLED}, {})
    assert found["files"][0]["functions"] == 2
    assert found["lints"] == []
    assert "was not checked" in found["problem"]


@pytest.mark.parametrize("text", ["(" * 5000, "\x0c" * 100, "x = " + "9" * 9000, "\ufeffx=1", "\r"])
def test_strange_text_breaks_nothing(text: str) -> None:
    assert code_quality({"a.py": text}, {})["files"][0]["lines"] >= 0
