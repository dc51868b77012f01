"""The verb that audits explanations."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.console import deliver, open_with_progress, print_roles, run_log
from measurand.cli.options import (
    EndpointOptions,
    EngineOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)
from measurand.cli.verbs import app, check_options, exit_on

RATIONALES = "Rationales"


@app.command()
@expand_groups
def explanations(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    reader: o.Readers = None,
    explainer: Annotated[
        list[str] | None,
        typer.Option(
            help="An explainer, see measurand list explainers; repeatable. Default: "
            "all that need no LLM.",
            rich_help_panel=RATIONALES,
        ),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(
            help="lexical, or an entailment classifier by directory or hub id.",
            rich_help_panel=RATIONALES,
        ),
    ] = "lexical",
    model: Annotated[
        str | None,
        typer.Option(
            help="The LLM of prompted explainers: smollm2, causal:DIR or llm:NAME.",
            rich_help_panel=RATIONALES,
        ),
    ] = None,
    changes: Annotated[
        int,
        typer.Option(
            help="Changes an item: paraphrases of the query, and one of the format.",
            rich_help_panel=RATIONALES,
        ),
    ] = 3,
    paraphraser: Annotated[
        str | None,
        typer.Option(
            help="A seq2seq model or LLM that rewords queries. Default: rules.",
            rich_help_panel=RATIONALES,
        ),
    ] = None,
    perturbed: Annotated[
        Path | None,
        typer.Option(
            help="A file of given rationales for changed inputs: an id and a rationale "
            "a row.",
            rich_help_panel=RATIONALES,
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="default, or paper: the proposal's own mask and specificity.",
            rich_help_panel=RATIONALES,
        ),
    ] = "default",
    similarity: Annotated[
        str,
        typer.Option(
            help="What specificity compares texts by: tfidf, minilm, or an encoder.",
            rich_help_panel=RATIONALES,
        ),
    ] = "tfidf",
    items: Annotated[
        int | None,
        typer.Option(
            min=20, help="So many test items, drawn by the seed. Default: all."
        ),
    ] = None,
    train_items: Annotated[
        int | None,
        typer.Option(
            min=20, help="So many training items, drawn by the seed. Default: all."
        ),
    ] = None,
    calibrate: o.Calibrate = True,
    seeds: o.Seeds = None,
) -> None:
    """Are rationales robust and informative, or vacuous, or leaky?"""
    from measurand.core.errors import BadOption

    if changes < 1:
        raise BadOption(f"--changes is {changes}; allowed are 1 or more")
    check_options(run.fail_on, "explanations")
    from measurand.audits.explanations.rationales import (
        check_explainer_model,
        rationales_from_table,
    )

    check_explainer_model(explainer or (), model)
    started = time.time()
    from measurand.benchmarks.assemble import sample_benchmark

    benchmark = sample_benchmark(
        source.benchmark(run.seed), train=train_items, test=items, seed=run.seed
    )
    from measurand.audits.explanations import audit
    from measurand.benchmarks.files import read_table_file as rows

    print_roles(benchmark)
    others = {}
    if perturbed is not None:
        others = rationales_from_table(rows(str(perturbed)), benchmark)
    readers = EndpointOptions().readers(reader)
    with open_with_progress(
        benchmark, run.seed, run.workers, run.store, run.out, where
    ) as experiment:
        report = audit(
            experiment,
            readers,
            judge=judge,
            explainers=explainer or (),
            model=model,
            count=changes,
            paraphraser=paraphraser,
            preset=preset,
            seeds=seeds,
            others=others,
            similarity=similarity,
            calibrate=calibrate,
        )
        sizes = {"items": items, "train_items": train_items}
        report = replace(report, settings={**report.settings, **sizes})
        run_info = run_log(started, experiment, source.source, run.workers)
    deliver(report, run.out, run_info, as_json=run.json)
    exit_on([report], run.fail_on)
