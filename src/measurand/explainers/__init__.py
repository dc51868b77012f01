"""Explainers: items in, one rationale each out."""
