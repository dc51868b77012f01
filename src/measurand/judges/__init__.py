"""Judges: how far one text entails another, and how like two texts look."""
