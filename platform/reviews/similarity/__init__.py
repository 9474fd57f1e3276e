"""Passages that answers to one exercise share: found by a worker, shown side by side, judged by nobody here."""
