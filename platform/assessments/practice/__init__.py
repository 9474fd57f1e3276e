"""The practice room: the workspace on a miniature, before the clock, kept by nobody and seen by nobody."""
