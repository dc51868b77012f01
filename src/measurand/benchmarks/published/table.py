"""The benchmarks and tasks that are known by name: one row each, no code.

The elicited fields are those of Table 1 of the leakage paper (Saxon et al., 2023); it
does not list FEVER itself, whose claims annotators wrote, nor the question sets.
`hotpotqa` questions were written by annotators; `boolq` questions were typed by people
who searched, so no field of it is elicited. Topics are tasks that classify one text.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from measurand.benchmarks.published.question_table import QUESTIONS, hotpotqa_part
from measurand.benchmarks.published.records import (
    FileNames,
    PublishedBenchmark,
    PublishedPart,
    hub_splits,
    single_file_part,
)
from measurand.core.task import Task

SEEDED_SPLIT = (
    "split"  # the part of benchmarks that publish none: a seeded split of all rows
)
LANGUAGES = (
    *("en", "ar", "bg", "de", "el", "es", "fr", "hi"),
    *("ru", "sw", "th", "tr", "ur", "vi", "zh"),
)


def _snli_part(side: str, split: str) -> PublishedPart:
    """One test part of SNLI."""
    files = ("snli_1.0_train.jsonl", f"snli_1.0_{side}.jsonl")
    return single_file_part(*files, hub_splits("stanfordnlp/snli", "train", split))


def _esnli_part(side: str) -> PublishedPart:
    """One test part of e-SNLI, whose training pairs fill two files."""
    train = ("esnli_train_1.csv", "esnli_train_2.csv")
    return PublishedPart((FileNames(train, (f"esnli_{side}.csv",)),))


def _mnli_part(genres: str) -> PublishedPart:
    """Dev pairs of MultiNLI, whose test labels are secret."""
    files = ("multinli_1.0_train.jsonl", f"multinli_1.0_dev_{genres}.jsonl")
    return single_file_part(
        *files, hub_splits("nyu-mll/multi_nli", "train", f"validation_{genres}")
    )


def _anli_part(*rounds: int) -> PublishedPart:
    """These rounds of ANLI, one after another."""
    train = tuple(f"R{number}/train.jsonl" for number in rounds)
    test = tuple(f"R{number}/test.jsonl" for number in rounds)
    # The datasets library joins splits that stand with a plus between them.
    splits = ("+".join(f"{s}_r{n}" for n in rounds) for s in ("train", "test"))
    return PublishedPart(
        (FileNames(train, test),), hub_splits("facebook/anli", *splits)
    )


def _xnli_part(language: str) -> PublishedPart:
    """One language of XNLI: translated training pairs, or else its own dev pairs."""
    train, test = f"multinli.train.{language}.tsv", "xnli.test.tsv"
    files = (
        FileNames((f"XNLI-MT-1.0/multinli/{train}",), (f"XNLI-1.0/{test}",)),
        FileNames((train,), (test,)),
        FileNames(("xnli.dev.tsv",), (test,)),
    )
    splits = hub_splits(f"facebook/xnli:{language}", "train", "test")
    return PublishedPart(files, splits, {"language": language})


def _cad_part(folder: str) -> PublishedPart:
    """One test folder of counterfactual NLI; training is always on all pairs."""
    return single_file_part("all_combined/train.tsv", f"{folder}/test.tsv")


def _debiased_part(origin: str) -> PublishedPart:
    """The z-augmented pairs, which the leakage paper reads; none stand apart."""
    splits = hub_splits("pietrolesci/gen_debiased_nli", f"{origin}_z_aug")
    return single_file_part(f"{origin}_z-aug.jsonl", hub=splits)


PAIR_FIELDS = ("hypothesis", "premise")
FEVER, CLUE, BOOLQ = "copenlu/fever_gold_evidence", "clue/clue:ocnli", "google/boolq"
FITEMS = (
    FileNames(("train_fitems.jsonl",), ("dev_fitems.jsonl",), "shared_task_dev.jsonl"),
    FileNames(("train_fitems.jsonl",)),
)
PUBLISHED: Mapping[str, PublishedBenchmark] = {
    "snli": PublishedBenchmark(
        "captions and hypotheses written for a label (Bowman et al., 2015)",
        {"test": _snli_part("test", "test"), "dev": _snli_part("dev", "validation")},
        folders=("snli_1.0",),
    ),
    "esnli": PublishedBenchmark(
        "SNLI with human explanations (Camburu et al., 2018)",
        {"test": _esnli_part("test"), "dev": _esnli_part("dev")},
        folders=("e-SNLI", "dataset"),
    ),
    "mnli": PublishedBenchmark(
        "hypotheses written for sentences of ten genres (Williams et al., 2018)",
        {"matched": _mnli_part("matched"), "mismatched": _mnli_part("mismatched")},
        folders=("multinli_1.0",),
    ),
    "anli": PublishedBenchmark(
        "hypotheses written to fool a model, three rounds (Nie et al., 2020)",
        {
            "test": _anli_part(1, 2, 3),
            "A1": _anli_part(1),
            "A2": _anli_part(2),
            "A3": _anli_part(3),
        },
        folders=("anli_v1.0",),
    ),
    "xnli": PublishedBenchmark(
        "pairs in the manner of MultiNLI, fifteen languages (Conneau et al., 2018)",
        {language: _xnli_part(language) for language in LANGUAGES},
        folders=("XNLI-1.0",),
        quoted=False,
    ),
    "ocnli": PublishedBenchmark(
        "hypotheses written for Chinese sentences (Hu et al., 2020)",
        {
            "dev": single_file_part(
                "train.50k.json", "dev.json", hub_splits(CLUE, "train", "validation")
            )
        },
        folders=("OCNLI", "data/ocnli"),
    ),
    "sick": PublishedBenchmark(
        "captions rewritten by rule and labelled by people (Marelli et al., 2014)",
        {"test": single_file_part("SICK.txt"), "dev": single_file_part("SICK.txt")},
        folders=("SICK",),
        quoted=False,
    ),
    "cad": PublishedBenchmark(
        "SNLI pairs revised until their label changed (Kaushik et al., 2020)",
        {
            "test": _cad_part("all_combined"),
            "dev": single_file_part("all_combined/train.tsv", "all_combined/dev.tsv"),
            "original": _cad_part("original"),
            "revised_premise": _cad_part("revised_premise"),
            "revised_hypothesis": _cad_part("revised_hypothesis"),
        },
        elicited=PAIR_FIELDS,
        folders=("NLI", "counterfactually-augmented-data/NLI"),
    ),
    "snli-debiased": PublishedBenchmark(
        "SNLI with generated pairs, z-filtered (Wu et al., 2022)",
        {SEEDED_SPLIT: _debiased_part("snli")},
        elicited=PAIR_FIELDS,
        folders=("gen-debiased-nli",),
    ),
    "mnli-debiased": PublishedBenchmark(
        "MultiNLI with generated pairs, z-filtered (Wu et al., 2022)",
        {SEEDED_SPLIT: _debiased_part("mnli")},
        elicited=PAIR_FIELDS,
        folders=("gen-debiased-nli",),
    ),
    "fever": PublishedBenchmark(
        "claims with the sentences that support or refute them (Thorne et al., 2018)",
        {
            "dev": PublishedPart(hub=hub_splits(FEVER, "train", "validation")),
            "test": PublishedPart(hub=hub_splits(FEVER, "train", "test")),
            "symmetric": PublishedPart(),
        },
        elicited=("claim",),
        task="claims",
        query="claim",
        evidence="evidence",
        hint="the authors' train.jsonl points into Wikipedia and holds no evidence; "
        "fever-nli does",
    ),
    "fever-nli": PublishedBenchmark(
        "FEVER's claims with retrieved sentences (Nie et al., 2019)",
        {
            "dev": PublishedPart(
                FITEMS, hub_splits("pietrolesci/nli_fever", "train", "dev")
            )
        },
        elicited=("claim",),
        task="claims",
        query="claim",
        evidence="evidence",
        folders=("nli_fever",),
        hint="the labels of dev_fitems.jsonl are in FEVER's shared_task_dev.jsonl",
    ),
    "hotpotqa": PublishedBenchmark(
        "questions over two pages, with a weak label (Yang et al., 2018)",
        {
            "fullwiki": hotpotqa_part("fullwiki"),
            "distractor": hotpotqa_part("distractor"),
        },
        elicited=("question",),
        task="hotpotqa",
        query="question",
        evidence="context",
        simple=("hotpotqa_context",),
    ),
    "boolq": PublishedBenchmark(
        "yes-or-no questions people searched for (Clark et al., 2019)",
        {
            "dev": single_file_part(
                "train.jsonl", "dev.jsonl", hub_splits(BOOLQ, "train", "validation")
            )
        },
        elicited=(),
        task="boolq",
        query="question",
        evidence="passage",
        folders=("BoolQ",),
    ),
    **QUESTIONS,
}


@dataclass(frozen=True)
class Topic:
    """A task that classifies one text.

    Attributes:
        name: What it is called here, and how its file is named.
        hub: Where it is on the hub: NAME:CONFIG@SPLIT.
        text: The columns that hold the text, joined by line breaks.
        label: The column of the label.
        classes: The name of each class by its value in that column.
        longest: The most letters of a text; longer rows are left out.
        about: What the text is and what is asked of it.
        epochs: How often the labelled rows are read.
        batch: Rows a step.
    """

    name: str
    hub: str
    text: tuple[str, ...]
    label: str
    classes: Mapping[str, str]
    longest: int | None
    about: str
    epochs: int
    batch: int

    @property
    def task(self) -> Task:
        """What a reader may be told about it."""
        return Task(self.about, self.epochs, self.batch)


def _load_topics() -> dict[str, Topic]:
    """All tasks by name."""
    rows = json.loads((files(__package__) / "topics.json").read_text("utf-8"))
    return {row["name"]: Topic(**{**row, "text": tuple(row["text"])}) for row in rows}


TOPICS: Mapping[str, Topic] = _load_topics()
