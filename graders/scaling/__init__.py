"""Grading of scaling plans: the plan is run over hidden years, beside a naive and a reference plan."""
