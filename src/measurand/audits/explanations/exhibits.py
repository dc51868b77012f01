"""The tables from which explanations reports are drawn and compared."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.explanations.information import Information
from measurand.audits.explanations.levels import find_level
from measurand.audits.explanations.rationales import GIVEN, Rationales
from measurand.audits.explanations.reading import RationaleReading
from measurand.audits.explanations.settings import BROWSED
from measurand.core.arrays import Floats
from measurand.core.audit import Against, Comparison, Score
from measurand.core.benchmark import Benchmark
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding
from measurand.core.names import own_column
from measurand.experiment.statements import estimate_cells
from measurand.explainers import SUITE
from measurand.stats.frontier import varif
from measurand.stats.scores import wilson_share
from measurand.stats.specificity import rescale_auc
from measurand.stats.uncertainty import mean_interval

FRONTIER = {"x_title": "robustness R", "y_title": "informativeness", "shade": "S"}
MOST_LEAKS = 40  # templates that a page lists


def exhibits(
    benchmark: Benchmark,
    by_explainer: Mapping[str, Rationales],
    readings: Sequence[RationaleReading],
    leaks: pd.DataFrame,
    findings: Sequence[Finding],
) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    panels = []
    for reading in readings:
        panels += [
            *frontier_exhibit(reading),
            *mask_exhibits(reading, next(iter(by_explainer))),
            *separation_exhibit(reading),
            *disagreement_exhibit(reading, by_explainer),
        ]
    panels += [
        _axes_exhibit(findings),
        _template_exhibit(leaks, by_explainer),
        _rationale_browser(benchmark, by_explainer, readings),
    ]
    return tuple(panels)


def frontier_exhibit(reading: RationaleReading) -> Iterator[Exhibit]:
    """Robustness against informativeness, specificity as colour."""
    levels = reading.figures
    if "robustness" not in levels or "informativeness" not in levels:
        return
    rows = []
    for name in levels["robustness"].explainers:
        r, i, s = (
            find_level(levels, metric, name)
            for metric in ("robustness", "informativeness", "specificity")
        )
        if r is None or i is None:
            continue
        rows.append(
            {
                "name": name,
                "series": _explainer_kind(name),
                "group": "",
                "x": r.value,
                "x_low": r.low,
                "x_high": r.high,
                "y": i.value,
                "y_low": i.low,
                "y_high": i.high,
                "shade": None if s is None else s.value,
            }
        )
    caption = (
        f"Robustness and informativeness by {reading.name}; colour is specificity; "
        "what "
        "the suite wrote is no method, and marked apart"
    )
    name = f"frontier_{reading.name}"
    yield Exhibit(name, "scatter", pd.DataFrame(rows), caption, FRONTIER)


def _explainer_kind(name: str) -> str:
    """What sort of explainer it is.

    >>> names = ("given", "tfidf-1", "steps-unlabeled", "vacuous")
    >>> [_explainer_kind(name) for name in names]
    ['given', 'extractive', 'prompted', 'suite']
    """
    if name == GIVEN:
        return name
    if name in SUITE:
        return "suite"
    return "extractive" if name.startswith(("tfidf", "random")) else "prompted"


def mask_exhibits(reading: RationaleReading, explainer: str) -> Iterator[Exhibit]:
    """What masks of more and more words leave of the judged rationales."""
    information = reading.information[explainer]
    points = {0.0: information.right_r, **_by_share(information, "right")}
    rows = [
        _curve_cells("alone", share, wilson_share(int(right.sum()), len(right)))
        for share, right in points.items()
    ]
    titles = {
        "x_title": "share of the words masked",
        "y_title": "accuracy of a detector retrained on what is left",
        "horizontal": {"majority": information.majority},
    }
    caption = (
        f"Accuracy from the masked rationale of {explainer} alone, by {reading.name}; "
        "LC-IG is of a mask of 10 %, 10 words at most"
    )
    name = f"masks_{reading.name}"
    yield Exhibit(name, "curve", pd.DataFrame(rows), caption, titles)
    empty = information.empty
    gains = {
        share: np.where(empty, 0.0, logs - information.log_p0)
        for share, logs in {
            0.0: information.log_p1_raw,
            **_by_share(information, "logs"),
        }.items()
    }
    rows = [
        _curve_cells("beside the input", share, mean_interval(gain, None))
        for share, gain in gains.items()
    ]
    titles = {
        "x_title": "share of the words masked",
        "y_title": "information beyond the input, nats",
        "horizontal": {"nothing": 0.0},
    }
    caption = (
        f"What the masked rationale of {explainer} adds to the input, by "
        f"{reading.name}, over the input alone"
    )
    name = f"masked_information_{reading.name}"
    yield Exhibit(name, "curve", pd.DataFrame(rows), caption, titles)


def _by_share(information: Information, what: str) -> dict[float, Floats]:
    """One array of each point of the curve."""
    return {share: getattr(p, what) for share, p in information.curve.items()}


def _curve_cells(series: str, x: float, estimate: Estimate) -> dict[str, object]:
    """A point of a curve with its interval."""
    place = {"y": estimate.value, "low": estimate.low, "high": estimate.high}
    return {"series": series, "x": x, **place, "n": estimate.n}


def separation_exhibit(reading: RationaleReading) -> Iterator[Exhibit]:
    """How well each metric tells given rationales from each type of the suite."""
    findings = [f for f in reading.meta.findings if f.statistic.startswith("auc_")]
    if not findings:
        return
    rows = [
        {"metric": f.reader, "type": f.condition, "auc": f.estimate.value}
        for f in findings
    ]
    table = pd.DataFrame(rows).pivot_table(
        index="metric", columns="type", values="auc", sort=False
    )
    caption = (
        f"AUC of given rationales against each type, by {reading.name}: 0.5 tells "
        "nothing "
        "apart, under 0.5 prefers the type"
    )
    name = f"separation_{reading.name}"
    heat = {"heat": [str(column) for column in table.columns]}
    yield Exhibit(name, "table", table.reset_index(), caption, heat)


def disagreement_exhibit(
    reading: RationaleReading, by_explainer: Mapping[str, Rationales]
) -> Iterator[Exhibit]:
    """Pairs of explainers that two metrics order differently, with an item each."""
    table = reading.meta.disagreements.head(20)
    if table.empty:
        return
    examples = [
        "" if item is pd.NA else by_explainer[str(name)].test[int(item)]
        for name, item in zip(table["preferred"], table["item"].tolist(), strict=True)
    ]
    caption = (
        f"Where two metrics surely order two explainers differently, by {reading.name}"
    )
    rows = table.drop(columns="item").assign(example=examples)
    yield Exhibit(f"disagreements_{reading.name}", "table", rows, caption)


def _axes_exhibit(findings: Sequence[Finding]) -> Exhibit:
    """Robustness, informativeness, specificity and VARIF of every explainer."""
    wanted = ("robustness", "informativeness", "specificity", "varif")
    rows = [
        {
            "group": f"{f.statistic} ({f.reader})",
            "name": f.condition,
            **estimate_cells(f.estimate),
            "decision": f.decision or "",
        }
        for statistic in wanted
        for f in findings
        if f.statistic == statistic
    ]
    caption = "The axes first, the scalar last"
    return Exhibit("axes", "intervals", pd.DataFrame(rows), caption)


def _template_exhibit(
    leaks: pd.DataFrame, by_explainer: Mapping[str, Rationales]
) -> Exhibit:
    """Words and templates that predict the label."""
    caption = (
        f"Words and templates of {next(iter(by_explainer))} rationales that stand with "
        "one "
        "label too often (false-discovery rate 5 %)"
    )
    return Exhibit("templates", "table", leaks.head(MOST_LEAKS), caption)


def _rationale_browser(
    benchmark: Benchmark,
    by_explainer: Mapping[str, Rationales],
    readings: Sequence[RationaleReading],
) -> Exhibit:
    """Items with their rationale as it was and as it was masked."""
    name, items = next(iter(by_explainer)), benchmark.test
    information = readings[-1].information[name]
    table = pd.DataFrame(
        {
            "item": list(items.ids),
            "label": items.labels.tolist(),
            "query": items.column(benchmark.query).tolist(),
            "rationale": by_explainer[name].test,
            "masked": information.masked_test,
            "nats": information.gain.round(3),
        }
    )
    caption = f"Items with the {name} rationale and its mask, by {readings[-1].name}"
    return Exhibit("browser", "table", table.head(BROWSED), caption)


# Columns of the items, {} standing for the explainer.
R, I, S = (own_column(axis, "{}") for axis in "RIS")  # noqa: E741
LEFT_OPEN = own_column("left open")
HYPOTHESES = ("h1", "h2", "h3", "h4", "h5")


def _told_share(gain: Floats, left_open: Floats) -> Floats:
    """The share of what the input leaves open that a rationale predicts, of means."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.divide(gain, left_open), 0.0, 1.0)


