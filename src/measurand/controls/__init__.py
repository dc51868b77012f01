"""Controls: benchmarks whose answer is known, made of the one that is audited."""

from measurand.core.catalogue import Catalogue, Entry

CONTROLS = Catalogue(
    "control",
    {
        "word": Entry(
            "measurand.controls.samples:WordSpike",
            "a code word for the label at the end of one field, in a share of items",
        ),
        "match": Entry(
            "measurand.controls.samples:MatchSpike",
            "names in two fields whose match tells the label, in a share of the items",
        ),
        "blank": Entry(
            "measurand.controls.samples:Blank", "training labels dealt anew, by cluster"
        ),
    },
)
