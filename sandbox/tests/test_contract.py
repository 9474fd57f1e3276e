"""What may be asked of a run, and how what it prints is kept and shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Limits, Spec
from sandbox.capture import Capture, Output, visible


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a//b",
        "./a",
        "",
        ".",
        "a\0b",
        "x" * 201,
        "a/",
        "a\nb",
        "\ud800",
    ],
)
def test_path_that_leaves_its_folder_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not a usable file name"):
        Spec({"controller.py": b"", path: b""})
    with pytest.raises(ValueError, match="not a usable file name"):
        Spec({"controller.py": b""}, sdk={path: b""})


def test_file_that_would_be_a_folder_is_refused() -> None:
    with pytest.raises(ValueError, match="a file and a folder"):
        Spec({"controller.py": b"", "a": b"", "a/b.py": b""})


def test_missing_entry_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'controller\.py' is missing"):
        Spec({"other.py": b""})


def test_files_that_cannot_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Spec({"controller.py": b"x" * (2 << 20)}, limits=Limits(work_mb=2))
    with pytest.raises(ValueError, match="do not fit"):
        Spec(
            {f"{n}.py": b"" for n in range(100)} | {"controller.py": b""}, limits=Limits(inodes=64)
        )


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_limits_are_positive_numbers(value: float) -> None:
    with pytest.raises(ValueError, match="wall_s"):
        Limits(wall_s=value)


@given(st.binary())
def test_shown_text_has_no_control_characters(data: bytes) -> None:
    text = visible(data)
    text.encode("utf-8")
    assert not any(ord(char) < 32 and char not in "\t\n" for char in text)
    assert not set(text) & set("\x7f\x9b\u202e\u2066")


@given(st.lists(st.binary(max_size=300)), st.integers(8, 400))
def test_capture_keeps_no_more_than_it_may(parts: list[bytes], keep: int) -> None:
    capture = Capture(keep)
    for part in parts:
        capture.feed(part)
    assert capture.total == sum(map(len, parts))
    assert len(capture._head) + len(capture._tail) <= keep
    if not capture.truncated:
        assert bytes(capture._head + capture._tail) == b"".join(parts)


def test_flood_on_stdout_leaves_room_for_errors() -> None:
    output = Output(1024)
    output.out.feed(b"x" * 10_000)
    output.err.feed(b"ValueError: the reason\n")
    assert output.err.text() == "ValueError: the reason\n"
    assert output.out.text().startswith("xxx")
    assert "[9232 bytes are not shown]" in output.out.text()
