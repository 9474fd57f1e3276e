"""A live sitting: when an interview is held, what the candidate is shown of it, the pads that are shared."""
