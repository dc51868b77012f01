"""The explanations audit itself: write, change, write again, read, compare."""

from collections.abc import Mapping, Sequence
from typing import Any

from measurand.audits.explanations.beside import (
    accepted,
    agreement,
    baselines,
    control,
    hanging_together,
    inputs,
    majority,
    specificities,
    surfaces,
    telling,
    titled,
)
from measurand.audits.explanations.exhibits import exhibits
from measurand.audits.explanations.masking import masking
from measurand.audits.explanations.perturbing import COUNT, perturbed
from measurand.audits.explanations.reading import Read, levelled, read
from measurand.audits.explanations.robust import robust
from measurand.audits.explanations.statement import (
    described,
    item_table,
    leading,
    settings,
    warnings,
)
from measurand.audits.explanations.verdict import verdict
from measurand.audits.explanations.writing import GIVEN, answerable, usual, written
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable, Undefined
from measurand.core.finding import Report
from measurand.core.reader import Reader
from measurand.experiment.answers import Experiment
from measurand.experiment.ladder import (
    check_teachable,
    higher_rungs,
    order_by_strength,
)
from measurand.judges import named as judge_named

CALLED = "cross"  # sees how the input and the rationale meet, and needs no GPU


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    *,
    judge: str = "lexical",
    explainers: Sequence[str] = (),
    model: str | None = None,
    count: int = COUNT,
    paraphraser: str | None = None,
    preset: str = "default",
    seeds: int | None = None,
    others: Mapping[str, Sequence[str]] | None = None,
    similarity: str = "tfidf",
    calibrate: bool = True,
) -> Report:
    """Ask whether rationales are robust, informative and specific, or empty or leaky.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        judge: "lexical", or the directory or hub id of an entailment classifier.
        explainers: The explainers; all that need no LLM where none is named.
        model: The LLM that prompted explainers ask and cannot do without; where it is
            named, drift asks it too.
        count: Changes an item: all but one are paraphrases of the query.
        paraphraser: A seq2seq model or LLM that rewords queries; None takes rules.
        preset: "default", or "paper" for the proposal's own mask and specificity.
        seeds: How often a trained encoder is trained anew; None takes three.
        others: By item id, rationales given for changed inputs.
        similarity: What specificity compares texts by: "tfidf", or an encoder.
        calibrate: Whether `cross` is called where a reader that sees the fields apart
            does not find that rationales inform.
    """
    benchmark = experiment.benchmark
    checked(benchmark, readers, preset)
    answerable(explainers, model)
    # The given rationales first: the verdict is on them, and the first are browsed.
    named = sorted(dict.fromkeys(explainers), key=lambda name: name != GIVEN)
    names = tuple(named) or usual(benchmark)
    judging = judge_named(judge)
    changed = perturbed(
        experiment,
        benchmark.test,
        benchmark.query,
        benchmark.evidence,
        judging,
        paraphraser=paraphraser,
        count=count,
    )
    made = written(experiment, names, changed, others or {}, model)
    stable = robust(experiment, made, judging, surfaces(judge))
    clusters = hanging_together(benchmark.test, benchmark)
    against, own = specificities(experiment, made, preset, similarity)
    leaks = telling(benchmark, made[names[0]])
    fields, also = inputs(benchmark)
    terms: dict[str, Any] = {
        "fields": fields,
        "also": also,
        "judge": titled(judge),
        "seeds": seeds,
        "preset": preset,
        "clusters": clusters,
    }
    reads: list[Read] = []
    not_called: dict[str, str] = {}
    for name, reader in order_by_strength(readers).items():
        asked = (experiment, name, reader, made, stable, own, leaks)
        reads.append(read(*asked, **terms))
    rungs = higher_rungs(readers, CALLED, rungs=(CALLED,))
    while (
        calibrate
        and doubtful(reads, planted=benchmark.planted)
        and (rung := next(rungs, None))
    ):
        name, reader = rung
        asked = (experiment, name, reader, made, stable, own, leaks)
        try:
            reads.append(read(*asked, **terms))
        except Undefined as reason:
            not_called[name] = str(reason)
    said = verdict([one.stage for one in reads], planted=benchmark.planted)
    findings = [
        *accepted(changed),
        majority(benchmark.test),
        *baselines(experiment.seed, made, stable, benchmark.test, judge, clusters),
        *control(experiment.seed, own, against, benchmark, clusters),
        *agreement(experiment, made, stable, judge),
        *levelled(reads[0].figures, titled(judge)),
        *(finding for one in reads for finding in one.findings),
        # Metrics are judged by the strongest reader: their names stand for readers.
        *reads[-1].meta.findings,
    ]
    chosen = {
        "judge": titled(judge),
        "explainers": list(names),
        "model": model and titled(model),
        "changes": count,
        "paraphraser": paraphraser and titled(paraphraser),
        "preset": preset,
        "similarity": similarity,
        "calibrate": calibrate,
        "seed": experiment.seed,
    }
    return Report(
        "explanations",
        described(benchmark, fields),
        said,
        leading(findings),
        settings(readers, chosen, reads),
        not_called | {w: why for one in reads for w, why in one.not_run.items()},
        tuple(warnings(benchmark, made, changed, reads)),
        exhibits(benchmark, made, reads, leaks, findings),
        item_table(benchmark, made, stable, own, changed, reads[-1]),
    )


def checked(benchmark: Benchmark, readers: Mapping[str, Reader], preset: str) -> None:
    """Nothing, where the options can be followed."""
    if benchmark.rationale is None:
        raise NotApplicable(
            f"{benchmark.name} names no rationale; name its column with --rationale"
        )
    masking(preset)
    check_teachable(readers, "to read rationales")
    told = benchmark.test.column(benchmark.rationale)
    if (told == benchmark.test.column(benchmark.query)).all():
        raise NotApplicable(
            f"column {benchmark.rationale!r} repeats the query on every item, so it "
            "explains nothing; name another with --rationale"
        )
    if not told.str.strip().any():
        raise NotApplicable(
            f"column {benchmark.rationale!r} is empty on every test item; name another "
            "with --rationale"
        )


def doubtful(reads: Sequence[Read], *, planted: bool) -> bool:
    """Whether what was not found could be found by a reader of fields together."""
    last = reads[-1].stage
    return not (planted or last.strong or last.informs)
