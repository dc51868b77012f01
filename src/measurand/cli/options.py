"""The options that verbs share, each written down once."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import typer

from measurand.cli.config import read_config

# An option by the panel of the help in which it stands.
column = partial(typer.Option, rich_help_panel="Columns")
of_run = partial(typer.Option, rich_help_panel="Run")
of_server = partial(typer.Option, rich_help_panel="A model behind a server")


def _checked_by(check: str) -> Callable[[Any], Any]:
    """A callback that takes what this function of the library, loaded then, allows."""
    module, _, path = check.partition(":")

    def callback(value: Any) -> Any:
        if value is not None:
            attrgetter(path)(import_module(f"measurand.{module}"))(value)
        return value

    return callback


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
    column(
        help="The column that asks or claims. Like all columns it may be a path into "
        "nested cells ('passages[0].body', 'evidence[].text'), or several with a plus "
        "('title+body')."
    ),
]
Evidence = Annotated[str | None, column(help="The column that should decide.")]
Label = Annotated[str | None, column(help="The column of gold labels.")]
Choices = Annotated[
    list[str] | None,
    column(
        help="The column of lists of choices, of which the label names the right one; "
        "repeatable, where each choice has a column."
    ),
]
Answers = Annotated[
    str | None,
    column(
        help="The column of free answers, in the place of a label: a text or a list. "
        "They are screened: the first stands among answers of like items."
    ),
]
Roles = Annotated[
    Path | None,
    column(
        help="A YAML file that names columns: a task of lm-eval, or a dataset's "
        "eval.yaml. Columns named here come first."
    ),
]
Metadata = Annotated[
    list[str] | None,
    column(
        help="A column that says what kind of item it is; repeatable. "
        "Derived where none is named."
    ),
]
Rationale = Annotated[
    list[str] | None,
    column(help="The column of explanations; repeatable, where an item has several."),
]
Group = Annotated[str | None, column(help="The column of clusters of items.")]
Subject = Annotated[
    str | None,
    column(help="The column of what each item is about: choices are read by it too."),
]
Document = Annotated[
    str | None,
    column(help="The column of the document that an item's evidence is from."),
]
Split = Annotated[str | None, column(help="The column that says train or test.")]
Id = Annotated[str | None, column("--id", help="The column of item ids.")]
SplitBy = Annotated[
    str,
    column(
        callback=_checked_by("benchmarks.split:check_split_by"),
        help="What no two sides of a seeded split share: "
        "query, evidence, both or group.",
    ),
]
Join = Annotated[
    str,
    column(
        callback=_read_escapes,
        help="What stands between the texts of one cell, or of several that make one; "
        "\\n is a new line, \\t a tab. Default: a space.",
        show_default=False,
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
    of_server(
        envvar="MEASURAND_ENDPOINT",
        help="An OpenAI-compatible server, for endpoint:MODEL.",
    ),
]
Shots = Annotated[int, of_server(min=0, help="Labelled examples a prompt.")]
Orders = Annotated[
    int | None,
    of_server(
        min=1,
        help="Orders in which an LLM is shown choices that it names by letter. "
        "Default: 4 for a local one, 1 for a server, which is paid by the prompt.",
    ),
]
PriceIn = Annotated[float, of_server(help="USD per million tokens sent.")]
PriceOut = Annotated[float, of_server(help="USD per million tokens received.")]
CapTokens = Annotated[int | None, of_server(min=1, help="The most tokens to spend.")]
CapMoney = Annotated[float | None, of_server(help="The most USD to spend.")]
KeyEnv = Annotated[
    str | None,
    of_server(
        help="The environment variable that holds the server's key. Default: "
        "OPENAI_API_KEY for api.openai.com, MEASURAND_API_KEY for all others."
    ),
]
Timeout = Annotated[
    float, of_server("--timeout", help="Seconds in which a whole answer must arrive.")
]
Prompt = Annotated[
    Path | None,
    of_server(
        help="A file with the question for endpoint:MODEL, in which {fields} and "
        "{options} stand for the item and its labels, {marks} for their letters."
    ),
]
Temperature = Annotated[
    float,
    of_server(
        min=0,
        max=2,
        help="The temperature sent to a server; one that refuses it is asked without.",
    ),
]
Retries = Annotated[int, of_server(min=0, help="How often a call is tried again.")]
DryRun = Annotated[
    bool,
    of_server(
        "--dry-run",
        help="Print the most calls, tokens and USD, and the effect that can be seen; "
        "ask nothing.",
    ),
]
Fields = Annotated[
    list[str] | None,
    column(
        "--field",
        help="A text column; repeatable. Default: the query and the evidence.",
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
    of_run(
        "--calibrate/--no-calibrate", help="Let a near zero call a stronger reader."
    ),
]
Strongest = Annotated[
    str,
    of_run(
        envvar="MEASURAND_STRONGEST",
        help="The highest rung that a near zero may call: tfidf, cross or minilm.",
    ),
]
Seeds = Annotated[
    int | None,
    of_run(
        min=1,
        help="How often an encoder is trained anew. Default: 1 on a CPU, 3 on a GPU.",
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option("--with", help="An audit to run beside the usual ones: exposure."),
]
Tune = Annotated[
    bool,
    of_run(
        "--tune",
        help="Search the learning rate of encoders on held-out training items, once, "
        "with all fields.",
    ),
]
Seed = Annotated[
    int,
    of_run(
        min=0,
        callback=_checked_by("core.bounds:check_seed"),
        help="The same seed gives the same report.",
    ),
]
Workers = Annotated[
    int | None,
    of_run(
        min=1,
        callback=_checked_by("core.bounds:check_workers"),
        help="Worker processes. Default: one a core.",
    ),
]
Budget = Annotated[
    str,
    of_run(
        envvar="MEASURAND_BUDGET",
        callback=_checked_by("experiment.budget:to_seconds"),
        help="How long one encoder or LLM may compute: 90s, 10m, 2h or none. One that "
        "would take longer is not begun, and is listed as not run.",
    ),
]
Engine = Annotated[
    str,
    of_run(
        callback=_checked_by("experiment:ENGINES.check"),
        help="What runs the trials: local (processes here) or ray (a cluster).",
    ),
]
Address = Annotated[
    str | None,
    of_run(
        help="A running Ray cluster: auto, HOST:PORT or ray://HOST:PORT. Default: "
        "RAY_ADDRESS, else one of --workers processes is started here."
    ),
]
GpuShare = Annotated[
    float | None,
    of_run(
        min=0,
        max=1,
        help="The share of a GPU of the cluster that a trial of an encoder or LLM "
        "gets. Default: 0.25.",
    ),
]
StoreIn = Annotated[
    Path | None,
    of_run(
        "--store",
        envvar="MEASURAND_STORE",
        help="Where answers are kept. Default: the user's cache.",
    ),
]
Out = Annotated[Path | None, of_run(help="A folder for the report.")]
Overwrite = Annotated[
    bool,
    of_run(
        "--overwrite",
        help="Replace what measurand wrote to --out before; anything else is refused.",
    ),
]
OverwriteFile = Annotated[
    bool, typer.Option("--overwrite", help="Write over the file that is there.")
]
Verbose = Annotated[
    bool, of_run("--verbose", help="Print every figure after the answer.")
]
Json = Annotated[
    bool, of_run("--json", help="Print report.json instead of the summary.")
]
FailOn = Annotated[
    list[str] | None,
    of_run(
        help="A verdict, or the tone of an answer ('fix first'), that makes the exit "
        "code 3; repeatable."
    ),
]
Config = Annotated[
    Path | None,
    of_run(callback=read_config, is_eager=True, help="A TOML file with these options."),
]
