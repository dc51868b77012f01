"""Interventions: same ids, same labels, other inputs."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import BadOption, join_names

if TYPE_CHECKING:  # with it would come pandas, which --help does without
    from measurand.core.intervention import Intervention, Rewording

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


def name_interventions(chosen: Iterable[Any], field: str) -> "list[Intervention]":
    """The interventions of these names, made to `field`; others as they are."""
    return [_make(each, field) if isinstance(each, str) else each for each in chosen]


def _make(name: str, field: str) -> "Intervention":
    change: Intervention = INTERVENTIONS.load(
        name, **({"field": field} if "field" in _lacking(name) else {})
    )
    return change


def check_interventions(chosen: Sequence[Any]) -> None:
    """Raise where one is none, is there twice, or is not settled by its name."""
    names = [str(change) for change in chosen]
    for change in chosen:
        if names.count(str(change)) > 1:
            raise BadOption(f"`interventions` has {str(change)!r} twice; name it once")
        if isinstance(change, str):
            if lacking := _lacking(change) - {"field"}:
                raise BadOption(
                    f"the intervention {change!r} needs {join_names(sorted(lacking))}; "
                    "give it made, in Python, or another"
                )
        elif isinstance(change, type) or not callable(change):
            raise BadOption(
                f"`interventions` has a {type(change).__name__}; give names of "
                "measurand.interventions(), or interventions that are made"
            )


def _lacking(name: str) -> set[str]:
    """What the intervention of a name must be told."""
    return {
        setting.name
        for setting in dataclasses.fields(INTERVENTIONS.thing(name))
        if setting.default is setting.default_factory is dataclasses.MISSING
    }


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
