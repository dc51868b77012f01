"""Reports of one audit next to each other: what is compared, and what differs."""
