"""Interventions: same ids, same labels, other inputs."""

from typing import TYPE_CHECKING

from measurand.core.catalogue import Catalogue, Entry

if TYPE_CHECKING:  # with it would come pandas, which --help does without
    from measurand.core.intervention import Rewording

INTERVENTIONS = Catalogue(
    "intervention",
    {
        "full": Entry("measurand.core.intervention:AsIs", "no change"),
        "keep": Entry("measurand.interventions.fields:Keep", "one field alone"),
        "drop": Entry("measurand.interventions.fields:DropField", "all fields but one"),
        "shuffle": Entry(
            "measurand.interventions.shuffle:Shuffle",
            "another item's text: plain, within-label, within-length, within-subject, "
            "within-document or nearest",
        ),
        "remove-gold": Entry(
            "measurand.interventions.answers:RemoveGold",
            '"none of these" in the place of the right choice',
        ),
        "delete-answer": Entry(
            "measurand.interventions.answers:DeleteAnswer",
            "the evidence without the sentences that hold the right choice",
        ),
        "swap-answer": Entry(
            "measurand.interventions.answers:SwapAnswer",
            "the evidence with another choice where the right one stood",
        ),
        "flip": Entry(
            "measurand.interventions.fields:Flip",
            "another metadata value, also in the text",
        ),
        "scramble": Entry(
            "measurand.interventions.words:Scramble", "words in random order"
        ),
        "mask": Entry(
            "measurand.interventions.words:Mask",
            "without one class of words: negation, function or content",
        ),
        "length": Entry(
            "measurand.interventions.words:Lengths", "how long each text is, no more"
        ),
        "overlap": Entry(
            "measurand.interventions.words:Overlaps",
            "how much of the last field stands in the others, no more",
        ),
        "paraphrase": Entry(
            "measurand.interventions.paraphrase:Paraphrase",
            "one field in other words, by rule: synonyms, contractions, clause order",
        ),
        "noise": Entry(
            "measurand.interventions.words:FormatNoise",
            "spacing, full stop and first letter of the query, order of the evidence",
        ),
        "rewrite": Entry(
            "measurand.interventions.rewrite:Rewrite",
            "one field in other words, by a sequence-to-sequence model",
            "torch",
        ),
        "asked": Entry(
            "measurand.interventions.prompted:PromptedRewording",
            "one field in other words, by a language model here or on a server",
        ),
    },
)


def reworder(name: str | None, field: str) -> "Rewording":
    """What says `field` in other words, by name; rules where there is none.

    "rules"; "smollm2", `llm:NAME` on a server, or `causal:` and a directory or hub id,
    each a language model; any other name is a directory or hub id of a sequence-to-
    sequence model.
    """
    kind, _, model = (name or "rules").partition(":")
    rewording: Rewording
    if kind == "rules":
        rewording = INTERVENTIONS.load("paraphrase", field=field)
    elif kind in ("smollm2", "llm") or (kind == "causal" and model):
        rewording = INTERVENTIONS.load("asked", field=field, model=name)
    else:
        rewording = INTERVENTIONS.load("rewrite", field=field, model=name)
    return rewording
