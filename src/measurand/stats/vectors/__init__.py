"""Vectors of items: clusters, components, neighbours and maps that no order changes."""
