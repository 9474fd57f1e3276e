"""Messages: what people are told by mail, in which words, and what became of each."""
