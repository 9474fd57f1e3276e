"""Many at once: candidates of a list, invitations, evaluators, extra time, a verb for a selection."""
