"""What people see of a report: a directory, a page, Markdown, a terminal, figures."""
