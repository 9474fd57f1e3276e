"""Candidates side by side, all that is known of one, and what a person decided: pages, reports, tables."""
