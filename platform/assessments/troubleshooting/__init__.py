"""The candidate's room: the materials of a variant, to look at, to search and to ask."""
