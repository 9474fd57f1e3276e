"""Many at once: candidates of a file, invitations, the copy of an opening."""
