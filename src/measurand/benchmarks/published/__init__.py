"""Published benchmarks by name: their files, layouts and hub names."""
