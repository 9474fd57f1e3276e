"""What is kept of a candidate, given out to them, and let go."""
