"""How often what an audit states is wrong, over designs of a benchmark.

A design says how many items there are and how they hang together: each by itself, in
pairs, in sixty families, in families of Zipf sizes, or half of them in one. Scores are
drawn from known models. The errors are counted at the margin, that is where the truth
is the margin itself: that an effect is said to be above it (`above`), and that it is
said to be below it (`below`). `mean` is a difference of two accuracies, `loss` what
another item's text costs, `gain` the best of three readers over the best of four
rivals, all tied or one of each the best, `over-blank` what three cross-fitted readers
find beyond permuted labels where there is nothing and where a word tells the label,
`cues` whether any of two parts without a cue has one that is certified, and `bound`
what is quoted as the most that is not excluded. Rates of over-blank are held against
what the readers find on average, which is all that they can state.

A rate misses its target only beyond chance (99 %). Errors are to be at most 5 %, and
intervals of 95 % are to cover 93 to 97 %. They may cover more where fewer than thirty
families make the mean, so that a t quantile of few degrees is wide; and of over-blank,
whose intervals are never widened by less than a quarter. Bits have no target but that
too much is not said: where a reader is left with the prior in one benchmark and not in
the next, their average is that of neither. Last come the designs in which
queries and evidence cross, and readers are trained several times (`bench/crossed.py`).
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binomtest

from bench import crossed
from bench.figures import Figure, keep
from measurand.arms.alone import DEALS, ERROR, MARGIN, PartAlone
from measurand.arms.answers import calibrate, label_bits
from measurand.arms.contrast import (
    LEAST_WIDENING,
    OverBlank,
    best_gain,
    blank_widening,
    mean_difference,
)
from measurand.arms.families import (
    FEWEST_EVEN,
    FEWEST_FAMILIES,
    Family,
)
from measurand.arms.plants import permute_families
from measurand.arms.pool import FOLDS
from measurand.core.arrays import Floats, Ints
from measurand.core.clusters import deal_clusters
from measurand.cues.candidates import PartTexts
from measurand.cues.certify import certified, find_cues
from measurand.stats.shuffles import shuffle_effect

SIZES = (100, 300, 1_000, 4_000)
RUNS, CHUNK = 2_000, 100  # benchmarks a design, and a job
FEWER = {1_000: 2, 4_000: 20}  # times fewer of over-blank and cues, which take long
SHUFFLES, DRAWS = 10, 2
FAMILY_SHARE = 0.15  # spread of an item's chance that its family decides
TEXT_SHARE = 0.15  # the same of the text that it is given


def zipf_sizes(n: int) -> NDArray[np.int64]:
    """Sizes that fall as 1 / rank, the largest a fifth of all items."""
    ranks = np.arange(1, n + 1)
    sizes = np.maximum((n / 5 / ranks).round(), 1).astype(int)
    count = int(np.searchsorted(np.cumsum(sizes), n)) + 1
    sizes = sizes[:count]
    sizes[-1] -= int(sizes.sum()) - n
    return np.asarray(sizes[sizes > 0])


SHAPES: Mapping[str, Callable[[int], "Sequence[int] | NDArray[np.int64]"]] = {
    "single": lambda n: [1] * n,
    "pairs": lambda n: [2] * (n // 2),
    "sixty": lambda n: [n // 60 + (k < n % 60) for k in range(60)],
    "zipf": zipf_sizes,
    "half": lambda n: [n // 2, *[1] * (n - n // 2)],
}


def draw_family(shape: str, n: int) -> Family:
    """Families of that shape."""
    sizes = np.asarray(SHAPES[shape](n))
    return Family("pair", np.repeat(np.arange(len(sizes)), sizes))


def draw_effects(family: Family, spread: float, rng: np.random.Generator) -> Floats:
    """What each item's family adds to its chance: evenly drawn, so that none is cut."""
    effects = rng.uniform(-(3**0.5), 3**0.5, len(family.sizes))
    return np.asarray((spread * effects)[family.numbers])


