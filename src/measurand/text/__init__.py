"""Texts: their words, their form, and which are copies of each other."""
