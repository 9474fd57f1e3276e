"""The cluster's commands as a candidate's terminal asks them: `Console(incident).run(host, argv)`."""

from __future__ import annotations

from scenarios.troubleshooting.console.engine import HELP, Console
from scenarios.troubleshooting.console.reply import Reply

__all__ = ["HELP", "Console", "Reply"]
