"""One company's bill of twelve months, the waste in it, and the materials that show both."""
