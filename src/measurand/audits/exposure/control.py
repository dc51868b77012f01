"""The positive control: arms that learned a known share of the test rows.

A dose is the share of the test rows that stand, with their labels, in place of as many
labelled rows. A reader that remembers what it learned answers these right, so the arm
gains dose × room over the extra arm, where room is what was wrong of them before. What
it does gain on them, over the room, is the recovery.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.exposure.arms import DOSED
from measurand.audits.exposure.columns import ALL, LEAKED, counted_arms
from measurand.audits.exposure.statistics.counts import (
    name_size,
    pair_arms,
    rows_by_size,
    study_counts,
)
from measurand.audits.exposure.statistics.effects import (
    Effect,
    PairedEffects,
    paired_effects,
)
from measurand.audits.exposure.statistics.task_means import POINTS
from measurand.audits.exposure.study import replace_arms
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.seeds import generator
from measurand.stats.resampling import bootstrap

LEAST_ROOM = 10  # leaked rows that were wrong before; of fewer, any share is chance


@dataclass(frozen=True, eq=False)
class ControlEffect:
    """What one dose did at one size.

    Attributes:
        dose: The share of test rows that was learned, on average.
        gain: What the arm gained over the extra arm, in points.
        alone: The same by model, of those that have the arm.
        recovery: By model, and of all, the gain on the leaked rows over their room.
        room: Points that a whole test set of such rows could gain.
    """

    dose: float
    gain: Effect
    alone: Mapping[str, Effect]
    recovery: dict[str, Estimate]
    room: float

    @property
    def is_seen(self) -> bool:
        """Whether the study told it from nothing."""
        return self.gain.estimate.low > 0

    @property
    def expected(self) -> float:
        """What a reader that remembers every row would gain, in points."""
        return self.dose * self.room


def control_effects(table: pd.DataFrame, seed: int) -> dict[str, list[ControlEffect]]:
    """By size, what each dose did, the smallest first; empty where none was run."""
    arms = sorted(
        (arm for arm in counted_arms(table) if arm.startswith(DOSED)),
        key=lambda arm: float(arm.removeprefix(DOSED)),
    )
    effects: dict[str, list[ControlEffect]] = {}
    for arm in arms:
        rows = replace_arms(table, {"test": arm})
        if rows is None or not len(rows):
            continue
        leaked = [name for prefix in LEAKED if (name := f"{prefix}_{arm}") in rows]
        # Counts have the extra arm and the models that a table may lack.
        counts = study_counts(rows).join(rows[leaked].reset_index(drop=True))
        for _, part in rows_by_size(counts):
            gains = paired_effects(pair_arms(part, "bias"))
            effects.setdefault(name_size(part), []).append(
                _control_effect(arm, gains, part, seed)
            )
    return effects


def _control_effect(
    arm: str, gains: PairedEffects, rows: pd.DataFrame, seed: int
) -> ControlEffect:
    """The effect of a dose, with its recovery where rows say what was leaked."""
    dose = float(arm.removeprefix(DOSED))
    if f"leaked_{arm}" not in rows:
        room = POINTS * (1 - float((rows["extra"] / rows["n"]).mean()))
        return ControlEffect(dose, gains.together, gains.alone, {}, room)
    sums = rows[[f"leaked_{arm}", f"leaked_before_{arm}"]].sum()
    share = float(rows[f"leaked_{arm}"].sum() / rows["n"].sum())
    room = POINTS * float(1 - sums.iloc[1] / max(sums.iloc[0], 1))
    recovery = {}
    parts = {ALL: rows} | {str(lm): model_rows for lm, model_rows in rows.groupby("lm")}
    for name, part in parts.items():
        try:
            rng = generator(seed, "exposure", "recovery", arm, name)
            recovery[name] = leaked_recovery(part, arm, rng)
        except Undefined:
            continue
    return ControlEffect(share, gains.together, gains.alone, recovery, room)


def leaked_recovery(rows: pd.DataFrame, arm: str, rng: np.random.Generator) -> Estimate:
    """The accuracy gained on leaked rows over the room they left; draws resampled."""
    before = rows[f"leaked_before_{arm}"].to_numpy(float)
    gained = rows[f"leaked_right_{arm}"].to_numpy(float) - before
    room = rows[f"leaked_{arm}"].to_numpy(float) - before
    if room.sum() < LEAST_ROOM:
        raise Undefined(f"fewer than {LEAST_ROOM} leaked rows were wrong before")
    with np.errstate(divide="ignore", invalid="ignore"):
        return bootstrap(
            lambda sums: np.asarray(sums)[..., 0] / sums[..., 1],
            np.column_stack([gained, room]),
            rng=rng,
        )


def control_findings(
    size: str, controls: Sequence[ControlEffect], least: float
) -> list[Finding]:
    """What each dose did, and the dose that gains the least that would be inflated."""
    findings = []
    for control in controls:
        condition = f"dose {control.dose:.3g}, {size}"
        gains = {ALL: control.gain}
        gains |= control.alone if len(control.alone) > 1 else {}
        findings += [
            Finding("control_gain", name, condition, gain.estimate)
            for name, gain in gains.items()
        ]
        findings += [
            Finding("recovery", name, condition, estimate)
            for name, estimate in control.recovery.items()
        ]
    if controls and controls[-1].gain.estimate.low > 0:
        largest, gain = controls[-1], controls[-1].gain.estimate
        value, low, high = (
            least / end * largest.dose for end in (gain.value, gain.high, gain.low)
        )
        method = f"in proportion to the gain at dose {largest.dose:.3g}"
        estimate = Estimate(value, low, high, gain.level, gain.n, method)
        findings.append(Finding("detectable_dose", ALL, size, estimate))
    return findings