Row = dict[str, float]


def simulate_loss(family: Family, rng: np.random.Generator) -> Row:
    """What another item's text costs, 0.15 in truth."""
    n = len(family.numbers)
    own, text = (draw_effects(family, s, rng) for s in (FAMILY_SHARE, TEXT_SHARE))
    right = rng.random(n) < 0.65 + own
    donors = np.array([rng.permutation(n) for _ in range(SHUFFLES)], np.int32)
    wrong = rng.random(donors.shape) < 0.5 + own[None] + text[donors]
    effect = shuffle_effect(
        right.astype(float), wrong.astype(float), donors, family.numbers
    )
    wide, narrow = effect.interval(0.95), effect.interval(0.90)
    return _state_ends(wide.low, wide.high, narrow.high, 0.15)


def simulate_mean(family: Family, rng: np.random.Generator) -> Row:
    """A difference of two accuracies, the margin in truth."""
    n = len(family.numbers)
    own, also = (draw_effects(family, FAMILY_SHARE, rng) for _ in range(2))
    a = (rng.random(n) < 0.6 + MARGIN + own).astype(float)
    b = (rng.random(n) < 0.6 + also).astype(float)
    wide, narrow = (mean_difference(a, b, family, level) for level in (0.95, 0.90))
    return _state_ends(wide.low, wide.high, narrow.high, MARGIN)


def _state_ends(low: float, high: float, upper: float, truth: float) -> Row:
    """Whether an interval covers, and each of the ends errs; to clear, one of 90 %."""
    return {
        "covered": low <= truth <= high,
        "above": low > truth,
        "below": upper < truth,
    }


def simulate_gain(behind: float, family: Family, rng: np.random.Generator) -> Row:
    """The best of three readers over the best of four rivals, the margin in truth.

    Args:
        behind: How far the others are behind the best of each.
        family: Which items hang together.
        rng: Where scores come from.
    """
    n = len(family.numbers)
    own = draw_effects(family, FAMILY_SHARE, rng)

    def score(accuracy: float, count: int) -> dict[str, Floats]:
        chances = [accuracy - behind * (k > 0) for k in range(count)]
        return {
            str(k): (rng.random(n) < chance + own).astype(float)
            for k, chance in enumerate(chances)
        }

    gain = best_gain(score(0.6 + MARGIN, 3), score(0.6, 4), family)
    return {
        "above": gain.low > MARGIN,
        "below": gain.high < MARGIN,
        "bound": gain.room >= 0.4,
    }


WORDS, MOST_COMMON = 60, 0.5  # the words that a text may have, the k-th in 0.5 / k
CHANGED = 0.1  # of the words of a near copy
LABEL_SHARE = 0.2  # spread of the chance of a label that its family decides
KEPT = 3  # words of the reader of few words
BINS = 4  # of lengths
CHANNELS = ("words", "keywords", "length")


@dataclass(frozen=True, eq=False)
class Texts:
    """Which words the text of each item has, and its label."""

    words: Floats
    labels: Ints


def draw_texts(family: Family, leak: float, rng: np.random.Generator) -> Texts:
    """Near copies within families; in some families a word tells the label.

    Args:
        family: Which items are near copies.
        leak: What that word adds to the accuracy of who knows it.
        rng: Where texts come from.
    """
    n, count = len(family.numbers), len(family.sizes)
    common = MOST_COMMON / np.arange(1, WORDS + 1)
    words = (rng.random((count, WORDS)) < common)[family.numbers]
    anew = rng.random((n, WORDS)) < CHANGED
    words = np.where(anew, rng.random((n, WORDS)) < common, words)
    labels = rng.random(n) < 0.5 + draw_effects(family, LABEL_SHARE, rng)
    told = (rng.random(count) < 2 * leak)[family.numbers]
    said = (rng.random(count) < 0.5)[family.numbers]
    labels = np.where(told, said, labels)
    codes = np.column_stack([told & said, told & ~said])
    return Texts(np.column_stack([words, codes]).astype(float), labels.astype(np.int64))


