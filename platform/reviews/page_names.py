"""What the staff's pages about a candidate are called where it is told who opened them."""

from __future__ import annotations

PAGES = {
    "attempt": "the attempt",
    "attempt-room": "the materials",
    "candidate": "the candidate’s page",
    "compare": "the comparison of replays",
    "comparison": "the comparison of candidates",
    "defence": "explain and defend",
    "discussion": "the discussion of differing scores",
    "decision": "the decision page",
    "evidence-year": "a hidden year of the plan",
    "feedback": "feedback and revision",
    "key": "the key",
    "report": "the report",
    "interview-score": "the form for an interview score",
    "score": "the scoring page",
    "tables": "the opening’s tables as a file",
    "work-history": "the course of the work",
}
