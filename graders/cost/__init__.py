"""Reads the opportunity table of the cost exercise and measures it against what the bill supports."""