def read_folds(seen: Floats, labels: Ints, folds: Ints, kept: int = 0) -> Floats:
    """The share of label 1 of each item, by counts over the other folds.

    Args:
        seen: Which words each item has.
        labels: The labels to learn.
        folds: The fold of each item.
        kept: How many words are kept, those that tell most; 0 for all.
    """
    cells = np.zeros((len(labels), 2 * FOLDS))
    cells[np.arange(len(labels)), 2 * folds + labels] = 1
    counts = (cells.T @ seen).reshape(FOLDS, 2, -1)
    sizes = cells.sum(axis=0).reshape(FOLDS, 2)
    counts, sizes = counts.sum(axis=0) - counts, sizes.sum(axis=0) - sizes
    shares = (counts + 0.5) / (sizes[:, :, None] + 1)
    has, lacks = np.log(shares), np.log(1 - shares)
    weights = (has - lacks)[:, 1] - (has - lacks)[:, 0]
    bias = (lacks[:, 1] - lacks[:, 0]).sum(axis=1)
    if kept:
        strength = (shares[:, 1] - shares[:, 0]) ** 2 / (shares * (1 - shares)).sum(1)
        few = np.sort(strength, axis=1)[:, -kept][:, None]
        weights = np.where(strength >= few, weights, 0.0)
        bias = np.where(strength >= few, lacks[:, 1] - lacks[:, 0], 0.0).sum(axis=1)
    bias = bias + np.log((sizes[:, 1] + 1) / (sizes[:, 0] + 1))
    return np.asarray(expit((seen * weights[folds]).sum(axis=1) + bias[folds]))


def bin_lengths(words: Floats) -> Floats:
    """Which of four bins the number of words of each text is in."""
    lengths = words.sum(axis=1)
    ends = np.quantile(lengths, np.arange(1, BINS) / BINS)
    return np.eye(BINS)[np.searchsorted(ends, lengths)]


def fold_family(family: Family) -> Family:
    """The families that folds keep together: single items where these are few."""
    fits = any(family.deals_evenly(FOLDS, f) for f in (FEWEST_EVEN, FEWEST_FAMILIES))
    return family if fits else Family("item", np.arange(len(family.numbers)))


def simulate_alone(leak: float, family: Family, rng: np.random.Generator) -> Row:
    """What three readers find in one part beyond permuted labels."""
    texts, kept_together = draw_texts(family, leak, rng), fold_family(family).numbers
    cuts = [deal_clusters(kept_together, FOLDS, rng) for _ in range(DRAWS)]
    orders = [permute_families(kept_together, rng) for _ in range(DEALS)]
    lengths = bin_lengths(texts.words)
    prior = np.full((len(texts.labels), 2), 0.5)
    accuracy, bits, blanks = {}, {}, []

    def ask(channel: str, labels: Ints, folds: Ints) -> tuple[Floats, Floats]:
        seen = lengths if channel == "length" else texts.words
        share = read_folds(seen, labels, folds, KEPT * (channel == "keywords"))
        right = ((share > 0.5) == labels).astype(float)
        shares = np.column_stack([1 - share, share])
        return right, label_bits(calibrate(shares, prior, labels, folds), prior, labels)

    answers = {}
    for channel in CHANNELS:
        own = [ask(channel, texts.labels, folds) for folds in cuts]
        blank = [ask(channel, texts.labels[order], cuts[0]) for order in orders]
        answers[channel] = own, blank
        blanks.append(blank)
    wider = [
        blank_widening([(family, [b[k] for b in blank]) for blank in blanks], least)
        for k, least in enumerate((LEAST_WIDENING, 1.0))
    ]
    for channel, (own, blank) in answers.items():
        means = [
            np.mean([answer[k] for answer in each], axis=0)
            for k in (0, 1)
            for each in (own, blank)
        ]
        accuracy[channel] = OverBlank(*means[:2], family, wider[0], share=True)
        bits[channel] = OverBlank(*means[2:], family, wider[1], share=False)
    part = PartAlone(
        "query", family, 0.5, accuracy, bits, 4 * len(CHANNELS), ERROR, 2 * MARGIN
    )
    row: Row = {"low": part.best[1].low, "bound": part.bound}
    row["low bits"] = part.best_bits[1].low
    row |= {"present": part.present, "cleared": part.bound < MARGIN}
    for unit, effects in (("share", accuracy), ("bits", bits)):
        for channel, effect in effects.items():
            seen = effect.interval(0.95)
            row[f"{unit} {channel}"] = effect.value
            row[f"{unit} {channel} low"] = seen.low
            row[f"{unit} {channel} high"] = seen.high
    return row


