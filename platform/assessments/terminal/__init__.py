"""The candidate's terminal: a shell in the sandbox, rows that carry its bytes, a process that hosts it."""
