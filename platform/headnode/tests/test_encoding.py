"""Requests in another encoding than UTF-8 are refused before Django stumbles over them."""

from __future__ import annotations

from typing import Any

import pytest

from headnode.encoding import utf8_only


def status_of(content_type: str) -> str:
    """The status with which a request of this content type is answered."""
    said: list[str] = []

    def inner(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [b""]

    application = utf8_only(inner)
    environ = {"CONTENT_TYPE": content_type}
    list(application(environ, lambda status, headers, *_: said.append(status)))  # type: ignore[arg-type]
    return said[0]


@pytest.mark.parametrize("kind", ["", "application/json", "text/plain; charset=UTF-8", "x"])
def test_usual_content_types_pass(kind: str) -> None:
    assert status_of(kind) == "200 OK"


@pytest.mark.parametrize("charset", ["zlib", "utf-16", "rot13", '"zlib"', "nonsense"])
def test_other_encodings_are_refused(charset: str) -> None:
    assert status_of(f"text/plain; charset={charset}") == "400 Bad Request"
