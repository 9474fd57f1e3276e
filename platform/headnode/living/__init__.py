"""The living demo: what became of people on a new site's demo, played through the code that pages use."""
