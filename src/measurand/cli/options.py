"""The options that verbs share, each written down once."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli.config import read_config

COLUMNS = "Columns"
RUN = "Run"
ENDPOINT = "A model behind a server"


def _check_seed(seed: int) -> int:
    """The seed, where it is one."""
    from measurand.core.bounds import check_seed

    check_seed(seed)
    return seed


def _check_workers(workers: int | None) -> int | None:
    """The number of workers, where this machine can hold so many."""
    from measurand.core.bounds import check_workers

    if workers is not None:
        check_workers(workers)
    return workers


def _check_engine(engine: str) -> str:
    """The engine, where there is one of this name."""
    from measurand.experiment import ENGINES

    ENGINES.check(engine)
    return engine


def _check_budget(budget: str) -> str:
    """The budget, where it is a time."""
    from measurand.experiment.budget import to_seconds

    to_seconds(budget)
    return budget


def _check_split_by(split_by: str) -> str:
    """What a seeded split goes by, where it is one of the ways."""
    from measurand.benchmarks.split import check_split_by

    check_split_by(split_by)
    return split_by


def _read_escapes(text: str) -> str:
    r"""The text, in which \n is a new line and \t a tab: few shells write them.

    >>> _read_escapes(r"a\tb")
    'a\tb'
    """
    return text.replace(r"\n", "\n").replace(r"\t", "\t")


Source = Annotated[
    str,
    typer.Argument(
        help="A file (JSON lines, JSON, CSV, TSV, Parquet, each also gzipped), "
        "hf:NAME, or a name such as synthetic:nq."
    ),
]
Test = Annotated[
    list[str] | None,
    typer.Option(
        help="A file of test items; the first file is then all training. Repeatable: "
        "readers are reported on the others too."
    ),
]
Data = Annotated[
    str | None,
    typer.Option(
        envvar="MEASURAND_DATA",
        help="A folder that holds a published benchmark, for names such as snli.",
    ),
]
Part = Annotated[
    list[str] | None,
    typer.Option(
        help="A test part of a published benchmark. Repeatable: readers are reported "
        "on the others too."
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        help="The column that asks or claims. Like all columns it may be a path into "
        "nested cells ('passages[0].body', 'evidence[].text'), or several with a plus "
        "('title+body').",
        rich_help_panel=COLUMNS,
    ),
]
Evidence = Annotated[
    str | None,
    typer.Option(help="The column that should decide.", rich_help_panel=COLUMNS),
]
Label = Annotated[
    str | None, typer.Option(help="The column of gold labels.", rich_help_panel=COLUMNS)
]
Choices = Annotated[
    list[str] | None,
    typer.Option(
        help="The column of lists of choices, of which the label names the right one; "
        "repeatable, where each choice has a column.",
        rich_help_panel=COLUMNS,
    ),
]
Answers = Annotated[
    str | None,
    typer.Option(
        help="The column of free answers, in the place of a label: a text or a list. "
        "They are screened: the first stands among answers of like items.",
        rich_help_panel=COLUMNS,
    ),
]
Roles = Annotated[
    Path | None,
    typer.Option(
        help="A YAML file that names columns: a task of lm-eval, or a dataset's "
        "eval.yaml. Columns named here come first.",
        rich_help_panel=COLUMNS,
    ),
]
Metadata = Annotated[
    list[str] | None,
    typer.Option(
        help="A column that says what kind of item it is; repeatable. "
        "Derived where none is named.",
        rich_help_panel=COLUMNS,
    ),
]
Rationale = Annotated[
    list[str] | None,
    typer.Option(
        help="The column of explanations; repeatable, where an item has several.",
        rich_help_panel=COLUMNS,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(help="The column of clusters of items.", rich_help_panel=COLUMNS),
]
Subject = Annotated[
    str | None,
    typer.Option(
        help="The column of what each item is about: choices are read by it too.",
        rich_help_panel=COLUMNS,
    ),
]
Document = Annotated[
    str | None,
    typer.Option(
        help="The column of the document that an item's evidence is from.",
        rich_help_panel=COLUMNS,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(help="The column that says train or test.", rich_help_panel=COLUMNS),
]
Id = Annotated[
    str | None,
    typer.Option("--id", help="The column of item ids.", rich_help_panel=COLUMNS),
]
SplitBy = Annotated[
    str,
    typer.Option(
        callback=_check_split_by,
        help="What no two sides of a seeded split share: "
        "query, evidence, both or group.",
        rich_help_panel=COLUMNS,
    ),
]
Join = Annotated[
    str,
    typer.Option(
        callback=_read_escapes,
        help="What stands between the texts of one cell, or of several that make one; "
        "\\n is a new line, \\t a tab. Default: a space.",
        show_default=False,
        rich_help_panel=COLUMNS,
    ),
]
Readers = Annotated[
    list[str] | None,
    typer.Option(
        "--reader",
        help="A reader by name (see `measurand list readers`), or encoder:, causal:, "
        "zero-shot: or endpoint: and a directory or model, or FILE.py:NAME, which runs "
        "that file; repeatable. Default: tfidf.",
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        envvar="MEASURAND_ENDPOINT",
        help="An OpenAI-compatible server, for endpoint:MODEL.",
        rich_help_panel=ENDPOINT,
    ),
]
Shots = Annotated[
    int,
    typer.Option(min=0, help="Labelled examples a prompt.", rich_help_panel=ENDPOINT),
]
Orders = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Orders in which an LLM is shown choices that it names by letter. "
        "Default: 4 for a local one, 1 for a server, which is paid by the prompt.",
        rich_help_panel=ENDPOINT,
    ),
]
PriceIn = Annotated[
    float,
    typer.Option(help="USD per million tokens sent.", rich_help_panel=ENDPOINT),
]
PriceOut = Annotated[
    float,
    typer.Option(help="USD per million tokens received.", rich_help_panel=ENDPOINT),
]
CapTokens = Annotated[
    int | None,
    typer.Option(min=1, help="The most tokens to spend.", rich_help_panel=ENDPOINT),
]
CapMoney = Annotated[
    float | None,
    typer.Option(help="The most USD to spend.", rich_help_panel=ENDPOINT),
]
KeyEnv = Annotated[
    str | None,
    typer.Option(
        help="The environment variable that holds the server's key. Default: "
        "OPENAI_API_KEY for api.openai.com, MEASURAND_API_KEY for all others.",
        rich_help_panel=ENDPOINT,
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        help="Seconds in which a whole answer must arrive.",
        rich_help_panel=ENDPOINT,
    ),
]
Prompt = Annotated[
    Path | None,
    typer.Option(
        help="A file with the question for endpoint:MODEL, in which {fields} and "
        "{options} stand for the item and its labels, {marks} for their letters.",
        rich_help_panel=ENDPOINT,
    ),
]
Temperature = Annotated[
    float,
    typer.Option(
        min=0,
        max=2,
        help="The temperature sent to a server; one that refuses it is asked without.",
        rich_help_panel=ENDPOINT,
    ),
]
Retries = Annotated[
    int,
    typer.Option(
        min=0, help="How often a call is tried again.", rich_help_panel=ENDPOINT
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the most calls, tokens and USD, and the effect that can be seen; "
        "ask nothing.",
        rich_help_panel=ENDPOINT,
    ),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        help="A text column; repeatable. Default: the query and the evidence.",
        rich_help_panel=COLUMNS,
    ),
]
Clusters = Annotated[
    int | None,
    typer.Option("--k", help="Clusters of a part. Default: by the number of items."),
]
Components = Annotated[
    int | None,
    typer.Option(
        min=0, help="Principal components that are clustered; 0: all. Default: 50."
    ),
]
EvidenceFolds = Annotated[
    int | None,
    typer.Option(
        "--folds",
        help="Folds in which all items of a single file are tested, 3 if not given; "
        "1 tests the share set apart, as a server's model with --shots does.",
    ),
]
AnswerJudge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Also judges answers that a reader wrote: lexical, or an entailment "
        "classifier by directory or hub id.",
    ),
]
Reference = Annotated[
    float | None,
    typer.Option(
        "--reference-accuracy",
        help="The accuracy of the best published model, from 0 to 1.",
    ),
]
Map = Annotated[
    bool | None,
    typer.Option(
        "--map/--no-map", help="Draw the map of items. Default: up to 20,000 items."
    ),
]
Shuffles = Annotated[int, typer.Option(help="How many shuffles of the evidence.")]
Shuffle = Annotated[
    str,
    typer.Option(
        help="Their kind: plain, within-label, within-length, within-subject, "
        "within-document or nearest."
    ),
]
Margin = Annotated[
    float, typer.Option(help="Accuracy lost that still counts as nothing.")
]
Brief = Annotated[
    bool,
    typer.Option(
        "--brief", help="Leave out what explains a verdict and does not decide it."
    ),
]
CheckInference = Annotated[
    bool,
    typer.Option(
        "--check-inference",
        help="Ask LLMs that read choices alone to write the question: may they have "
        "inferred it?",
    ),
]
MarginOver = Annotated[
    float, typer.Option(help="Accuracy over the majority that counts as nothing.")
]
Calibrate = Annotated[
    bool,
    typer.Option(
        "--calibrate/--no-calibrate",
        help="Let a near zero call a stronger reader.",
        rich_help_panel=RUN,
    ),
]
Strongest = Annotated[
    str,
    typer.Option(
        envvar="MEASURAND_STRONGEST",
        help="The highest rung that a near zero may call: tfidf, cross or minilm.",
        rich_help_panel=RUN,
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How often an encoder is trained anew. Default: 1 on a CPU, 3 on a GPU.",
        rich_help_panel=RUN,
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option("--with", help="An audit to run beside the usual ones: exposure."),
]
Tune = Annotated[
    bool,
    typer.Option(
        "--tune",
        help="Search the learning rate of encoders on held-out training items, once, "
        "with all fields.",
        rich_help_panel=RUN,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0,
        callback=_check_seed,
        help="The same seed gives the same report.",
        rich_help_panel=RUN,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        callback=_check_workers,
        help="Worker processes. Default: one a core.",
        rich_help_panel=RUN,
    ),
]
Budget = Annotated[
    str,
    typer.Option(
        envvar="MEASURAND_BUDGET",
        callback=_check_budget,
        help="How long one encoder or LLM may compute: 90s, 10m, 2h or none. One that "
        "would take longer is not begun, and is listed as not run.",
        rich_help_panel=RUN,
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        callback=_check_engine,
        help="What runs the trials: local (processes here) or ray (a cluster).",
        rich_help_panel=RUN,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="A running Ray cluster: auto, HOST:PORT or ray://HOST:PORT. Default: "
        "RAY_ADDRESS, else one of --workers processes is started here.",
        rich_help_panel=RUN,
    ),
]
GpuShare = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="The share of a GPU of the cluster that a trial of an encoder or LLM "
        "gets. Default: 0.25.",
        rich_help_panel=RUN,
    ),
]
StoreIn = Annotated[
    Path | None,
    typer.Option(
        "--store",
        envvar="MEASURAND_STORE",
        help="Where answers are kept. Default: the user's cache.",
        rich_help_panel=RUN,
    ),
]
Out = Annotated[
    Path | None, typer.Option(help="A folder for the report.", rich_help_panel=RUN)
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace what measurand wrote to --out before; anything else is refused.",
        rich_help_panel=RUN,
    ),
]
OverwriteFile = Annotated[
    bool, typer.Option("--overwrite", help="Write over the file that is there.")
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", help="Print every figure after the answer.", rich_help_panel=RUN
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print report.json instead of the summary.", rich_help_panel=RUN
    ),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        help="A verdict, or the tone of an answer ('fix first'), that makes the exit "
        "code 3; repeatable.",
        rich_help_panel=RUN,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        callback=read_config,
        is_eager=True,
        help="A TOML file with these options.",
        rich_help_panel=RUN,
    ),
]
