"""A design with the two rules that prove its truth, and how it is put together."""

from dataclasses import dataclass

from bench.truth_fresh.design import (
    EVIDENCE_LABELS,
    Design,
    Guess,
    Labels,
    RowOf,
    independent_rows,
    label_leak,
    label_need,
    oracle,
)


@dataclass(frozen=True)
class Planted(Design):
    """A design whose truth follows from the accuracies of two best rules.

    Attributes:
        rules: The best rule with the evidence and the best one without it; of a
            leakage design the best rule that reads the part that tells most, and the
            best that reads nothing.
        rates: How often each of them is right in the population.
        only: The part of the split that they are counted in; all where empty.
    """

    rules: tuple[Guess, Guess] = (str, str)
    rates: tuple[float, float] = (0.0, 0.0)
    only: str = ""


def always(answer: object) -> Guess:
    """The rule that gives one answer."""
    return lambda row: answer


def plant(
    name: str,
    row: RowOf | None,
    n: int,
    roles: dict,
    rules: tuple[Guess, Guess],
    rates: tuple[float, float],
    labels: Labels,
    why: str,
    **more,
) -> Planted:
    """A design; `more` may hold make, train, knowable and only."""
    only = more.get("only", "")
    return Planted(
        name=name,
        audit="evidence" if labels[0] <= EVIDENCE_LABELS else "leakage",
        make=more.get("make") or independent_rows(row, n, more.get("train", 0)),
        roles=roles,
        truth=labels[0],
        wrong=labels[1],
        knowable=more.get("knowable", True),
        size=rates[0] - rates[1],
        why=why,
        oracle=oracle(*rules, label=roles["label"], only=only),
        rules=rules,
        rates=rates,
        only=only,
    )


def plant_need(name, row, n, roles, rules, rates, why, *, used=True, **more) -> Planted:
    """An evidence design; `used`: whether the evidence predicts the label at all."""
    labels = label_need(round(rates[0] - rates[1], 6), reader_uses_evidence=used)
    return plant(name, row, n, roles, rules, rates, labels, why, **more)


def plant_leak(name, row, n, roles, rules, rates, why, **more) -> Planted:
    """A leakage design with a part that leaks."""
    labels = label_leak(round(rates[0] - rates[1], 6))
    return plant(name, row, n, roles, rules, rates, labels, why, **more)


def plant_clean(name, row, n, roles, common: object, rate: float, why, **more):
    """A leakage design without a leak: `common`, an answer or a rule, does as well."""
    rules = (common if callable(common) else always(common),) * 2
    return plant(name, row, n, roles, rules, (rate, rate), label_leak(0.0), why, **more)
