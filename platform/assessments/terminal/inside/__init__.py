"""What is put into the sandbox for a terminal; nothing here is imported outside but by tests."""
