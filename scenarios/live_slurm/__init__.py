"""A small cluster on which a real Slurm runs: its files, what is wrong with it, who waits and what mends it."""
