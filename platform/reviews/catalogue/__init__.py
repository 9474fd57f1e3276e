"""The catalogue of exercises, and staff's own trials of them."""
