"""The only place where codes and facts become sentences.

A verdict is a code with typed facts; `clauses.toml` holds one template for each code,
and nothing ever reads a sentence to learn what was decided.
"""

from measurand.wording.render import (
    say_bound,
    say_clause,
    say_report,
    say_settle,
    say_verdict,
)

__all__ = ["say_bound", "say_clause", "say_report", "say_settle", "say_verdict"]
