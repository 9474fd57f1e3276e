"""Are people judged alike? Exemplars scored blind, how evaluators agree, rates of selection by group."""
