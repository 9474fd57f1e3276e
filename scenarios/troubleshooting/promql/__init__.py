"""PromQL over a column file: parsed by the real grammar, evaluated with numpy (see README.md)."""
