"""How long a server asks us to wait."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a Retry-After of seconds or of a date; None where there is none.

    A date is held against the server's own clock, where it tells it.

    >>> asked_to_wait({"retry-after": "2"}), asked_to_wait({"retry-after": "soon"})
    (2.0, None)
    >>> asked_to_wait({"retry-after": "Mon, 05 Jan 2026 10:00:09 GMT",
    ...                "date": "Mon, 05 Jan 2026 10:00:02 GMT"})
    7.0
    """
    stated = headers.get("retry-after", "").strip()
    if stated.replace(".", "", 1).isdecimal():
        return float(stated)
    until = moment(stated)
    if until is None:
        return None
    now = moment(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def moment(stated: str) -> datetime | None:
    """The date in a header; None where it is none."""
    try:
        found = parsedate_to_datetime(stated)
    except (ValueError, TypeError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
