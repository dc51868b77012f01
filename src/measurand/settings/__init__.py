"""Settings: what may be chosen, of an audit and of the run around it.

Nothing is imported here but the declaration of a setting, so that help waits for no
audit and every floor above may read what an option is called and what it is unasked.
"""
