"""Question sets, interviews led by them or not, and an opening's printed guide."""
