"""What an evidence report states besides its findings: settings and warnings."""

from collections.abc import Mapping, Sequence

from measurand.audits.evidence.asking import EvidenceBaselines
from measurand.audits.evidence.exhibits import MUCH
from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.settings import CLUSTERS, SHIFTED, SHOWN, SHUFFLES
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import count_clusters
from measurand.core.finding import merge_remarks
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe, given_settings
from measurand.experiment.budget import budget_settings
from measurand.experiment.experiment import Experiment
from measurand.experiment.statements import (
    one_order_warnings,
    pretraining_warnings,
    several_right_warnings,
    share_warnings,
)
from measurand.settings.evidence import EvidenceSettings
from measurand.stats.decisions import detectable_effect, items_to_equate


def evidence_settings(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    readings: Sequence[EvidenceReading],
    settings: EvidenceSettings,
) -> dict[str, object]:
    """Everything that was chosen before the run, and what it can see."""
    n, discordant = readings[-1].effect.n, readings[-1].effect.discordant
    margin = settings.margin
    return {
        "metadata_schema": dict(experiment.benchmark.schema),
        "shuffles": settings.shuffles,
        "shuffle": settings.shuffle,
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "margin": margin,
        "seed": experiment.seed,
        "calibrate": settings.calibrate,
        "strongest": settings.strongest,
        **given_settings(settings, "seeds"),
        **budget_settings(experiment.budget),
        "folds": experiment.benchmark.folds,
        "thresholds": SHOWN | {"margin": margin},
        "power": {
            "test_items": n,
            "discordance": discordant,
            "detectable_effect": (
                detectable_effect(n, discordant) if discordant else 0.0
            ),
            "items_to_equate": items_to_equate(margin, discordant) if discordant else 1,
        },
        "evidence_changed": readings[-1].changed_share,
        "remarks": merge_remarks(readings),
    } | _writing_settings(readings, settings)


def _writing_settings(
    readings: Sequence[EvidenceReading], settings: EvidenceSettings
) -> dict[str, object]:
    """By what written answers are scored, where there are any."""
    if not any(reading.written for reading in readings):
        return {}
    return {"written_by": "exact_match", "judge": settings.judge}


def evidence_warnings(
    benchmark: Benchmark,
    readings: Sequence[EvidenceReading],
    baselines: EvidenceBaselines,
    shuffles: int,
    readers: Mapping[str, Reader],
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    messages = []
    messages += _row_warnings(benchmark)
    if _labels_shift(benchmark):
        messages.append(
            "labels are shared out otherwise in training than in the test items, so "
            "that readers expect others than there are: give sides with like shares of "
            "labels, or one file"
        )
    if shuffles < SHUFFLES:
        messages.append(f"{shuffles} shuffles; at least {SHUFFLES} are recommended")
    messages += _writing_warnings(readings)
    cluster_count = count_clusters(baselines.clusters)
    if cluster_count < CLUSTERS:
        messages.append(
            f"only {cluster_count} clusters of items that share a query, evidence or "
            "group: intervals are rough"
        )
    for reading in readings:
        messages += share_warnings(reading.name, reading.remarks, MUCH)
    overlap = benchmark.notes.get("overlap", 0)
    if overlap:
        messages.append(f"{overlap} test items stand in the training items too")
    messages += one_order_warnings(merge_remarks(readings))
    messages += several_right_warnings(benchmark)
    messages += pretraining_warnings(readers, benchmark)
    return messages


def _row_warnings(benchmark: Benchmark) -> list[str]:
    """How many rows are empty, repeated or contradict another, where many are."""
    items, notes = benchmark.test, benchmark.notes
    empty = items.column(str(benchmark.evidence)).str.strip() == ""
    rows = notes.get("items_train", 0) + notes.get("items_test", 0)
    shares = {
        "test items have no evidence": float(empty.mean()),
        "items repeat another, label included": notes.get("duplicates", 0)
        / max(rows, 1),
        "items have the texts of another item and a different label, which bounds "
        "every accuracy": notes.get("conflicts", 0) / max(rows, 1),
    }
    return [f"{100 * s:.0f} % of the {what}" for what, s in shares.items() if s > MUCH]


def _labels_shift(benchmark: Benchmark) -> bool:
    """Whether `SHIFTED` or more of the labels would have to be others to be alike."""
    if benchmark.folds > 1 or benchmark.test.choices is not None:
        return False
    train, test = (
        items.labels.value_counts(normalize=True)
        for items in (benchmark.train, benchmark.test)
    )
    return float(test.sub(train, fill_value=0.0).abs().sum()) / 2 >= SHIFTED


def _writing_warnings(readings: Sequence[EvidenceReading]) -> list[str]:
    """Which figures are of written answers, and which of answers chosen among some."""
    writers = [reading.name for reading in readings if reading.written]
    others = [reading.name for reading in readings if not reading.written]
    if not writers:
        return []
    line = (
        f"{', '.join(writers)} wrote the answers (exact_match, token_f1; delta_evi is "
        "of exact match)"
    )
    if others:
        line += (
            f", while {', '.join(others)} chose the gold among answers of like items "
            "(accuracy): these figures do not compare"
        )
    return [line]
