"""The workspace of a scaling plan: live checks of a plan, and what-ifs that play it."""
