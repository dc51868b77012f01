"""Parts that readers may only remember: texts that training has too, with labels.

Where the text of a test item stands in training, a reader may know its label by heart
and have learned nothing that holds for another text. So a leak must show in the items
whose text is new; where it does not, and a memory of texts alone tells as surely, the
part is called remembered, and no verdict rests on it.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import Evaluation, Runs, ask_alone, is_one_class
from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.causes import REMEMBERED
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.scores import (
    LEAKS,
    LeakageBaselines,
    leakage_baselines,
    part_leakage,
    read_part,
    runs_in_bits,
)
from measurand.core.arrays import Bools
from measurand.core.clusters import count_clusters
from measurand.core.names import name_condition
from measurand.interventions.fields import Keep
from measurand.readers.baselines import LookupReader, remembered_texts


def mark_remembered(
    evaluation: Evaluation, reading: LeakageReading, baselines: LeakageBaselines
) -> LeakageReading:
    """The reading, with the parts named that leak only where texts are known."""
    canonical, tests = evaluation.canonical, len(reading.answers.alone)
    if canonical.has_choices:
        return reading  # choices of an item are read one by one
    remembered = {}
    for field in reading.stage.leaking_parts:
        new = _has_new_text(canonical, field)
        if new.all() or _leaks(
            reading.answers.alone[field], canonical, baselines, tests, new
        ):
            continue
        memory = ask_alone(evaluation, LookupReader(field), Keep(field))
        if _leaks(memory, canonical, baselines, tests):
            remembered[field] = int(new.sum()), len(new)
    conditions = {name_condition(field) for field in remembered}
    findings = tuple(
        replace(finding, decision=REMEMBERED)
        if finding.decision == LEAKS and finding.condition in conditions
        else finding
        for finding in reading.findings
    )
    stage = replace(reading.stage, remembered=remembered)
    return replace(reading, stage=stage, findings=findings)


def _has_new_text(canonical: CanonicalBenchmark, field: str) -> Bools:
    """Which scored items have a text that no item they are held against has.

    A blank is no text that anybody could remember.
    """
    items, benchmark = canonical.scored_items, canonical.benchmark
    texts = pd.Series(remembered_texts(items, field))
    if canonical.pool is None:
        known = set(remembered_texts(benchmark.train, field))
        return np.array([not text.strip() or text not in known for text in texts])
    if field in benchmark.drawn_by:
        # Items with the very same text share a fold; with other case, they need not.
        texts = texts[~items.column(field).reset_index(drop=True).duplicated()]
    repeated = set(texts[texts.duplicated()])
    every = remembered_texts(items, field)
    return np.array([not text.strip() or text not in repeated for text in every])


def _leaks(
    runs: Runs,
    canonical: CanonicalBenchmark,
    baselines: LeakageBaselines,
    parts: int,
    kept: Bools | None = None,
) -> bool:
    """Whether these answers give labels away, of all scored items or of some."""
    items = canonical.scored_items
    if kept is not None:
        items = items.rows(kept)
        if len(items) == 0 or len(items.classes) < 2:
            return False
        clusters = canonical.benchmark.clusters(items)
        if count_clusters(clusters) < 2:
            return False
        terms = baselines.reference, baselines.margin, baselines.readers
        baselines = leakage_baselines(items, clusters, *terms)
        inside = np.isin(np.array(runs.ids, str), np.array(items.ids, str))
        runs = Runs(
            tuple(np.array(runs.ids, object)[inside]),
            runs.gold[inside],
            runs.probabilities[:, inside],
            runs.remarks,
        )
    tests = baselines.count_tests(parts)
    told = read_part(
        part_leakage(runs, baselines, tests, seeded=False),
        runs_in_bits(runs, baselines, tests),
        baselines,
        one_class=is_one_class(runs),
    )
    return told.decision == LEAKS
