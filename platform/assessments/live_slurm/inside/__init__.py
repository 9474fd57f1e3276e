"""What runs in the sandbox of a live cluster."""
