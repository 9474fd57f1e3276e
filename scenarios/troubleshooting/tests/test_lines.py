"""Lines find their way into the key: sorted by time, counted from one."""

from __future__ import annotations

from scenarios.troubleshooting.texts.lines import Line, in_order


def test_document_sorts_lines_and_numbers_the_evidence() -> None:
    lines = [
        Line(30, "late", "a"),
        Line(10, "first"),
        Line(20, "b speaks", "b"),
        Line(20, "so does a", "a"),
    ]
    document = in_order("logs/syslog", lines)
    assert document.text() == "first\nb speaks\nso does a\nlate\n"
    assert document.evidence() == {"b": (2,), "a": (3, 4)}
