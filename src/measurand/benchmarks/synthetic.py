"""Benchmarks whose right answer is known, because it was planted.

Every item draws the source of its label: its metadata (coupling), a wording of the
query that no metadata names (latent), its evidence (dependence), or chance. Counts are
exact, so a planted point of the decision map is met up to what readers fail to learn.
With label shares `pi`, S = sum(pi^2) and shares c, l, d of the first three sources,

    acc_full = c + l + d + (1 - c - l - d) S
    acc_meta = c + (1 - c) S
    acc_shuf = d S + (1 - d) (c + l + (1 - c - l) S)

for a reader that has learned everything: mpds = acc_meta / acc_full and
delta_evi = acc_full - acc_shuf. Texts are made of English words, a dozen for each
metadata value and label, so that a reader needs some hundreds of items to learn them,
and no label word ever stands in a query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.benchmarks.english import Lexicon, assign_words, draw_words
from measurand.core.arrays import Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.seeds import generator

Rule = Mapping[tuple[str, ...], tuple[str, float]]


@dataclass(frozen=True)
class PlantedPlan:
    """Where a planted benchmark lies.

    Attributes:
        rule: For each metadata tuple, the label it represents and its weight among
            the items of that label. Label shares follow from the weights.
        columns: The metadata columns of the tuples.
        coupling: Share of items whose label is what the rule says of their metadata.
        latent: Share whose label is told by the query's wording alone.
        dependence: Share whose label is told by the evidence alone.
        group: How many items share one evidence text, and then one source and label.
        train: How many training items.
        test: How many test items.
        exact: Whether counts are exact; if not, every item or group is drawn apart.
    """

    rule: Rule
    columns: tuple[str, ...]
    coupling: float = 0.0
    latent: float = 0.0
    dependence: float = 0.0
    group: int = 1
    train: int = 6000
    test: int = 4000
    exact: bool = True

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return tuple(sorted({label for label, _ in self.rule.values()}))

    @property
    def shares(self) -> Floats:
        """The share of each label."""
        totals = [
            sum(w for label, w in self.rule.values() if label == name)
            for name in self.labels
        ]
        return np.array(totals) / sum(totals)

    @property
    def truth(self) -> dict[str, float]:
        """The statistics of a reader that has learned everything."""
        query_share, chance = self.coupling + self.latent, float((self.shares**2).sum())
        full = (
            query_share + self.dependence + (1 - query_share - self.dependence) * chance
        )
        meta = self.coupling + (1 - self.coupling) * chance
        shuffled = self.dependence * chance + (1 - self.dependence) * (
            query_share + (1 - query_share) * chance
        )
        return {"accuracy": full, "mpds": meta / full, "delta_evi": full - shuffled}


def plant_nq(*, seed: int = 0) -> Benchmark:
    """Direct coupling: the answer type gives the label away (MPDS 1, ΔEvi 0)."""
    topics = ("history", "science", "sport")
    kinds = {
        "person": "short",
        "place": "long",
        "date": "list",
        "number": "yes",
        "object": "no",
    }
    rule: Rule = {
        (kind, topic): (label, 1.0) for kind, label in kinds.items() for topic in topics
    }
    return plant_benchmark(
        "synthetic:nq",
        PlantedPlan(rule, ("answer_type", "topic"), coupling=1.0),
        seed=seed,
    )


def plant_hotpotqa(*, seed: int = 0) -> Benchmark:
    """Latent coupling: wording decides, metadata predict part (MPDS 0.643, ΔEvi 0)."""
    # The two columns interact: an answer type means one thing in a bridge question and
    # another in a comparison. Without the dominant group that is harder to see, so
    # dropping it widens the gap under a shift.
    rule: Rule = {
        ("bridge", "entity"): ("full", 0.38),
        ("bridge", "date"): ("full", 0.05),
        ("bridge", "number"): ("full", 0.18),
        ("comparison", "entity"): ("conflict", 0.08),
        ("comparison", "date"): ("partial", 0.19),
        ("comparison", "number"): ("conflict", 0.12),
    }
    coupling = _solve_coupling(0.643, PlantedPlan(rule, ()).shares)
    plan = PlantedPlan(
        rule, ("question_type", "answer_type"), coupling=coupling, latent=1 - coupling
    )
    return plant_benchmark("synthetic:hotpotqa", plan, seed=seed)


def plant_triviaqa(*, seed: int = 0) -> Benchmark:
    """Evidence-sensitive: the evidence decides (ΔEvi 0.808, of six classes)."""
    kinds = ("person", "place", "date", "number", "object", "event")
    labels = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    rule: Rule = {
        (kind,): (label, 1.0) for kind, label in zip(kinds, labels, strict=True)
    }
    plan = PlantedPlan(rule, ("answer_type",), dependence=0.808 * 6 / 5)
    return plant_benchmark("synthetic:triviaqa", plan, seed=seed)


def _solve_coupling(mpds: float, shares: Floats) -> float:
    """The coupling at which metadata alone are right so often, all else being told."""
    chance = float((shares**2).sum())
    return (mpds - chance) / (1 - chance)


def plant_benchmark(name: str, plan: PlantedPlan, *, seed: int = 0) -> Benchmark:
    """The benchmark of a plan."""
    train, test = (
        plant_items(plan, size, side, generator(seed, name, side))
        for side, size in (("train", plan.train), ("test", plan.test))
    )
    return Benchmark(
        name,
        train,
        test,
        query="query",
        evidence="evidence",
        schema=dict.fromkeys(plan.columns, "planted, and said in the query"),
        roles={"query": "query", "evidence": "evidence", "label": "label"},
        protocol=lambda test_items: _planted_protocol(plan, test_items),
        renderings=_metadata_renderings(plan),
        planted=True,
    )


def plant_items(
    plan: PlantedPlan, size: int, side: str, rng: np.random.Generator
) -> Items:
    """`size` new items of a plan."""
    groups = -(-size // plan.group)
    group = rng.permutation(np.repeat(np.arange(groups), plan.group)[:size])
    shares = (plan.coupling, plan.latent, plan.dependence)
    source = _draw_categories(plan, [*shares, max(0.0, 1 - sum(shares))], groups, rng)
    label = np.empty(groups, np.int64)
    for kind in range(4):  # the same label shares whatever the source
        label[source == kind] = _draw_categories(
            plan, plan.shares, int((source == kind).sum()), rng
        )
    source, label = source[group], label[group]
    tuples = _draw_metadata_tuples(plan, source, label, rng)
    values = list(plan.rule)
    table = pd.DataFrame(
        {c: [values[t][i] for t in tuples] for i, c in enumerate(plan.columns)},
        dtype=object,
    )
    told_by_query = np.where(source == 1, label, -1)
    told_by_evidence = np.where(source == 2, label, -1)
    table["query"] = _write_queries(plan, table, told_by_query, rng)
    table["evidence"] = _write_evidence(plan, told_by_evidence, group, groups, rng)
    labels = plan.labels
    table["label"] = [labels[i] for i in label.tolist()]
    table["group"] = [f"group-{i}" for i in group]
    table.index = pd.Index([f"{side}-{i}" for i in range(size)])
    return Items(
        table,
        ("query", "evidence"),
        "label",
        plan.columns,
        "group" if plan.group > 1 else None,
    )


def _draw_categories(
    plan: PlantedPlan,
    shares: Sequence[float] | Floats,
    n: int,
    rng: np.random.Generator,
) -> Ints:
    """Category numbers in random order: exact counts up to rounding, or by chance."""
    edges = np.cumsum(shares) / np.sum(shares)
    if not plan.exact:
        return np.searchsorted(edges[:-1], rng.random(n), side="right")
    counts = np.round(edges * n).astype(int)
    return rng.permutation(np.searchsorted(counts, np.arange(n), side="right"))


def _draw_metadata_tuples(
    plan: PlantedPlan, source: Ints, label: Ints, rng: np.random.Generator
) -> Ints:
    """The metadata tuple of each item: of its label where coupled, else of any."""
    weights = np.array([weight for _, weight in plan.rule.values()])
    label_numbers = np.array(
        [plan.labels.index(name) for name, _ in plan.rule.values()]
    )
    tuples = np.empty(len(label), np.int64)
    for name in range(len(plan.labels)):
        label_tuples = np.flatnonzero(label_numbers == name)
        rows = np.flatnonzero((label == name) & (source == 0))
        tuples[rows] = label_tuples[
            _draw_categories(plan, weights[label_tuples], len(rows), rng)
        ]
        for kind in (1, 2, 3):
            rows = np.flatnonzero((label == name) & (source == kind))
            tuples[rows] = _draw_categories(plan, weights, len(rows), rng)
    return tuples


def _write_queries(
    plan: PlantedPlan, table: pd.DataFrame, label: Ints, rng: np.random.Generator
) -> list[str]:
    """Queries that say the metadata and, where `label` is not -1, its wording."""
    lexicon = plan_lexicon(plan)
    values = [
        draw_words([f"{c}={value}" for value in table[c]], rng, lexicon)
        for c in plan.columns
    ]
    who = draw_words([None] * len(label), rng, lexicon)
    meanings = _say_labels("wording of", plan, label)
    # Said three times, so that wording outweighs what the metadata say.
    x, y, z = (draw_words(meanings, rng, lexicon, "verbs") for _ in range(3))
    parts = zip(zip(*values, strict=True), who, x, y, z, strict=True)
    return [
        f"Which {' of the '.join(s)} did the {w} {x}, {y} or {z}?"
        for s, w, x, y, z in parts
    ]


def _write_evidence(
    plan: PlantedPlan, label: Ints, group: Ints, groups: int, rng: np.random.Generator
) -> list[str]:
    """One text per group; where `label` is not -1 it predicts the label."""
    lexicon = plan_lexicon(plan)
    shared = np.full(groups, -1)
    shared[group] = label
    meanings = _say_labels("evidence for", plan, shared)
    a, b, c, d = (draw_words([None] * groups, rng, lexicon) for _ in range(4))
    # Said three times, so that evidence outweighs what the metadata say.
    x, y, z = (draw_words(meanings, rng, lexicon, "adjectives") for _ in range(3))
    words = zip(a, b, x, c, y, d, z, strict=True)
    form = "The {} by the {} was {}. The {} looked {}, and the {} {}."
    texts = [form.format(*w) for w in words]
    return [texts[number] for number in group]


def _say_labels(how: str, plan: PlantedPlan, label: Ints) -> list[str | None]:
    """What is to be said of each label; nothing where it is -1."""
    wordings = [*(f"{how} {name}" for name in plan.labels), None]
    return [wordings[i] for i in label.tolist()]


def plan_lexicon(plan: PlantedPlan) -> Lexicon:
    """The words by which its texts say each metadata value and label of a plan."""
    values = {
        f"{column}={key[i]}": None
        for i, column in enumerate(plan.columns)
        for key in sorted(plan.rule)
    }
    labels = [
        f"{how} {name}"
        for how in ("wording of", "evidence for")
        for name in plan.labels
    ]
    return assign_words([*values, *labels])


def _planted_protocol(plan: PlantedPlan, test_items: Items) -> list[str]:
    """The label that the rule gives: evidence first, then wording, then metadata."""
    lexicon = plan_lexicon(plan)
    by_evidence = {
        w: name for name in plan.labels for w in lexicon[f"evidence for {name}"]
    }
    by_wording = {
        w: name for name in plan.labels for w in lexicon[f"wording of {name}"]
    }
    tuples = test_items.table[list(plan.columns)].itertuples(index=False, name=None)
    texts = zip(
        test_items.column("evidence"), test_items.column("query"), tuples, strict=True
    )
    return [
        _first_meaning(evidence, by_evidence)
        or _first_meaning(query, by_wording)
        or plan.rule.get(key, (plan.labels[0], 0.0))[0]
        for evidence, query, key in texts
    ]


def _first_meaning(text: str, meaning: Mapping[str, str]) -> str | None:
    """What the first telling word of a text means."""
    words = (word.strip("?.,") for word in text.split())
    return next((meaning[word] for word in words if word in meaning), None)


def _metadata_renderings(plan: PlantedPlan) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words by which each metadata value stands in a query."""
    return {
        column: {
            value: plan_lexicon(plan)[f"{column}={value}"]
            for value in sorted({key[i] for key in plan.rule})
        }
        for i, column in enumerate(plan.columns)
    }