VOCABULARY, LENGTH, PARTS = 300, 6, 2


def simulate_cues(family: Family, rng: np.random.Generator) -> Row:
    """Whether a cue is certified of texts that tell nothing."""
    n, count = len(family.numbers), len(family.sizes)
    common = 1 / np.arange(1, VOCABULARY + 1)
    labels = rng.random(n) < 0.5 + draw_effects(family, LABEL_SHARE, rng)
    parts = {}
    for part in range(PARTS):
        words = rng.choice(VOCABULARY, (count, LENGTH), p=common / common.sum())
        words = words[family.numbers]
        anew = rng.random((n, LENGTH)) < CHANGED
        words = np.where(anew, rng.integers(VOCABULARY, size=(n, LENGTH)), words)
        rows = PartTexts(
            [" ".join(f"w{word}" for word in text) for text in words.tolist()],
            np.arange(n),
            labels.astype(np.int64),
            ("0", "1"),
            contests=False,
        )
        seed = int(rng.integers(2**31))
        parts[f"part {part}"] = find_cues(f"part {part}", rows, family.numbers, seed)
    return {"above": any(certified(parts, ERROR).values())}


KINDS: Mapping[str, Callable[[Family, np.random.Generator], Row]] = {
    "mean": simulate_mean,
    "loss": simulate_loss,
    "gain, tied": lambda family, rng: simulate_gain(0.0, family, rng),
    "gain, one best": lambda family, rng: simulate_gain(0.1, family, rng),
    "over-blank, nothing": lambda family, rng: simulate_alone(0.0, family, rng),
    "over-blank, a leak": lambda family, rng: simulate_alone(2 * MARGIN, family, rng),
    "cues": simulate_cues,
}


