"""How a terminal's session can end, and the sentence that the candidate is told for each."""

from __future__ import annotations

LEFT = "left"
REPLACED = "replaced"
IDLE = "idle"
OVER = "over"
FLOOD = "flood"
LIMIT = "limit"
LOST = "lost"
TROUBLE = "trouble"
UNWANTED = "unwanted"

IDLE_MIN = 30
GONE = "Files you made in it are gone; what it printed and what you pinned are kept."

SENTENCES = {
    LEFT: f"The shell has ended, as with exit. {GONE} You can start another one at any time.",
    REPLACED: "The terminal was started anew, here or in another window.",
    IDLE: f"Nothing was typed for {IDLE_MIN} minutes, so the shell was closed. {GONE}",
    OVER: "The time is over, so the shell was closed. Your answer is safe.",
    FLOOD: f"The shell was closed because it had printed more than is kept of one terminal. {GONE} "
    "Next time send long output into a file, or look at it with less.",
    LIMIT: f"The shell was closed at a limit of the sandbox (memory, processor or run time). {GONE}",
    LOST: f"The machine behind this terminal was restarted, which is not your fault. {GONE}",
    UNWANTED: "The page was closed before the shell had started.",
    TROUBLE: "The shell could not be run, which is our fault and not yours. Try again in a moment; "
    "logs, charts, configuration and queries work without it.",
}
