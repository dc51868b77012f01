"""The order in which readers are asked, and who is called when none found a leak."""

from collections.abc import Iterator, Mapping

from measurand.core.errors import MissingExtra, MissingWeights, UnknownName
from measurand.core.reader import Reader
from measurand.readers import READERS

LADDER = ("tfidf", "minilm")  # from one field, `cross` reads no more than `tfidf`


def climbing(
    readers: Mapping[str, Reader], strongest: str | None
) -> Iterator[tuple[str, Reader]]:
    """The readers asked for, from weak to strong, then those that can be called."""
    known = list(READERS)
    strength = {name: known.index(name) for name in readers if name in known}
    yield from sorted(readers.items(), key=lambda r: strength.get(r[0], len(known)))
    if strongest is None:
        return
    if strongest not in known:
        raise UnknownName("reader", strongest, known)
    for name in LADDER:
        higher = known.index(name) > max(strength.values(), default=len(known))
        if (
            name not in readers
            and higher
            and known.index(name) <= known.index(strongest)
        ):
            called = ready(name)
            if called is not None:
                yield name, called


def ready(name: str) -> Reader | None:
    """The reader, where it and its weights are installed."""
    try:
        reader = READERS.load(name)
        reader.ready()
    except (MissingExtra, MissingWeights):
        return None
    return reader  # type: ignore[no-any-return]
