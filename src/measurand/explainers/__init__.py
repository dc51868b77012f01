"""Explainers: given, taken from the evidence, bad on purpose, or written by a model."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import BadOption, join_names
from measurand.models.generate import resolve_writer

if TYPE_CHECKING:  # with them would come pandas, which --help does without
    from measurand.core.explainer import Explainer, ExplainerRoles

EXPLAINERS = Catalogue(
    "explainer",
    {
        "given": Entry(
            "measurand.explainers.extractive:Given", "a column of texts, or of spans"
        ),
        **{
            f"{how}-{count}": Entry(
                "measurand.explainers.extractive:Extractive",
                f"{count} of the evidence sentences and distractors, {by}",
                settings={"how": how, "sentences": count},
            )
            for how, by in (("tfidf", "by likeness to the query"), ("random", "by lot"))
            for count in (1, 2)
        },
        **{
            style if labeled else f"{style}-unlabeled": Entry(
                "measurand.explainers.prompted:Prompted",
                f"a language model, {what}, {'with' if labeled else 'without'} the "
                "gold label",
                "torch",
                {"style": style, "labeled": labeled},
            )
            for labeled in (True, False)
            for style, what in (("concise", "in a sentence or two"), ("steps", "steps"))
        },
        "vacuous": Entry(
            "measurand.explainers.adversarial:Vacuous", "suits any item with any label"
        ),
        "label-leaking": Entry(
            "measurand.explainers.adversarial:Leaking", "states the gold label"
        ),
        "circular": Entry(
            "measurand.explainers.adversarial:Circular", "the label is its own reason"
        ),
        "pseudo-specific": Entry(
            "measurand.explainers.adversarial:PseudoSpecific",
            "mentions a name of the item and says nothing of it",
        ),
        "drift": Entry(
            "measurand.explainers.distortions:Drift",
            "the given rationale with one not less or more",
        ),
        "label-swapped": Entry(
            "measurand.explainers.distortions:Swapped",
            "a rationale written for another label",
        ),
        "copy-cipher": Entry(
            "measurand.explainers.distortions:CopyCipher",
            "the query copied, with edits that stand for the label",
        ),
    },
)
SUITE = (  # bad in a known way: types A to F of the proposal, and a copy
    *("vacuous", "label-leaking", "circular", "pseudo-specific", "drift"),
    *("label-swapped", "copy-cipher"),
)
EDITED = Catalogue(
    "explainer",
    {"drift": Entry("measurand.explainers.prompted:Edited", "drift by a model")},
)


def make_explainer(name: str, roles: "ExplainerRoles", **settings: Any) -> "Explainer":
    """The explainer called `name`, reading the columns that `roles` names.

    A drift with a `model` is that model's minimal edit. With the setting `terms`, an
    endpoint's, is said where a model behind a server is and what it may cost.
    """
    thing = EXPLAINERS.thing(name)
    terms = settings.pop("terms", None)
    if settings.get("model"):
        settings["model"] = resolve_writer(settings["model"], terms)
    if name == "drift" and settings.get("model"):
        drift = make_explainer(name, roles)
        edited: Explainer = EDITED.load(name, drift=drift, **settings)
        return edited
    setting_names = [field.name for field in fields(thing)]
    for setting in settings:
        if setting not in setting_names:
            raise BadOption(
                f"{name} takes no {setting!r}; its settings are "
                f"{join_names(setting_names)}"
            )
    parts = {
        "query": roles.query,
        "evidence": roles.evidence,
        "rationale": roles.rationale,
        "column": roles.rationale,
    }
    columns = {part: column for part, column in parts.items() if part in setting_names}
    explainer: Explainer = EXPLAINERS.load(name, **{**columns, **settings})
    return explainer
