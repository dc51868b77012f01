"""Arms: what an audit asks, what comes back, and the contrasts between them.

An arm is a reader, the parts it sees and what was done to the items. All arms are asked
about one pool, cross-fitted by families of texts, so that every number is about the
same items and every interval resamples the same units.
"""
