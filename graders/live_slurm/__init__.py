"""Plays what somebody does to a small cluster with a real Slurm on it, and measures the cluster's state."""
