"""What shuffles of the evidence cost.

A linear reader's score is a sum over fields, so a shuffle adds up parts that are
already there. (a) The whole audit, with K = 1,000 against K = 20. (b) The answers to K
shuffles, against vectorising and predicting every shuffled item anew.
"""

from collections.abc import Sequence

from bench.figures import Figure, cpu
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.synthetic import PlantedPlan, plant_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import open_experiment
from measurand.experiment.trial import answer_ask, fit_reader
from measurand.interventions.shuffle import Shuffle
from measurand.readers.linear import TfidfReader

FEW, MANY = 20, 1_000
REREAD = 5  # shuffles that are read anew; the time is scaled to MANY
ITEMS = 10_000


def run(arguments: Sequence[str]) -> list[Figure]:
    """Both comparisons on one planted benchmark."""
    rule = {(kind,): (kind[0], 1.0) for kind in ("ask", "bid", "call")}
    plan = PlantedPlan(
        rule, ("kind",), coupling=0.5, dependence=0.3, train=6_000, test=ITEMS
    )
    benchmark = plant_benchmark("bench", plan)
    return [*whole_audits(benchmark), *answers_alone(benchmark)]


def whole_audits(benchmark: Benchmark) -> list[Figure]:
    """The audit with few shuffles and with many, each with an empty store."""

    def audited(shuffles: int) -> None:
        readers = {"tfidf": TfidfReader()}
        with open_experiment(benchmark) as running:  # no store, so a passing one
            audit(
                running,
                readers,
                EvidenceSettings(
                    shuffles=shuffles,
                    calibrate=False,
                ),
            )

    audited(2)  # what is done once a process, such as imports, is not counted
    few, many = cpu(lambda: audited(FEW))[0], cpu(lambda: audited(MANY))[0]
    of = f"audit of {ITEMS:,} test items"
    return [
        Figure(f"{of}, K = {FEW}", few, "s"),
        Figure(f"{of}, K = {MANY:,}", many, "s"),
        Figure(f"K = {MANY:,} over K = {FEW}", many / few, "times", most=3.0),
    ]


def answers_alone(benchmark: Benchmark) -> list[Figure]:
    """Answers to the shuffles by the experiment, and by reading each anew."""
    shuffle = Shuffle("evidence")
    ask = Ask(TfidfReader(folds=0), under=shuffle, repeats=MANY)
    fitted = fit_reader(ask, benchmark, 0)
    fast, _ = cpu(lambda: answer_ask(fitted, ask, benchmark, 0))

    def reread() -> None:
        for repeat in range(REREAD):
            fitted.predict(shuffle(benchmark.test, generator(0, "bench", repeat)))

    slow = cpu(reread)[0] * MANY / REREAD
    return [
        Figure(f"{MANY:,} shuffles answered by the experiment", fast, "s"),
        Figure(f"{MANY:,} shuffles read anew, scaled from {REREAD}", slow, "s"),
        Figure("read anew over answered", slow / fast, "times", least=50.0),
    ]
