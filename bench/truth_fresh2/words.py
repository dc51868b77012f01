"""Word lists and filler of the second forty designs."""

from itertools import product

from bench.truth_fresh.grammar import (
    Rng,
    lower,
    phrase_list,
    pick,
    shuffle,
    upper,
    word_list,
)

NAMES = word_list(
    "Abbott Baines Calder Dunmore Eastlake Fenwick Garrick Holloway Ingram Jessop "
    "Kirkby Lomax Marlowe Norwood Osgood Pickett Quayle Radford Selwyn Thornby "
    "Underhill Vickers Whitlock Yardley Ashby Bramley Colville Denholm Ellery Farrow"
)
CITIES = word_list(
    "Aarhus Bilbao Cork Davos Evora Faro Genoa Haarlem Innsbruck Jena Krakow Linz "
    "Mainz Narvik Odense Parma Rouen Siena Trieste Uppsala Verona Wells Ypres Zwolle "
    "Arles Bath Cadiz Delft Erfurt Fulda Girona Hull"
)
OBJECTS = word_list(
    "anvil bellows chisel dagger easel funnel goblet hourglass inkwell jug keg loom "
    "mortar needle oar pulley quiver rake scythe tankard urn vat wheel yoke zither "
    "beaker crate dial"
)
JOBS = word_list(
    "archivist beekeeper cooper draper engraver falconer glazier harpist innkeeper "
    "joiner knitter lawyer mason notary optician potter ranger saddler tinker usher"
)
KINDS = word_list(
    "ancient blue costly dented elegant faded gilded hollow ivory jagged kingly "
    "leaden marble neat oval pale quaint red simple tiny"
)
COLOURS = word_list(
    "amber beige black brown crimson cyan green indigo magenta olive purple scarlet "
    "teal turquoise violet white"
)
SUBJECTS = phrase_list(
    "The committee|A visiting scholar|The parish council|The morning edition|"
    "A neighbouring firm|The new steward|A group of pupils|The regional office|"
    "A former tenant|The ferry company|The ladies of the guild|A passing merchant|"
    "The cathedral school|A distant cousin|The evening watch|The tax inspector"
)
ACTS = phrase_list(
    "asked for more time|wrote a short note|admired the view|kept the minutes|"
    "raised no objection|paid for the repairs|took a long break|lost the thread|"
    "changed the subject|hoped for better weather|ordered more paper|"
    "praised the cooking|went through the files|counted the chairs"
)
WHENS = phrase_list(
    "during the interval|as usual|for once|on the second day|towards the evening|"
    "without delay|by mutual consent|after the holidays|in the meantime|at length|"
    "before the season began|to everyone's relief"
)
FILLERS = [
    text
    for who, act, when in product(SUBJECTS, ACTS, WHENS)
    for text in (f"{who} {act} {when}.", f"{upper(when)}, {lower(who)} {act}.")
]


def fill(rng: Rng) -> str:
    """A sentence that predicts nothing."""
    return pick(rng, FILLERS)


def blend(rng: Rng, facts: list[str], low: int, high: int) -> str:
    """The facts among `low` to `high` filler sentences, in random order."""
    extra = [fill(rng) for _ in range(pick(rng, range(low, high + 1)))]
    return " ".join(shuffle(rng, [*facts, *extra]))
