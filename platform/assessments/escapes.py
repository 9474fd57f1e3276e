"""JSON texts whose escapes stand for what no text can hold: half characters and zero bytes."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"(?P<whole>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<none>\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000|[\ud800-\udfff])|\\."
)
_REPLACEMENT = r"\ufffd"


def writable(text: str) -> str:
    """The same JSON with U+FFFD in place of what no answer to a browser and no database could hold.

    A browser writes such an escape where a text was cut in the middle of an emoji. `text` is JSON, in
    which only strings have a backslash.
    """
    return _ESCAPE.sub(lambda found: _REPLACEMENT if found["none"] else found[0], text)
