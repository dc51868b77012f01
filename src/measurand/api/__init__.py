"""The front door for Python: a benchmark or a table in, a report out.

    import measurand as ms

    bench = ms.load(df, query="claim", evidence="evidence", label="label")
    report = ms.evidence(bench)

Everything here is `measurand.NAME`, and a thin call of what is below. Nothing is
imported here, so that listing readers does not wait for an audit.
"""
