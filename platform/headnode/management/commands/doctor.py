"""Say what is wrong with the site and what puts it right. Exit code 1 where something failed."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from headnode.doctor import assistant, fences, outside, parts, stores
from headnode.doctor.findings import Check, State, looked_at, plain, whole

CHECKS: dict[str, Check] = {
    "database": stores.database,
    "broker": stores.broker,
    "processes": parts.processes,
    "terminals": parts.terminals,
    "sandbox": fences.sandbox,
    "mail": outside.mail,
    "assistant": assistant.assistant,
    "clocks": stores.clocks,
    "disk": stores.disk,
    "secret-key": outside.secret_key,
    "kept-secrets": outside.kept_secrets,
    "names": outside.names,
    "tls": outside.tls,
    "versions": parts.versions,
}


class Command(BaseCommand):
    help = "Look at database, broker, processes, sandbox, mail, assistant, clocks, disk, keys, names and TLS."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--only", nargs="+", metavar="CHECK", help=", ".join(CHECKS))
        parser.add_argument("--skip", nargs="+", metavar="CHECK", default=[])

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = options["only"] or list(CHECKS)
        for name in [*wanted, *options["skip"]]:
            if name not in CHECKS:
                sentence = f"There is no check {name!r}: choose from {', '.join(CHECKS)}."
                raise CommandError(sentence, returncode=2)
        chosen = {name: CHECKS[name] for name in wanted if name not in options["skip"]}
        findings = list(looked_at(chosen))
        text = json.dumps(whole(findings), indent=1) if options["json"] else plain(findings)
        self.stdout.write(text)
        if any(one.state == State.FAILED for one in findings):
            sys.exit(1)
