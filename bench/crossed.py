"""Designs in which texts are shared and readers trained several times: delta_evi.

A design says how many items there are, which of them share a query or an evidence text,
how skewed labels are and how often a reader was trained. Answers are drawn item by item
from a known model in which shared texts and trainings have effects of their own; the
statistics and the decisions are those of the audits. The truth is that of a mean over
trainings; where there was one, it is that of this training, since the interval says
that it holds no other. They are part of `python -m bench designs`; the test suite draws
400 benchmarks of some.
"""

from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.special import expit
from scipy.stats import binomtest

from bench.figures import Figure
from measurand.core.arrays import Floats, Ints
from measurand.core.clusters import cross_clusters
from measurand.core.seeds import generator
from measurand.stats.decisions import ABOVE, equivalence_decision
from measurand.stats.decisions import WITHIN as NEAR_ZERO
from measurand.stats.shuffles import add_seed_variance, shuffle_effect

SHUFFLES, SHARERS = 20, 4  # items that share a text where texts are shared
SPREAD, SEED_SPREAD = 0.7, 0.05  # of a text's effect and of a training's, in logits
SMALL = "small"  # about as large as the usual margin
STRENGTHS = {SMALL: 0.12, "large": 0.5}  # of the evidence
LARGE = 400_000  # items of the truth
OFFSETS = SEED_SPREAD * np.linspace(-4, 4, 17)  # trainings whose truth is worked out
SHARED = ("none", "query", "evidence", "both")
FEW_DIFFER = 20  # texts: with fewer, a share comes in steps too coarse for 0.95