@dataclass(frozen=True)
class Design:
    """What is simulated: a statement about families of a shape."""

    kind: str
    shape: str
    n: int

    def __str__(self) -> str:
        """The name in results."""
        effective = draw_family(self.shape, self.n).effective
        return f"{self.kind}, {self.shape}, n {self.n} ({effective:.0f} families)"

    def count(self, runs: int) -> int:
        """How many benchmarks are drawn of it."""
        fewer = FEWER.get(self.n, 1) if self.is_slow else 1
        return max(runs // fewer, 1)

    @property
    def is_slow(self) -> bool:
        """Whether readers are fitted or cues are sought, which takes long."""
        return self.kind.startswith(("over", "cues"))


def simulate(design: Design, first: int, count: int) -> list[Row]:
    """Some benchmarks of a design, from one of these on."""
    family = draw_family(design.shape, design.n)
    name = [*f"{design.kind} {design.shape}".encode()]
    streams = (
        np.random.default_rng([design.n, first + run, *name]) for run in range(count)
    )
    return [KINDS[design.kind](family, rng) for rng in streams]


def rate(
    what: str,
    happened: "NDArray[np.bool_]",
    *,
    least: float | None = None,
    most: float | None = None,
) -> Iterator[Figure]:
    """How often something happened, and its targets, which chance may miss."""
    count, runs = int(happened.sum()), len(happened)
    ends = binomtest(count, runs).proportion_ci(0.99)
    yield Figure(f"{what}, of {runs:,}", count / runs, "share")
    if least is not None:
        yield Figure(f"{what}, upper end", float(ends.high), "share", least=least)
    if most is not None:
        yield Figure(f"{what}, lower end", float(ends.low), "share", most=most)


def state(design: Design, rows: Sequence[Row]) -> Iterator[Figure]:
    """The rates of one design."""
    seen = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    if design.kind.startswith("over-blank"):
        yield from _state_alone(design, seen)
        return
    if "covered" in seen:
        many = draw_family(design.shape, design.n).effective >= FEWEST_EVEN
        covered = seen["covered"].astype(bool)
        most = 0.97 if many else None
        yield from rate(f"{design}: covered", covered, least=0.93, most=most)
    for what in ("above", "below"):
        if what in seen:
            yield from rate(f"{design}: {what}", seen[what].astype(bool), most=0.05)
    if "bound" in seen:
        yield from rate(f"{design}: bound holds", seen["bound"] > 0, least=0.95)


def _state_alone(design: Design, seen: Mapping[str, Floats]) -> Iterator[Figure]:
    """The rates of over-blank, whose truth is what readers find on average."""
    for unit in ("share", "bits"):
        covered = []
        for channel in CHANNELS:
            name = f"{unit} {channel}"
            truth = seen[name].mean()
            held = (seen[f"{name} low"] <= truth) & (truth <= seen[f"{name} high"])
            covered.append(held)
            yield from rate(f"{design}: covered, {unit} by {channel}", held)
        least = 0.93 if unit == "share" else None
        yield from rate(
            f"{design}: covered, {unit}", np.concatenate(covered), least=least
        )
    truth, told = (
        max(float(seen[f"{unit} {channel}"].mean()) for channel in CHANNELS)
        for unit in ("share", "bits")
    )
    yield Figure(f"{design}: found on average", truth, "share")
    yield from rate(f"{design}: above", seen["low"] > truth, most=0.05)
    bound = seen["bound"] >= truth
    yield from rate(f"{design}: bound holds", bound, least=0.95)
    if design.kind.endswith("nothing"):
        yield from rate(f"{design}: present", seen["present"] > 0, most=0.05)
    else:
        yield from rate(f"{design}: above, bits", seen["low bits"] > told, most=0.05)
        yield from rate(f"{design}: cleared", seen["cleared"] > 0, most=0.05)


def run(arguments: Sequence[str]) -> list[Figure]:
    """All designs, kept as they come: so many benchmarks each, by so many workers."""
    numbers = [int(argument) for argument in arguments if argument.isdigit()]
    runs = numbers[0] if numbers else RUNS
    workers = numbers[1] if len(numbers) > 1 else 1
    named = [a for a in arguments if not a.isdigit()]
    designs = [
        Design(kind, shape, n)
        for kind, shape, n in product(KINDS, SHAPES, SIZES)
        if not named or any(kind.startswith(name) for name in named)
    ]
    # What takes long comes last, so that most is kept wherever a run ends.
    designs.sort(key=lambda design: (design.is_slow, design.n * design.is_slow))
    figures: list[Figure] = []
    with ProcessPoolExecutor(workers) as pool:
        others = {} if named else crossed.submit(pool, runs)
        futures = {design: _submit(pool, design, runs) for design in designs}
        figures += crossed.gather(others)
        for design in designs:
            rows = [row for part in futures[design] for row in part.result()]
            new = list(state(design, rows))
            for figure in new:
                print(figure.what, figure.value, figure.target, file=sys.stderr)
            figures += new
            if not named:
                keep("designs", str(__doc__).strip(), figures)
    return figures


def _submit(
    pool: ProcessPoolExecutor, design: Design, runs: int
) -> list[Future[list[Row]]]:
    """The benchmarks of a design, some at a time."""
    count = design.count(runs)
    return [
        pool.submit(simulate, design, first, min(CHUNK, count - first))
        for first in range(0, count, CHUNK)
    ]
