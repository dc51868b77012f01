"""Readers that are trained several at once, and the stacks they stay in."""
