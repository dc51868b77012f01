"""measurand explanations: robust and informative, or vacuous, or leaky?"""

import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import (
    deliver,
    notice,
    open_with_progress,
    print_roles,
    run_log,
)
from measurand.cli.groups import (
    EndpointOptions,
    EngineOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)
from measurand.cli.run import (
    check_ready,
    check_run_out,
    check_store,
    exit_on_verdict,
    load_audit,
)

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark

of_rationales = partial(typer.Option, rich_help_panel="Rationales")


@dataclass(frozen=True)
class RationaleOptions:
    """Who explains, who judges, what is changed."""

    explainer: Annotated[
        list[str] | None,
        of_rationales(
            help="An explainer, see measurand list explainers; repeatable. Default: "
            "all that need no LLM."
        ),
    ] = None
    judge: Annotated[
        str,
        of_rationales(
            help="lexical, or an entailment classifier by directory or hub id."
        ),
    ] = "lexical"
    judge_data: Annotated[
        str | None,
        of_rationales(
            help="What the judge was trained on, where its folder does not say."
        ),
    ] = None
    model: Annotated[
        str | None,
        of_rationales(
            help="The LLM of prompted explainers: smollm2, causal:DIR or llm:NAME."
        ),
    ] = None
    changes: Annotated[
        int,
        of_rationales(
            help="Changes an item: paraphrases of the query, and one of the format."
        ),
    ] = 3
    paraphraser: Annotated[
        str | None,
        of_rationales(
            help="A seq2seq model or LLM that rewords queries. Default: rules."
        ),
    ] = None
    perturbed: Annotated[
        Path | None,
        of_rationales(
            help="A file of given rationales for changed inputs: an id and a rationale "
            "a row."
        ),
    ] = None
    preset: Annotated[
        str, of_rationales(help="default, or paper: the proposal to the letter.")
    ] = "default"
    similarity: Annotated[
        str,
        of_rationales(
            help="What specificity compares texts by: tfidf, minilm, or an encoder."
        ),
    ] = "tfidf"

    def read_others(self, benchmark: "Benchmark") -> dict[str, list[str]]:
        """The rationales that were given for changed inputs, by item."""
        from measurand.audits.explanations.rationales import rationales_from_table
        from measurand.benchmarks.files import read_table_file

        if self.perturbed is None:
            return {}
        return rationales_from_table(read_table_file(str(self.perturbed)), benchmark)

    def chosen(self) -> dict[str, Any]:
        """The settings of the audit that these options choose."""
        return {
            "explainers": tuple(self.explainer or ()),
            "judge": self.judge,
            "judge_data": self.judge_data,
            "model": self.model,
            "count": self.changes,
            "paraphraser": self.paraphraser,
            "preset": self.preset,
            "similarity": self.similarity,
        }


@dataclass(frozen=True)
class SampleOptions:
    """How many items are drawn."""

    items: Annotated[
        int | None,
        typer.Option(
            min=20, help="So many test items, drawn by the seed. Default: all."
        ),
    ] = None
    train_items: Annotated[
        int | None,
        typer.Option(
            min=20, help="So many training items, drawn by the seed. Default: all."
        ),
    ] = None


@app.command("explanations")
@expand_groups
def explanations_verb(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    rationales: RationaleOptions,
    sample: SampleOptions,
    reader: o.Readers = None,
    calibrate: o.Calibrate = True,
    seeds: o.Seeds = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what the run would take, and stop.")
    ] = False,
) -> None:
    """Are rationales robust and informative, or vacuous, or leaky?"""
    from measurand.audits.explanations.rationales import check_explainer_model
    from measurand.benchmarks.assemble import sample_benchmark

    check_explainer_model(rationales.explainer or (), rationales.model)
    given = [rationales.perturbed] if rationales.perturbed else []
    if not plan:
        check_run_out(run, [*source.files, *given])
    check_store(run)
    started = time.time()
    audit = load_audit("explanations", run)
    settings = audit.choose(**rationales.chosen(), calibrate=calibrate, seeds=seeds)
    readers = EndpointOptions().readers(reader, audit.readers)
    check_ready(readers)
    benchmark = sample_benchmark(
        source.benchmark(run.seed),
        train=sample.train_items,
        test=sample.items,
        seed=run.seed,
    )
    settings = replace(settings, others=rationales.read_others(benchmark))
    print_roles(benchmark)
    with open_with_progress(benchmark, run, where, bar=not plan) as experiment:
        if plan:
            from measurand.audits.explanations import plan_explanations

            notice(str(plan_explanations(experiment, readers, settings)))
            return
        report = audit.run(experiment, readers, settings)
        log = run_log(started, experiment, source.source, run.workers)
    chosen = {**vars(sample), "perturbed": rationales.perturbed is not None}
    report = replace(report, settings={**report.settings, **chosen})
    deliver(report, run, log)
    exit_on_verdict([report], run.fail_on)
