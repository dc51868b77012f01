"""What is chosen before an explanations audit is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from measurand.core.bounds import MOST_CHANGES
from measurand.core.errors import BadOption, quote
from measurand.core.setting import Setting, Settings, load_check, setting
from measurand.settings.running import Calibrate, Seeds

FEWEST = 20  # items that may be drawn


@dataclass(frozen=True)
class ExplanationsSettings(Settings):
    """Who explains, who judges, what is changed, how far to climb.

    Where `model` is named, drift asks it too; `seeds` of None takes three.

    Attributes:
        readers: Who is asked where nobody names others.
    """

    panel: ClassVar[str] = "Rationales"
    readers: ClassVar[tuple[str, ...]] = ("tfidf",)

    explainers: tuple[str, ...] = setting(
        (),
        "An explainer, see measurand list explainers; repeatable. Default: all "
        "that need no LLM.",
        option="--explainer",
    )
    judge: str = setting(
        "lexical",
        "lexical, or an entailment classifier by directory or hub id.",
        check="judges:check_judge",
    )
    judge_data: str | None = setting(
        None, "What the judge was trained on, where its folder does not say."
    )
    model: str | None = setting(
        None, "The LLM of prompted explainers: smollm2, causal:DIR or llm:NAME."
    )
    count: int = setting(
        3,
        "Changes per item: paraphrases of the query, and one of the format.",
        *(1, MOST_CHANGES),
        option="--changes",
    )
    paraphraser: str | None = setting(
        None, "A seq2seq model or LLM that rewords queries. Default: rules."
    )
    preset: str = setting(
        "default",
        "default, or paper: the proposal to the letter.",
        check="audits.explanations.masking:check_preset",
    )
    seeds: Seeds = None
    others: Annotated[
        Mapping[str, Sequence[str]],
        Setting("By item id, rationales given for changed inputs.", option=None),
    ] = field(default_factory=dict)
    similarity: str = setting(
        "tfidf",
        "What specificity compares texts by: tfidf, minilm, or an encoder.",
        check="judges:check_space",
    )
    calibrate: Calibrate = True

    def check_together(self) -> None:
        """Refuse rationales that are not texts, and explainers without their LLM."""
        for item, texts in self.others.items():
            is_list = isinstance(texts, Sequence) and not isinstance(texts, str)
            if not is_list or not all(isinstance(text, str) for text in texts):
                raise BadOption(
                    f"`others` has a {type(texts).__name__} for the item "
                    f"{quote(str(item))}; give a list of texts by item id"
                )
        if self.explainers:
            check = load_check("audits.explanations.rationales:check_explainer_model")
            check(self.explainers, self.model)


@dataclass(frozen=True)
class SampleSizes(Settings):
    """How many items are drawn, and what was written elsewhere about them."""

    items: int | None = setting(
        None, "So many test items, drawn by the seed. Default: all.", FEWEST
    )
    train_items: int | None = setting(
        None, "So many training items, drawn by the seed. Default: all.", FEWEST
    )
    others: Path | None = setting(
        None,
        "A file of given rationales for changed inputs: an id and a rationale per row.",
        option="--perturbed",
    )
