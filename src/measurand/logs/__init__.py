"""Answers of the user's own models, read from what evaluation harnesses wrote.

One log is one task, asked of one model under one condition: an arm that has been asked
already. Nothing in a log runs, and no file outside of the given folder is opened.
"""
