"""The commands of `python -m scenarios` that act on the simulated cluster, one module each."""