@dataclass(frozen=True)
class Design:
    """One kind of benchmark.

    Attributes:
        n: How many test items.
        shared: Which texts several items share: none, query, evidence or both.
        majority: The share of the commonest of two labels.
        seeds: How often the reader was trained.
    """

    n: int
    shared: str
    majority: float
    seeds: int

    def __str__(self) -> str:
        """The name in results."""
        return (
            f"n {self.n}, shared {self.shared}, majority {self.majority}, "
            f"seeds {self.seeds}"
        )

    def groups(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """The number of each item's query and of its evidence."""
        own = np.arange(self.n, dtype=np.int64)
        queries = own // SHARERS if self.shared in ("query", "both") else own
        texts = own % max(self.n // SHARERS, 1)
        return queries, rng.permutation(texts) if self.shared in (
            "evidence",
            "both",
        ) else own


DESIGNS = [
    Design(n, shared, (0.6, 0.8)[(i + j) % 2], 1 + (i + j) % 3)
    for (i, n), (j, shared) in product(
        enumerate((40, 100, 400, 4000)), enumerate(SHARED)
    )
]


@dataclass
class Tally:
    """How often an interval covered, and how often a decision was wrong.

    Attributes:
        covered: Intervals that hold the truth; none where a verdict is counted.
        alarms: Decisions for an effect above a margin that the truth is on.
        all_clear: Decisions for an effect within a margin that the truth is on.
        runs: How many benchmarks.
        differing: Texts whose answers differ from the majority, over all benchmarks;
            none where what is averaged is no difference of two answers.
    """

    covered: int | None = 0
    alarms: int = 0
    all_clear: int = 0
    runs: int = 0
    differing: int | None = None

    def add(
        self,
        *,
        alarm: bool,
        clear: bool,
        covered: bool = False,
        differing: int | None = None,
    ) -> None:
        """Count one benchmark."""
        if self.covered is not None:
            self.covered += covered
        self.alarms += alarm
        self.all_clear += clear
        self.runs += 1
        if differing is not None:
            self.differing = (self.differing or 0) + differing

    @property
    def is_fine(self) -> bool:
        """Whether so many texts differ that an interval could cover 0.95 of the time.

        A difference of two answers comes in steps: where none of them differ, it is 0
        whatever is drawn, and every interval that may be trusted holds the truth.
        """
        return self.differing is None or self.differing / self.runs >= FEW_DIFFER


def train(design: Design, rng: np.random.Generator) -> Floats:
    """What each training is off by, in logits: trainings × 1."""
    return rng.normal(scale=SEED_SPREAD, size=(design.seeds, 1))


def truth_at(curve: Floats, trained: Floats) -> float:
    """The truth of these trainings: of their one, or of all that there might be.

    Args:
        curve: The truth of each training of `OFFSETS`.
        trained: What each training was off by.
    """
    if len(trained) == 1:
        return float(np.interp(trained[0, 0], OFFSETS, curve))
    weights = np.exp(-0.5 * (OFFSETS / SEED_SPREAD) ** 2)
    return float(np.average(curve, weights=weights))


def evidence_answers(
    design: Design, effect: float, trained: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, Ints, Ints]:
    """Right or not with the own text and with others', a training a row.

    Returns:
        Trainings × items; trainings × shuffles × items; whose text each item got; and
        which items hang together.
    """
    queries, texts = design.groups(rng)
    asked = rng.normal(scale=SPREAD, size=design.n)[queries]
    told = rng.normal(scale=SPREAD, size=design.n)
    level = np.log(design.majority / (1 - design.majority))
    donors = np.array([_derange(texts, rng) for _ in range(SHUFFLES)], np.int32)
    # An item is as hard to every training: so what trainings share is drawn once.
    luck = rng.random(design.n)
    right = luck < expit(level + effect + trained + asked + told[texts])
    given = told[texts[donors]]
    chances = expit(level + trained[:, None] + asked + given)
    wrong = np.where(rng.random(given.shape) < 0.5, luck, rng.random(given.shape))
    return (
        right.astype(float),
        (wrong < chances).astype(float),
        donors,
        cross_clusters(queries, texts),
    )


def _derange(texts: Ints, rng: np.random.Generator) -> Ints:
    """Whose text each item gets: never one that is its own, as far as can be."""
    order = rng.permutation(len(texts))
    for _ in range(20):
        same = np.flatnonzero(texts[order] == texts)
        if not len(same):
            break
        others = rng.choice(len(texts), len(same), replace=False)
        order[same], order[others] = order[others], order[same].copy()
    return order


@cache
def evidence_truths(majority: float, effect: float) -> Floats:
    """What wrong evidence costs over texts and items, by training."""
    rng = np.random.default_rng(0)
    total = rng.normal(scale=np.sqrt(2) * SPREAD, size=LARGE)
    total += np.log(majority / (1 - majority))
    costs = [(expit(total + o + effect) - expit(total + o)).mean() for o in OFFSETS]
    return np.array(costs)


def tally_evidence(design: Design, effect: float, runs: int, seed: int = 0) -> Tally:
    """Intervals of ΔEvi, and decisions at a margin that is the truth itself."""
    truths, tally = evidence_truths(design.majority, effect), Tally()
    for run in range(runs):
        rng = generator(seed, "designs", "evidence", str(design), run)
        trained = train(design, rng)
        truth = truth_at(truths, trained)
        right, wrong, donors, clusters = evidence_answers(design, effect, trained, rng)
        seen = shuffle_effect(right.mean(axis=0), wrong.mean(axis=0), donors, clusters)
        losses = right.mean(axis=1) - wrong.mean(axis=(1, 2))
        seen = add_seed_variance(seen, losses)
        interval = seen.interval(0.95)
        decided = equivalence_decision(seen.interval, truth)
        tally.add(
            covered=interval.low <= truth <= interval.high,
            alarm=decided == ABOVE,
            clear=decided == NEAR_ZERO,
        )
    return tally


def tally_design(design: Design, strength: str, runs: int) -> dict[str, Tally]:
    """All that is counted of one design where effects are so strong."""
    effect = STRENGTHS[strength]
    return {f"delta_evi, {strength}": tally_evidence(design, effect, runs)}


def is_sound(tally: Tally, *, usual: bool) -> bool:
    """Whether no rate is beyond its bound by more than chance (99 %)."""
    return all(
        figure.met is not False for figure in state_tally("", tally, usual=usual)
    )


Submitted = dict[tuple[Design, str], "Future[dict[str, Tally]]"]


def submit(pool: ProcessPoolExecutor, runs: int) -> Submitted:
    """Every design, at both strengths; the largest first."""
    jobs = sorted(product(DESIGNS, STRENGTHS), key=lambda of: -of[0].n)
    return {of: pool.submit(tally_design, *of, runs) for of in jobs}


def gather(futures: Submitted) -> list[Figure]:
    """The rates of every design."""
    figures = []
    for design, strength in sorted(futures, key=lambda of: of[0].n):
        for what, tally in futures[design, strength].result().items():
            usual = strength == SMALL
            figures += state_tally(f"{design}: {what}", tally, usual=usual)
    return figures


def state_tally(name: str, tally: Tally, *, usual: bool) -> list[Figure]:
    """The rates of one design; a target is missed only beyond chance (99 %).

    Args:
        name: The design and what was estimated.
        tally: What was counted.
        usual: Whether the truth, and so the margin, is about as large as margins are:
            only then must a false all-clear be rare.
    """

    def rate(count: int) -> tuple[float, float, float]:
        ends = binomtest(count, tally.runs).proportion_ci(0.99)
        return count / tally.runs, float(ends.low), float(ends.high)

    alarms, alarms_low, _ = rate(tally.alarms)
    clear, clear_low, _ = rate(tally.all_clear)
    usual |= tally.covered is None  # a verdict is held to it at every margin
    return [
        *(
            _state_coverage(name, *rate(tally.covered), fine=tally.is_fine)
            if tally.covered is not None
            else ()
        ),
        Figure(f"{name}, false alarms", alarms, "share"),
        Figure(f"{name}, lower end of these", alarms_low, "share", most=0.05),
        Figure(f"{name}, false all-clears", clear, "share"),
        *(
            [Figure(f"{name}, lower end of those", clear_low, "share", most=0.05)]
            * usual
        ),
    ]


def _state_coverage(
    name: str, covered: float, lower: float, upper: float, *, fine: bool
) -> list[Figure]:
    """How often intervals cover, between these ends by chance."""
    return [
        Figure(f"{name}, intervals that cover", covered, "share"),
        Figure(f"{name}, upper end of that", upper, "share", least=0.93),
        *[Figure(f"{name}, lower end of that", lower, "share", most=0.97)] * fine,
    ]
