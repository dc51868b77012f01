"""The benchmarks of choices and of free answers that are known by name: no code.

Each row says which of the authors' columns plays which part, in each of the forms in
which it is published: their files, one row an item, and the hub. Parts that are not
named are found by their names, as in any file. No field of these was elicited: none was
written for one of a few labels that all items share.

Where the authors keep the right answers of the test part, dev is the test part. MMLU
has no train part of its own: its few examples and its validation items are learned
from, and under `auxiliary` the items of other benchmarks that its authors add.
"""

from collections.abc import Mapping
from functools import partial

from measurand.benchmarks.published.records import (
    HEADLESS,
    LINES,
    FileNames,
    PublishedBenchmark,
    PublishedPart,
    Roles,
    hub_splits,
    single_file_part,
)

# Simple files hold question, choices and the right one under any of these names.
SIMPLE: tuple[Roles, ...] = tuple(
    {"query": "question", "choices": "choices", "label": label}
    for label in ("answerKey", "label", "answer")
)
ANSWERS: Roles = {"query": "question", "evidence": "context", "answers": "answers"}
_Questions = partial(PublishedBenchmark, elicited=(), task="questions")


def _train_and(
    train: str, hub: str, dev: str, test: str = ""
) -> dict[str, PublishedPart]:
    """The parts of a benchmark of single files; the test part first where there is one.

    >>> [*_train_and("train.json", "allenai/sciq", "valid.json", "test.json")]
    ['test', 'dev']
    """
    sides = {"test": (test, "test"), "dev": (dev, "validation")}
    return {
        part: single_file_part(train, file, hub_splits(hub, "train", split))
        for part, (file, split) in sides.items()
        if file
    }


def _arc(level: str) -> PublishedBenchmark:
    """One of the two sets of ARC."""
    name = f"ARC-{level}"
    train, dev, test = (f"{name}-{side}.jsonl" for side in ("Train", "Dev", "Test"))
    kind = "hard to look up" if level == "Challenge" else "that a search often solves"
    return _Questions(
        f"questions of school science, {kind} (Clark et al., 2018)",
        _train_and(train, f"allenai/ai2_arc:{name}", dev, test),
        columns=SIMPLE,
        folders=(f"ARC-V1-Feb2018-2/{name}", f"ARC-V1-Feb2018/{name}", name),
    )


def _mmlu_part(hub: str, *train: tuple[str, ...]) -> PublishedPart:
    """The test items of MMLU, beside one of these sets of files to learn from."""
    test = ("test/*_test.csv",)
    files = tuple(FileNames(names, test, form=HEADLESS) for names in train)
    return PublishedPart(files, hub_splits("cais/mmlu:all", hub, "test"))


def _race_part(*levels: str, config: str) -> PublishedPart:
    """These levels of RACE, whose folders hold a file for each article."""
    train, test = (
        tuple(f"{side}/{level}/*.txt" for level in levels) for side in ("train", "test")
    )
    splits = hub_splits(f"ehovy/race:{config}", "train", "test")
    return PublishedPart((FileNames(train, test, form=LINES),), splits)


def _quality_part() -> PublishedPart:
    """QuALITY of either release, with and without markup, whose files end in no form.

    On the hub it is not its authors' own.
    """
    names = [
        f"QuALITY.{release}{text}"
        for release in ("v1.0.1", "v1.0")
        for text in (".htmlstripped", "")
    ]
    files = [FileNames((f"{n}.train",), (f"{n}.dev",), form=LINES) for n in names]
    splits = hub_splits("emozilla/quality", "train", "validation")
    return PublishedPart(tuple(files), splits)


def _squad(about: str, version: str, hub: str) -> PublishedBenchmark:
    """One version of SQuAD."""
    files = f"train-{version}.json", hub, f"dev-{version}.json"
    columns = {**ANSWERS, "document": "title"}, ANSWERS
    return _Questions(about, _train_and(*files), columns=columns, folders=("SQuAD",))


def hotpotqa_part(setting: str) -> PublishedPart:
    """One setting of HotpotQA; both train on the same questions."""
    files = FileNames(("hotpot_train_v1.1.json",), (f"hotpot_dev_{setting}_v1.json",))
    splits = hub_splits(f"hotpotqa/hotpot_qa:{setting}", "train", "validation")
    return PublishedPart((files,), splits, {"setting": setting})


