"""A year in which a fleet has to grow: its materials, and the twelve months that answer a plan."""
