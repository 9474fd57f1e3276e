"""The short round about one's own answer: whether there is one, its clock, its questions, what was answered."""
