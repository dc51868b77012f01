"""Experiments: questions to readers, answered once and kept."""
