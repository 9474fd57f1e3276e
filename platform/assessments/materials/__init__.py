"""A variant's materials as they lie on this host: built once, kept, built again where they are missing."""
