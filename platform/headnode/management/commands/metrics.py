"""Serve the figures of this host's workers, terminals and cards to Prometheus, or print them."""

from __future__ import annotations

import threading
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.core.management.base import BaseCommand, CommandError, CommandParser
from prometheus_client import CONTENT_TYPE_LATEST

from headnode.metrics.folder import prune
from headnode.metrics.page import exposition

PRUNE_S = 3600.0


class Command(BaseCommand):
    help = "Serve this host's own figures (a host without a web server), or --print them once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:9808", help="address:port; 127.0.0.1:9808")
        parser.add_argument("--print", action="store_true", help="print the text and end")
        parser.add_argument(
            "--database", action="store_true", help="with what the database says of the whole site"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["print"]:
            text = exposition(database=options["database"]).decode()
            self.stdout.write(text, ending="")
            return
        host, _, port = options["bind"].rpartition(":")
        if not port.isdigit():
            raise CommandError(
                "Write --bind as address:port, for example 127.0.0.1:9808.", returncode=2
            )
        try:
            server = make_server(
                host, int(port), _answerer(options["database"]), handler_class=Quiet
            )
        except OSError as error:
            reason = f"{options['bind']} cannot be listened at: {error.strerror}."
            raise CommandError(reason, returncode=3) from error
        self.stdout.write(f"Figures at http://{options['bind']}/metrics")
        threading.Thread(target=_prune_on, daemon=True).start()
        server.serve_forever()


class Quiet(WSGIRequestHandler):
    """Prometheus asks four times a minute: that is no news."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _answerer(database: bool) -> Any:
    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        if environ["PATH_INFO"] != "/metrics" or environ["REQUEST_METHOD"] != "GET":
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"The figures are at /metrics.\n"]
        text = exposition(database=database)
        start("200 OK", [("Content-Type", CONTENT_TYPE_LATEST)])
        return [text]

    return answer


def _prune_on() -> None:
    from django.conf import settings

    while True:
        prune(settings.METRICS)
        threading.Event().wait(PRUNE_S)
