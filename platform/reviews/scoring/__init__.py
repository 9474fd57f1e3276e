"""Scorecards, blind and each on their own; remarks at the work, overrides, how far evaluators agree."""
