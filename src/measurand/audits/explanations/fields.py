"""Arms: what readers of one recipe are given to read, and what each then answers."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from measurand.audits.explanations.masking import TRAIN
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items, with_columns
from measurand.core.reader import Reader, Seeded
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.interventions.fields import Choose

SEEDS = 3  # of a reader whose training is a matter of chance

Arms = Mapping[str, tuple[str, ...]]
Side = tuple[list[str], list[str]]  # the texts of the training and of the test items


def seed_readers(reader: Reader, seeds: int | None) -> list[Reader]:
    """The reader once a seed; one is enough where training is no matter of chance."""
    if isinstance(reader, Seeded):
        return list(reader.with_seeds(seeds or SEEDS))
    return [reader]


def free_field_name(name: str, taken: Sequence[str]) -> str:
    """The name, or a longer one where a field or another column bears it.

    >>> free_field_name("rationale", ["rationale", "claim"])
    'rationale again'
    """
    return name if name not in taken else free_field_name(f"{name} again", taken)


def role_columns(benchmark: Benchmark) -> list[str]:
    """The labels and groups, which stand next to any text that is read."""
    sides = benchmark.train, benchmark.test
    columns = [column for side in sides for column in (side.label, side.group)]
    return [column for column in columns if column is not None]


def restrict_fields(
    benchmark: Benchmark,
    fields: Sequence[str],
    added: Sequence[Mapping[str, Sequence[str]]],
    names: Mapping[str, str],
    *,
    crossed: bool = False,
) -> Benchmark:
    """The benchmark with these fields and more texts; nothing else can be read.

    Args:
        benchmark: Where the items are from.
        fields: The fields that stay.
        added: The texts of the training and of the test items, by what they are.
        names: The field that each of them becomes.
        crossed: Whether the training items are to be asked about too.
    """
    sides = []
    for items, side_texts in zip((benchmark.train, benchmark.test), added, strict=True):
        roles = [items.label, *([items.group] if items.group else [])]
        texts = {names[what]: list(column) for what, column in side_texts.items()}
        kept = items.table[[*dict.fromkeys([*fields, *roles])]]
        table = with_columns(kept, texts)
        read_fields = (*fields, *(names[what] for what in side_texts))
        sides.append(Items(table, read_fields, items.label, (), items.group))
    train, test = sides
    also = {TRAIN: train} if crossed else {}
    return Benchmark(benchmark.name, train, test, train.fields[0], test_parts=also)


def arm_asks(members: Sequence[Reader], arms: Arms) -> list[Ask]:
    """What each seed is asked in each arm."""
    return [
        # One stream a seed: between arms, only what is read differs.
        _arm_ask(member, fields, seed)
        for fields in arms.values()
        for seed, member in enumerate(members)
    ]


def _arm_ask(member: Reader, fields: tuple[str, ...], seed: int) -> Ask:
    """What one seed is asked of these fields."""
    read = Choose(fields)
    return Ask(member, fitted_under=read, under=read, stream=f"explanations {seed}")


def ask_arms(
    experiment: Experiment, members: Sequence[Reader], arms: Arms
) -> dict[str, NDArray[np.float32]]:
    """What each seed answers in each arm: seeds × items × classes."""
    predictions = iter(ask_all(experiment, arm_asks(members, arms)))
    return {
        name: np.stack([next(predictions).probabilities[0] for _ in members])
        for name in arms
    }


def ask_beside(
    experiment: Experiment,
    benchmark: Benchmark,
    fields: tuple[str, ...],
    members: Sequence[Reader],
    texts: Sequence[tuple[Side, Sequence[int]]],
) -> list[NDArray[np.float32]]:
    """What is answered from these fields and one more text: seeds × items × classes.

    Args:
        experiment: The seed, store and engine.
        benchmark: The items.
        fields: The fields that are read in any case.
        members: The reader once a seed.
        texts: The texts of train and of test, each with the seeds that read it.
    """
    taken = [*fields, *role_columns(benchmark)]
    names = [free_field_name(f"text {n}", taken) for n in range(len(texts))]
    columns = [
        {name: sides[at] for name, (sides, _) in zip(names, texts, strict=True)}
        for at in (0, 1)
    ]
    read = restrict_fields(benchmark, fields, columns, {name: name for name in names})
    asks = [
        _arm_ask(members[seed], (*fields, name), seed)
        for name, (_, seeds) in zip(names, texts, strict=True)
        for seed in seeds
    ]
    with reopen_experiment(experiment, read) as sub_experiment:
        answers = iter(ask_all(sub_experiment, asks))
    return [
        np.stack([next(answers).probabilities[0] for _ in seeds]) for _, seeds in texts
    ]


def rationale_input_fields(
    benchmark: Benchmark,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of x, and those of another x where the rationale is the evidence."""
    fields = tuple(f for f in (benchmark.query, benchmark.evidence) if f is not None)
    if benchmark.rationale == benchmark.evidence:
        return (benchmark.query,), fields
    return fields, ()
