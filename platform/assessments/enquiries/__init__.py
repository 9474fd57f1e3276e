"""What a candidate asks the staff while they work, and what the staff tell them on the open page."""
