"""The room of a live cluster: it is brought up, kept, watched, tried and handed in."""
