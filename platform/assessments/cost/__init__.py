"""The workspace of the cost exercise: pivots and SQL over a bill's tables."""
