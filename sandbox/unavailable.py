"""What is raised where no program can be run."""

from __future__ import annotations


class SandboxUnavailable(Exception):
    """The chosen backend cannot run here; one sentence that names the missing layer."""