COMPARISON = Comparison(
    parts=(
        *("informativeness", "robustness", "specificity", "copied", "varif"),
        *("rationale_only", "residual_leakage", "rationale_bits", "residual_bits"),
        *("gain", "over_blank", "over_blank_bits", "lcig", "las", "simulatability"),
    ),
    effects=("varif",),
    worse={"varif": "lower"},
    against=(
        Against(
            "lcig",
            "rationale_only",
            "What masked rationales add to the input against what whole ones give "
            "away by themselves",
        ),
    ),
    caption="Every benchmark, reader and explainer: what it tells and how it leaks",
    changes=(
        *("varif", "robustness", "agreement", "informativeness", "rationale_only"),
        *("lcig_within_label", "attack_fall", "comprehensiveness", "sufficiency"),
        *("copied", "drift_likeness", "specificity", "residual_leakage"),
        *("rationale_bits", "residual_bits", "gain", "over_blank*", "room", "lcig"),
        *("simulatability", "las*"),
        *("rev", "robustness_baseline", "specificity_over_copy", "bertscore"),
        *("rouge_l", "length", "overlap", "hypervolume", "rank_correlation"),
        *("auc_*", "acceptance_rate", "majority", *HYPOTHESES),
    ),
    claims=HYPOTHESES,
    scores={
        "robustness": Score((R,)),
        "lcig": Score((I,)),
        "rationale_only": Score((own_column("leaks", "{}"),)),
        "residual_leakage": Score((own_column("residual", "{}"),)),
        "copied": Score((own_column("copied", "{}"),)),
        "specificity": Score((S,), rescale_auc),
        "informativeness": Score((I, LEFT_OPEN), _told_share),
        "varif": Score(
            (S, R, I, LEFT_OPEN, own_column("copied", "{}")),
            lambda s, r, gain, left, copied: varif(
                rescale_auc(s) * (1 - copied), r, _told_share(gain, left)
            ),
        ),
    },
    axes={
        "unstable": "robustness",
        "uninformative": "informativeness",
        "leaky": "rationale_only",
        "unspecific": "specificity",
    },
    conditions_setting="explainers",
    titles={
        "lcig": "information of the masked rationale, nats",
        "rationale_only": "accuracy from the rationale alone",
        "varif": "VARIF",
    },
)
