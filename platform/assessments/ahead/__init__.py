"""Exercises whose brief and materials a candidate may read before the clock starts (requirement E8)."""
