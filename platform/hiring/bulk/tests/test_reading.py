"""People out of files and pasted lines: encodings, separators, headings, quotation marks."""

from __future__ import annotations

import pytest

from hiring.bulk.reading import (
    MOST_ROWS,
    Record,
    Unreadable,
    as_text,
    carried,
    decoded,
    kept,
    read,
)

ADA = Record(1, "Ada Fontaine", "ada@example.com", "Europe/Paris", "25 %")
TABLE = "Name;E-Mail;Zeitzone;Zeitzuschlag\nZoë Müller;zoe@example.com;Europe/Berlin;25 %\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_every_usual_encoding_is_read(encoding: str) -> None:
    raw = TABLE.encode(encoding)
    (row,) = read(decoded(raw)).records
    assert row == Record(1, "Zoë Müller", "zoe@example.com", "Europe/Berlin", "25 %")


def test_bytes_that_no_code_page_has_are_latin_1() -> None:
    assert decoded(b"Zo\xeb\x81") == "Zoë\x81"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("headings", ["", "Name{0}E-mail{0}Time zone{0}Extra time\n"])
def test_separators_are_told_with_and_without_headings(separator: str, headings: str) -> None:
    row = separator.join(ADA[1:])
    assert read(headings.format(separator) + row).records == [ADA]


@pytest.mark.parametrize(
    ("line", "name", "email"),
    [
        ("Ada Fontaine <ada@example.com>", "Ada Fontaine", "ada@example.com"),
        ('"Fontaine, Ada" <ada@example.com>', "Fontaine, Ada", "ada@example.com"),
        ("Ada Fontaine ada@example.com", "Ada Fontaine", "ada@example.com"),
        ("ada@example.com, Ada Fontaine", "Ada Fontaine", "ada@example.com"),
        ("Ada; Fontaine; ada@example.com", "Ada Fontaine", "ada@example.com"),
        ("Ada, <ada@example.com>", "Ada", "ada@example.com"),
        ("Ada Fontaine", "Ada Fontaine", ""),
    ],
)
def test_lines_are_read_as_people_paste_them(line: str, name: str, email: str) -> None:
    (row,) = read(line).records
    assert (row.name, row.email) == (name, email)


def test_a_line_of_addressees_is_several_people() -> None:
    text = '"Fontaine, Ada" <ada@example.com>; Bo Li <bo@example.com>,\nCleo <cleo@example.com>'
    assert [row.name for row in read(text).records] == ["Fontaine, Ada", "Bo Li", "Cleo"]


def test_names_in_two_columns_are_one_and_other_columns_are_named() -> None:
    found = read("Vorname,Nachname,Telefon,E-Mail\nAda,Fontaine,0123,ada@example.com\n")
    assert found.records == [Record(1, "Ada Fontaine", "ada@example.com")]
    assert found.unused == ["Telefon"]


def test_quoted_cells_keep_separators_and_short_rows_are_filled() -> None:
    text = 'Name,E-mail,Time zone\n"Fontaine, ""Ada""",ada@example.com,UTC\nBo,bo@example.com\n'
    first, second = read(text).records
    assert first.name == 'Fontaine, "Ada"'
    assert second == Record(2, "Bo", "bo@example.com")


def test_empty_lines_do_not_count() -> None:
    assert [row.number for row in read("\n\nA,a@example.com\n\r\n ,\nB,b@example.com").records] == [
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is nobody in it"),
        (" \n\n", "There is nobody in it"),
        ("Name,E-mail\n", "only headings"),
        ("Name,Telefon\nAda,1\n", "No column is headed “E-mail”"),
        ("Name,E-mail,Mail\nAda,a@b.de,a@b.de\n", "Two columns are headed “E-mail”"),
        ('Name,E-mail\n"Ada,ada@example.com\n', "A quotation mark"),
        ("a\0b", "This is not text"),
        ("x" * 500, "more than 400 characters"),
        ("A,a@b.de\n" * (MOST_ROWS + 1), "rows are too many"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(Unreadable, match=sentence):
        read(text)


def test_utf_16_that_breaks_off_and_huge_files_are_refused() -> None:
    with pytest.raises(Unreadable, match="breaks off"):
        decoded("Ada".encode("utf-16")[:-1])
    with pytest.raises(Unreadable, match="larger than 1 MB"):
        decoded(b"x" * 1_000_001)


def test_rows_travel_through_a_page_unchanged() -> None:
    rows = [ADA, Record(2, 'Bo "B" Li', "bo@example.com")]
    assert carried(kept(rows)) == rows
    assert read(as_text(rows)).records == rows


@pytest.mark.parametrize("text", ["", "[]", "{}", "[[1]]", '[["a"]]', "[" * 9999, '["a"]'])
def test_rows_that_were_tampered_with_are_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="does not hold the rows"):
        carried(text)
