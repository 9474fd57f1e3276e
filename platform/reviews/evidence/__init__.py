"""What an answer says and what the machine found in it, as staff read it: texts, tables, replays, keys."""
