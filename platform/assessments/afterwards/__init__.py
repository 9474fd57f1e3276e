"""What a candidate finds after handing in: their answer, the feedback, the decision, and somebody to ask."""
