"""What people see of a report: a directory, a page, Markdown, a terminal, figures."""

from measurand.report.docstrings import keep_docstrings

keep_docstrings("altair")  # before any file here imports it
