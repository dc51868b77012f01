"""How long a server asks us to wait."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def _retry_delay(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a Retry-After of seconds or of a date; None where there is none.

    A date is held against the server's own clock, where it tells it.

    >>> _retry_delay({"retry-after": "2"}), _retry_delay({"retry-after": "soon"})
    (2.0, None)
    >>> _retry_delay({"retry-after": "Mon, 05 Jan 2026 10:00:09 GMT",
    ...                "date": "Mon, 05 Jan 2026 10:00:02 GMT"})
    7.0
    """
    header = headers.get("retry-after", "").strip()
    if header.replace(".", "", 1).isdecimal():
        return float(header)
    until = _header_date(header)
    if until is None:
        return None
    now = _header_date(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _header_date(header: str) -> datetime | None:
    """The date in a header; None where it is none."""
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
