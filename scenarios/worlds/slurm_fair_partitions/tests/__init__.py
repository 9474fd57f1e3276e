"""Tests of the shared Slurm cluster."""
