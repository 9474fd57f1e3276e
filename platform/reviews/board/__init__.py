"""Everybody of an opening at a glance: where each stands, and whose turn it is."""
