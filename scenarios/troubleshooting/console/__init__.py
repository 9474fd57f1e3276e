"""The cluster's commands as a candidate's terminal asks them: `Console(incident).run(host, argv)`."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import Reply
from scenarios.troubleshooting.console.engine import HELP, Console

__all__ = ["HELP", "Console", "Reply"]
