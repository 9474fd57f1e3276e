"""Messages of the reviews: what staff are told by mail, and the pages about all messages."""
