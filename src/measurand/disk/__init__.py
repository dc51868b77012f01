"""Files and folders written whole, locks, and the store of what was computed."""
