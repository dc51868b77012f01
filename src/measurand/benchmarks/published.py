"""The published benchmarks that are known by name: one row each, no code.

The elicited fields are those of Table 1 of the leakage paper (Saxon et al., 2023); it
does not list FEVER itself, whose claims annotators wrote, nor the question sets.
`hotpotqa` questions were written by annotators; `boolq` questions were typed by people
who searched, so no field of it is elicited.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

WHOLE = "split"  # the part of benchmarks that publish none: a seeded split of all rows
LANGUAGES = (
    *("en", "ar", "bg", "de", "el", "es", "fr", "hi"),
    *("ru", "sw", "th", "tr", "ur", "vi", "zh"),
)


@dataclass(frozen=True)
class Files:
    """Files that lie in one folder, all of them needed.

    Attributes:
        train: What to learn from.
        test: What to ask about; where empty, train is split.
        answers: The file that holds the labels which `test` keeps secret.
    """

    train: tuple[str, ...]
    test: tuple[str, ...] = ()
    answers: str | None = None


@dataclass(frozen=True)
class Part:
    """One test part, and the train part that belongs to it.

    Attributes:
        files: The authors' files; the first that are all there count.
        hub: Train and test on the hub, as `NAME:CONFIG@SPLIT`; train alone is split.
        only: Columns and the value that the rows of this part hold there.
    """

    files: tuple[Files, ...] = ()
    hub: tuple[str, ...] = ()
    only: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Published:
    """A published benchmark.

    Attributes:
        about: One line.
        parts: The test parts by name; the first is the default.
        elicited: The fields that annotators wrote.
        task: Which of the layouts read it.
        query: The field that asks or claims.
        evidence: The field that should decide.
        folders: What the authors' archive unpacks to.
        simple: Names of simple files, apart from the benchmark's own.
        quoted: Whether fields of its tab-separated files are quoted.
        hint: What to know where it is not found.
    """

    about: str
    parts: Mapping[str, Part]
    elicited: tuple[str, ...] = ("hypothesis",)
    task: str = "pairs"
    query: str = "hypothesis"
    evidence: str = "premise"
    folders: tuple[str, ...] = ()
    simple: tuple[str, ...] = ()
    quoted: bool = True
    hint: str = ""


def part(train: str, test: str = "", hub: tuple[str, ...] = ()) -> Part:
    """A part of one train and one test file."""
    return Part((Files((train,), (test,) if test else ()),), hub)


def hub(name: str, *splits: str) -> tuple[str, ...]:
    """Splits of one dataset of the hub.

    >>> hub("stanfordnlp/snli", "train", "test")
    ('stanfordnlp/snli@train', 'stanfordnlp/snli@test')
    """
    return tuple(f"{name}@{split}" for split in splits)


def snli(side: str, split: str) -> Part:
    """One test part of SNLI."""
    files = ("snli_1.0_train.jsonl", f"snli_1.0_{side}.jsonl")
    return part(*files, hub("stanfordnlp/snli", "train", split))


def esnli(side: str) -> Part:
    """One test part of e-SNLI, whose training pairs fill two files."""
    train = ("esnli_train_1.csv", "esnli_train_2.csv")
    return Part((Files(train, (f"esnli_{side}.csv",)),))


def mnli(genres: str) -> Part:
    """Dev pairs of MultiNLI, whose test labels are secret."""
    files = ("multinli_1.0_train.jsonl", f"multinli_1.0_dev_{genres}.jsonl")
    return part(*files, hub("nyu-mll/multi_nli", "train", f"validation_{genres}"))


def anli(*rounds: int) -> Part:
    """These rounds of ANLI, one after another."""
    train = tuple(f"R{number}/train.jsonl" for number in rounds)
    test = tuple(f"R{number}/test.jsonl" for number in rounds)
    # The datasets library joins splits that stand with a plus between them.
    splits = ("+".join(f"{s}_r{n}" for n in rounds) for s in ("train", "test"))
    return Part((Files(train, test),), hub("facebook/anli", *splits))


def xnli(language: str) -> Part:
    """One language of XNLI: translated training pairs, or else its own dev pairs."""
    train, test = f"multinli.train.{language}.tsv", "xnli.test.tsv"
    files = (
        Files((f"XNLI-MT-1.0/multinli/{train}",), (f"XNLI-1.0/{test}",)),
        Files((train,), (test,)),
        Files(("xnli.dev.tsv",), (test,)),
    )
    splits = hub(f"facebook/xnli:{language}", "train", "test")
    return Part(files, splits, {"language": language})


def cad(folder: str) -> Part:
    """One test folder of counterfactual NLI; training is always on all pairs."""
    return part("all_combined/train.tsv", f"{folder}/test.tsv")


def debiased(origin: str) -> Part:
    """The z-augmented pairs, which the leakage paper reads; none stand apart."""
    held = hub("pietrolesci/gen_debiased_nli", f"{origin}_z_aug")
    return part(f"{origin}_z-aug.jsonl", hub=held)


def hotpot(setting: str) -> Part:
    """One setting of HotpotQA; both train on the same questions."""
    files = Files(("hotpot_train_v1.1.json",), (f"hotpot_dev_{setting}_v1.json",))
    splits = hub(f"hotpotqa/hotpot_qa:{setting}", "train", "validation")
    return Part((files,), splits, {"setting": setting})


BOTH = ("hypothesis", "premise")
FEVER, CLUE, BOOLQ = "copenlu/fever_gold_evidence", "clue/clue:ocnli", "google/boolq"
FITEMS = (
    Files(("train_fitems.jsonl",), ("dev_fitems.jsonl",), "shared_task_dev.jsonl"),
    Files(("train_fitems.jsonl",)),
)
PUBLISHED: Mapping[str, Published] = {
    "snli": Published(
        "captions and hypotheses written for a label (Bowman et al., 2015)",
        {"test": snli("test", "test"), "dev": snli("dev", "validation")},
        folders=("snli_1.0",),
    ),
    "esnli": Published(
        "SNLI with human explanations (Camburu et al., 2018)",
        {"test": esnli("test"), "dev": esnli("dev")},
        folders=("e-SNLI", "dataset"),
    ),
    "mnli": Published(
        "hypotheses written for sentences of ten genres (Williams et al., 2018)",
        {"matched": mnli("matched"), "mismatched": mnli("mismatched")},
        folders=("multinli_1.0",),
    ),
    "anli": Published(
        "hypotheses written to fool a model, three rounds (Nie et al., 2020)",
        {"test": anli(1, 2, 3), "A1": anli(1), "A2": anli(2), "A3": anli(3)},
        folders=("anli_v1.0",),
    ),
    "xnli": Published(
        "pairs in the manner of MultiNLI, fifteen languages (Conneau et al., 2018)",
        {language: xnli(language) for language in LANGUAGES},
        folders=("XNLI-1.0",),
        quoted=False,
    ),
    "ocnli": Published(
        "hypotheses written for Chinese sentences (Hu et al., 2020)",
        {"dev": part("train.50k.json", "dev.json", hub(CLUE, "train", "validation"))},
        folders=("OCNLI", "data/ocnli"),
    ),
    "sick": Published(
        "captions rewritten by rule and labelled by people (Marelli et al., 2014)",
        {"test": part("SICK.txt"), "dev": part("SICK.txt")},
        folders=("SICK",),
        quoted=False,
    ),
    "cad": Published(
        "SNLI pairs revised until their label changed (Kaushik et al., 2020)",
        {
            "test": cad("all_combined"),
            "dev": part("all_combined/train.tsv", "all_combined/dev.tsv"),
            "original": cad("original"),
            "revised_premise": cad("revised_premise"),
            "revised_hypothesis": cad("revised_hypothesis"),
        },
        elicited=BOTH,
        folders=("NLI", "counterfactually-augmented-data/NLI"),
    ),
    "snli-debiased": Published(
        "SNLI with generated pairs, z-filtered (Wu et al., 2022)",
        {WHOLE: debiased("snli")},
        elicited=BOTH,
        folders=("gen-debiased-nli",),
    ),
    "mnli-debiased": Published(
        "MultiNLI with generated pairs, z-filtered (Wu et al., 2022)",
        {WHOLE: debiased("mnli")},
        elicited=BOTH,
        folders=("gen-debiased-nli",),
    ),
    "fever": Published(
        "claims with the sentences that support or refute them (Thorne et al., 2018)",
        {
            "dev": Part(hub=hub(FEVER, "train", "validation")),
            "test": Part(hub=hub(FEVER, "train", "test")),
            "symmetric": Part(),
        },
        elicited=("claim",),
        task="claims",
        query="claim",
        evidence="evidence",
        hint="the authors' train.jsonl points into Wikipedia and holds no evidence; "
        "fever-nli does",
    ),
    "fever-nli": Published(
        "FEVER's claims with retrieved sentences (Nie et al., 2019)",
        {"dev": Part(FITEMS, hub("pietrolesci/nli_fever", "train", "dev"))},
        elicited=("claim",),
        task="claims",
        query="claim",
        evidence="evidence",
        folders=("nli_fever",),
        hint="the labels of dev_fitems.jsonl are in FEVER's shared_task_dev.jsonl",
    ),
    "hotpotqa": Published(
        "questions over two pages, with a weak label (Yang et al., 2018)",
        {"fullwiki": hotpot("fullwiki"), "distractor": hotpot("distractor")},
        elicited=("question",),
        task="hotpotqa",
        query="question",
        evidence="context",
        simple=("hotpotqa_context",),
    ),
    "boolq": Published(
        "yes-or-no questions people searched for (Clark et al., 2019)",
        {"dev": part("train.jsonl", "dev.jsonl", hub(BOOLQ, "train", "validation"))},
        elicited=(),
        task="boolq",
        query="question",
        evidence="passage",
        folders=("BoolQ",),
    ),
}
