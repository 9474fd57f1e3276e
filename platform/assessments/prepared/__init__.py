"""What an attempt will begin with: its seed, drawn once, and its materials, built before the clock starts."""
