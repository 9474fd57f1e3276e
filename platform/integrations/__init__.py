"""Doors to other systems: the public API, webhooks and applicant-tracking systems live here."""
