"""Reports of one audit beside each other: what is compared, and what differs."""
