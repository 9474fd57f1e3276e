"""What follows the scores of the first answer: the talk about it, feedback and revision, the discussion."""
