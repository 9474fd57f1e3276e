"""The encoding that requests may come in, checked before Django reads anything.

Django looks up the charset of a content type while it builds the request, so no middleware of its
own comes early enough to refuse one that is no text encoding.
"""

from __future__ import annotations

from collections.abc import Iterable
from email.message import Message
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ACCEPTED = {"", "utf-8", "utf8"}


def utf8_only(application: WSGIApplication) -> WSGIApplication:
    """The application behind a door that answers 400 to every other charset."""

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        header = Message()
        header["Content-Type"] = str(environ.get("CONTENT_TYPE", ""))
        if str(header.get_param("charset", "")).strip().lower() in ACCEPTED:
            return application(environ, start_response)
        start_response("400 Bad Request", [("Content-Type", "text/plain")])
        return [b"Send UTF-8.\n"]

    return respond
