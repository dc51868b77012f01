"""Interventions: same ids, same labels, other inputs."""

from measurand.core.catalogue import Catalogue, Entry

INTERVENTIONS = Catalogue(
    "intervention",
    {
        "full": Entry("measurand.core.intervention:AsIs", "no change"),
        "keep": Entry("measurand.interventions.fields:Keep", "one field alone"),
        "drop": Entry("measurand.interventions.fields:Drop", "all fields but one"),
        "shuffle": Entry(
            "measurand.interventions.shuffle:Shuffle",
            "another item's text: plain, within-label, within-length or nearest",
        ),
        "flip": Entry(
            "measurand.interventions.metadata:Flip",
            "another metadata value, also in the text",
        ),
    },
)
