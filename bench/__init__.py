"""Benchmarks: what measurand costs, measured against what it promises."""
