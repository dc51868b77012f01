"""Which of the fields that a reader learned there are to be read."""

from measurand.core.errors import BadInput, join_names
from measurand.core.items import Items


def readable_fields(learned: tuple[str, ...], items: Items) -> tuple[str, ...]:
    """The fields of `items` that the reader learned, in the reader's order."""
    present = tuple(field for field in learned if field in items.fields)
    if not present:
        raise BadInput(
            f"this reader learned the fields {join_names(learned)}, and these items have "
            f"{join_names(items.fields)}; give it one of its own at least"
        )
    return present
