"""PECO: how far labels gather in clusters of items, its null and its interval."""
