"""The operating system: processes, signals, and where Python looks for modules."""
