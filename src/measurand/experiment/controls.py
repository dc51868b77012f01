"""The controls of one reader: what it recovers of spikes, what it reads in a blank.

The same recipe learns from a control sample and is asked about its test items. What is
asked, and what of the answers counts, is each audit's own. Only answers come back: no
spiked text does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.controls.samples import Blank, HintSpike, MatchSpike, WordSpike
from measurand.core.arrays import Ints
from measurand.core.control import (
    DEALS,
    DOSE,
    DOSES,
    READS_NOTHING,
    READS_SOMETHING,
    Control,
    ControlSample,
    DoseResponse,
)
from measurand.core.errors import CannotIntervene, Undefined
from measurand.core.finding import Exhibit, Finding
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask, Predictions
from measurand.experiment.budget import is_dear
from measurand.experiment.experiment import (
    Experiment,
    ask_all,
    check_budget,
    reopen_experiment,
)
from measurand.stats.detection import Noise, detection_limit, mean_of_draws, recovery
from measurand.stats.paired import difference

WORD, MATCH, HINT = "word", "match", "hint"
Spike = WordSpike | MatchSpike | HintSpike


@dataclass(frozen=True, eq=False)
class ControlAnswers:
    """What a reader answered about each test item.

    Attributes:
        right: Whether it was right.
        effect: What the item adds to the statistic that the audit decides by.
    """

    right: "pd.Series[float]"
    effect: "pd.Series[float]"


@dataclass(frozen=True, eq=False)
class ControlRun:
    """One reader, and all that its control samples are read with.

    Attributes:
        name: The reader's name.
        experiment: The benchmark itself, and how questions are answered.
        clusters: Which of its test items hang together.
        asks: What is asked of a sample.
        score: What of the answers counts.
        stream: What the random numbers are named by, beside the spike.
        part: What the spikes are planted in, as findings call it; empty where that
            goes without saying.
    """

    name: str
    experiment: Experiment
    clusters: Ints
    asks: Sequence[Ask]
    score: Callable[[Sequence[Predictions]], ControlAnswers]
    stream: tuple[str, ...]
    part: str = ""

    def condition(self, spike: object) -> str:
        """What findings call a spike, or a kind of spikes."""
        return f"{self.part}, {spike}" if self.part else str(spike)


def why_without_controls(reader: Reader, controls: str, unit: str) -> str:
    """Why a reader has no controls; empty where it has.

    Args:
        reader: The recipe.
        controls: How much is spiked and blanked.
        unit: What an encoder would be trained once more for.
    """
    traits = traits_of(reader)
    if traits.learned:
        return "it learned before this audit, so it cannot be taught a spike"
    if traits.remote:
        return "a server's model is asked no more than the audit itself needs"
    if is_dear(reader) and controls != "full":
        return f"they are one more training a {unit}; set `controls` to 'full'"
    return ""


def first_seed(reader: Reader) -> Reader:
    """The recipe, of one seed where it has several."""
    return reader.with_seeds(1)[0] if isinstance(reader, Seeded) else reader


def control_doses(reader: Reader, controls: str) -> tuple[float, ...]:
    """The doses that are tried: several only where they cost seconds."""
    return DOSES if controls == "full" and not is_dear(reader) else (DOSE,)


def check_spike_time(
    spikes_by_run: Sequence[tuple[ControlRun, Iterable[Spike]]],
) -> None:
    """Raise where the spikes of an encoder would take longer than a reader may."""
    run = spikes_by_run[0][0]
    if not is_dear(run.asks[0].reader):
        return
    benchmark, seed = run.experiment.benchmark, run.experiment.seed
    parts = [
        (replace(run.experiment, benchmark=spike(benchmark, seed).benchmark), run.asks)
        for run, spikes in spikes_by_run
        for spike in spikes
    ]
    check_budget(f"spikes of {run.name}", *parts)


def measure_spikes(
    run: ControlRun,
    kind: str,
    spikes: Iterable[Spike],
    plain: ControlAnswers,
    find_noise: Callable[[], Noise],
) -> tuple[Control | None, dict[str, str]]:
    """What is recovered of one kind of spike; and what has no value, and why.

    Args:
        run: How the samples are read.
        kind: The kind.
        spikes: One a dose.
        plain: What the reader answers without any.
        find_noise: How uncertain the effect is without any.
    """
    responses, missing = [], {}
    for spike in spikes:
        try:
            responses.append(_dose_response(run, plain, spike))
        except (Undefined, CannotIntervene) as reason:
            missing[f"recovery of {run.name}, {run.condition(spike)}"] = str(reason)
    if not responses:
        return None, missing
    control, limit = Control(kind, tuple(responses), None), None
    try:
        if not control.is_recovered:
            raise Undefined(f"{run.name} recovers nothing of it for certain")
        doses = [response.dose for response in responses]
        effects = [response.effect for response in responses]
        limit = detection_limit(doses, effects, find_noise())
    except Undefined as reason:
        missing[f"detection_limit of {run.name}, {run.condition(kind)}"] = str(reason)
    return replace(control, limit=limit), missing


def _read_sample(run: ControlRun, sample: ControlSample) -> ControlAnswers:
    """What the reader, taught on the sample, answers about it."""
    with reopen_experiment(run.experiment, sample.benchmark) as experiment:
        return run.score(ask_all(experiment, run.asks))


def _dose_response(
    run: ControlRun, plain: ControlAnswers, spike: Spike
) -> DoseResponse:
    """What one spike did to the reader."""
    seed, clusters = run.experiment.seed, run.clusters
    rng = generator(seed, "control", *run.stream, str(spike))
    sample = spike(run.experiment.benchmark, seed)
    spiked, inside = _read_sample(run, sample), sample.spiked
    return DoseResponse(
        spike.dose,
        int(inside.sum()),
        recovery(
            plain.right[inside],
            spiked.right[inside],
            rng=rng,
            clusters=clusters[inside],
        ),
        difference(spiked.effect, plain.effect, rng=rng, clusters=clusters),
    )


def spike_findings(run: ControlRun, controls: Iterable[Control]) -> list[Finding]:
    """Recovery by kind and dose, and the limit of each kind."""
    kinds = list(controls)
    recovered = [
        Finding(
            "recovery",
            run.name,
            run.condition(f"{control.spike} {response.dose:g}"),
            response.recovery,
        )
        for control in kinds
        for response in control.responses
    ]
    limits = [
        Finding(
            "detection_limit", run.name, run.condition(control.spike), control.limit
        )
        for control in kinds
        if control.limit is not None
    ]
    return [*recovered, *limits]


@dataclass(frozen=True)
class BlankMeasure:
    """What is read in a blank, which should be zero.

    Attributes:
        condition: What findings call it.
        measure: It, of the answers in one deal.
        may_be_below: Whether less than zero is nothing as well, as of accuracy over the
            majority: no answer that knows nothing is above it.
    """

    condition: str
    measure: Callable[[ControlAnswers], float]
    may_be_below: bool


def blank_findings(
    run: ControlRun, measures: Sequence[BlankMeasure], tests: int
) -> list[Finding]:
    """What the reader reads where training labels were dealt anew.

    A fault would silence the reader, so it is looked for in as many deals again.

    Args:
        run: How they are read.
        measures: What is read in each.
        tests: How many blanks share the 5 % of false alarms.
    """
    blanks = _read_deals(run, range(DEALS))
    findings = [_blank_finding(run, blanks, each, tests) for each in measures]
    if any(finding.decision == READS_SOMETHING for finding in findings):
        blanks += _read_deals(run, range(DEALS, 2 * DEALS))
        findings = [_blank_finding(run, blanks, each, tests) for each in measures]
    return findings


def _read_deals(run: ControlRun, deals: range) -> list[ControlAnswers]:
    """What the reader answers, deal by deal."""
    benchmark, seed = run.experiment.benchmark, run.experiment.seed
    return [_read_sample(run, Blank(deal)(benchmark, seed)) for deal in deals]


def _blank_finding(
    run: ControlRun,
    blanks: Sequence[ControlAnswers],
    measure: BlankMeasure,
    tests: int,
) -> Finding:
    values = np.array([measure.measure(blank) for blank in blanks])
    n, deals = len(run.experiment.benchmark.test), "deals of the training labels"
    surely = mean_of_draws(values, n, deals, level=1 - 0.05 / tests)
    faulty = surely.low > 0 or (surely.high < 0 and not measure.may_be_below)
    outcome = READS_SOMETHING if faulty else READS_NOTHING
    estimate = mean_of_draws(values, n, deals)
    return Finding("blank", run.name, measure.condition, estimate, outcome)


def recovery_exhibit(
    name: str, controls: Mapping[str, Mapping[str, Control]], caption: str
) -> Exhibit:
    """Dose against recovery, a line a reader and kind; one dose alone is no line.

    Args:
        name: What the exhibit is called.
        controls: By reader and kind, or part, what was recovered.
        caption: What it shows.
    """
    responses = [
        (reader, kind, response)
        for reader, by_kind in controls.items()
        for kind, control in by_kind.items()
        for response in control.responses
    ]
    table = pd.DataFrame(
        {
            "reader": [reader for reader, *_ in responses],
            "kind": [kind for _, kind, _ in responses],
            "x": [r.dose for *_, r in responses],
            "y": [r.recovery.value for *_, r in responses],
            "low": [r.recovery.low for *_, r in responses],
            "high": [r.recovery.high for *_, r in responses],
        }
    )
    if table["x"].nunique() == 1:
        names = table["kind"] + [f" {dose:g}" for dose in table["x"]]
        table = table.rename(columns={"reader": "group", "y": "value"})
        table = table.assign(name=names)[["group", "name", "value", "low", "high"]]
        return Exhibit(name, "intervals", table, caption, {"x_title": "recovery"})
    table = table.assign(series=table["reader"] + ", " + table["kind"])
    titles = {"x_title": "dose: share of the items spiked", "y_title": "recovery"}
    table = table[["series", "x", "y", "low", "high"]]
    return Exhibit(name, "curve", table, caption, titles)
