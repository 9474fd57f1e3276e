"""Grading programs on simulated clusters, one hidden workload after the other."""
