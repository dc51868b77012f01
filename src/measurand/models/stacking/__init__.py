"""Several models of one shape trained as one, on a GPU."""
