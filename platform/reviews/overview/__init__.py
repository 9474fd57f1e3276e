"""One attempt on one page, and its buttons."""
