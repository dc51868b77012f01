"""Models on a server: the client, what it spends and what it was told before."""
