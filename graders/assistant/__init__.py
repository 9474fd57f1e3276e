"""The line of an assistant alone: what a model reaches with what a candidate gets, and nothing else."""