QUESTIONS: Mapping[str, PublishedBenchmark] = {
    "hellaswag": _Questions(
        "which ending continues a scene, the wrong ones generated and chosen to fool "
        "models (Zellers et al., 2019)",
        _train_and("hellaswag_train.jsonl", "Rowan/hellaswag", "hellaswag_val.jsonl"),
        columns=(
            {
                "query": "ctx",
                "choices": "endings",
                "label": "label",
                "subject": "activity_label",
            },
            *SIMPLE,
        ),
        folders=("hellaswag/data", "hellaswag-master/data"),
    ),
    "arc-challenge": _arc("Challenge"),
    "arc-easy": _arc("Easy"),
    "openbookqa": _Questions(
        "questions of elementary science, without the book (Mihaylov et al., 2018)",
        _train_and("train.jsonl", "allenai/openbookqa:main", "dev.jsonl", "test.jsonl"),
        columns=(
            {"query": "question_stem", "choices": "choices", "label": "answerKey"},
            *SIMPLE,
        ),
        folders=("OpenBookQA-V1-Sep2018/Data/Main", "Data/Main"),
    ),
    "commonsenseqa": _Questions(
        "questions that set five related concepts apart (Talmor et al., 2019)",
        _train_and(
            "train_rand_split.jsonl", "tau/commonsense_qa", "dev_rand_split.jsonl"
        ),
        columns=SIMPLE,
        folders=("CommonsenseQA",),
    ),
    "mmlu": _Questions(
        "questions of examinations in 57 subjects (Hendrycks et al., 2021)",
        {
            "test": _mmlu_part(
                "dev+validation", ("dev/*_dev.csv", "val/*_val.csv"), ("dev/*_dev.csv",)
            ),
            "auxiliary": _mmlu_part("auxiliary_train", ("auxiliary_train/*.csv",)),
        },
        columns=(
            {
                "query": "question",
                "choices": ("A", "B", "C", "D"),
                "label": "answer",
                "subject": "subject",
            },
            *({**roles, "subject": "subject"} for roles in SIMPLE),
            *SIMPLE,
        ),
        folders=("data",),
    ),
    "sciq": _Questions(
        "questions of science, most with the passage they were written from "
        "(Welbl et al., 2017)",
        _train_and("train.json", "allenai/sciq", "valid.json", "test.json"),
        columns=(
            {
                "query": "question",
                "evidence": "support",
                "choices": (
                    *("distractor1", "distractor2", "distractor3"),
                    "correct_answer",
                ),
                "label": "correct_answer",
            },
            *SIMPLE,
        ),
        folders=("SciQ dataset-2 3", "SciQ"),
    ),
    "race": _Questions(
        "questions of English examinations about an article (Lai et al., 2017)",
        {
            "test": _race_part("middle", "high", config="all"),
            "middle": _race_part("middle", config="middle"),
            "high": _race_part("high", config="high"),
        },
        columns=(
            *(
                {
                    "query": "question",
                    "evidence": "article",
                    "choices": "options",
                    "label": "answer",
                    "document": document,
                }
                for document in ("example_id", "id")
            ),
            *SIMPLE,
        ),
        folders=("RACE",),
    ),
    "quality": _Questions(
        "questions about articles of some 5,000 words (Pang et al., 2022)",
        {"dev": _quality_part()},
        columns=(
            {
                "query": "question",
                "evidence": "article",
                "choices": "options",
                "label": "gold_label",
                "document": "article_id",
                "id": "question_unique_id",
            },
            {
                "query": "question",
                "evidence": "article",
                "choices": "options",
                "label": "answer",
            },
            *SIMPLE,
        ),
        folders=("QuALITY.v1.0.1", "QuALITY.v1.0", "QuALITY", "data/v1.0.1"),
    ),
    "squad": _squad(
        "questions that a span of a paragraph answers (Rajpurkar et al., 2016)",
        "v1.1",
        "rajpurkar/squad",
    ),
    "squad-v2": _squad(
        "SQuAD with questions that have no answer, which are left out "
        "(Rajpurkar et al., 2018)",
        "v2.0",
        "rajpurkar/squad_v2",
    ),
    "hotpotqa-answers": _Questions(
        "questions over two pages, with their answers (Yang et al., 2018)",
        {name: hotpotqa_part(name) for name in ("distractor", "fullwiki")},
        columns=({**ANSWERS, "answers": "answer"},),
        simple=("hotpotqa_context",),
    ),
}
