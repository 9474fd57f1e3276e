"""Work at programs that need a GPU."""
