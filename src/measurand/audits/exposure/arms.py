"""The arms of a draw: recipes that differ in the texts they read, and nowhere else."""

from collections.abc import Mapping, Sequence

from measurand.core.errors import BadOption, NotApplicable, UnknownName
from measurand.core.items import Items
from measurand.core.joint_training import JointlyTrainable
from measurand.core.reader import Adaptable, Overtrainable, Reader
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask, AskGroup
from measurand.experiment.experiment import Experiment
from measurand.selections.subsamples import Subsample

NEEDED = ("base", "extra", "test")  # boost and bias are differences of these
OVERTRAINED = "overtrained"  # the same texts, read twice as often
ARM_CHOICES = (*NEEDED, OVERTRAINED)
OVERTRAINED_ARMS = {side: f"{OVERTRAINED}_{side}" for side in ("extra", "test")}


def expand_arms(arms: Sequence[str]) -> tuple[str, ...]:
    """The arms in their order, an overtrained one of extra and one of test texts."""
    for arm in arms:
        if arm not in ARM_CHOICES:
            raise UnknownName("arm", arm, ARM_CHOICES)
    if lacking := [arm for arm in NEEDED if arm not in arms]:
        raise BadOption(
            f"no --arm {' or '.join(lacking)}; boost and bias need base, extra and "
            "test, and overtrained may be added"
        )
    return (*NEEDED, *(OVERTRAINED_ARMS.values() if OVERTRAINED in arms else ()))


def check_adaptable(readers: Mapping[str, Reader], arms: Sequence[str]) -> None:
    """Nothing, where every reader can be trained in these arms."""
    for name, reader in readers.items():
        if not isinstance(reader, Adaptable):
            raise NotApplicable(
                f"{name} cannot go on pretraining on unlabeled text; choose pca, idf, "
                "minilm, smollm2, encoder:DIRECTORY or causal:DIRECTORY"
            )
        if OVERTRAINED_ARMS["test"] in arms and not isinstance(reader, Overtrainable):
            raise NotApplicable(
                f"{name} reads its texts in no epochs, so it cannot be overtrained; "
                "leave out --arm overtrained, or choose minilm, smollm2, "
                "encoder:DIRECTORY or causal:DIRECTORY"
            )


def group_draws(reader: Reader, repeats: int) -> list[range]:
    """The draws that the reader learns together, from the first on; mostly one each."""
    size = _draws_per_group(reader)
    return [
        range(first, min(first + size, repeats)) for first in range(0, repeats, size)
    ]


def _draws_per_group(reader: Reader) -> int:
    """How many draws of an arm the reader learns together."""
    return reader.joint_size() if isinstance(reader, JointlyTrainable) else 1


def arm_asks(
    experiment: Experiment,
    reader: Reader,
    m: int,
    n: int,
    numbers: range,
    arms: Sequence[str] = NEEDED,
) -> list[Ask]:
    """What is asked in a group of draws, an arm after another, of each draw.

    The rows, the head, the order and the masking have the draw for a seed. A group
    holds draws of one arm, so that in every arm a draw has the same neighbours.
    """
    group_size = _draws_per_group(reader)
    group_name = f"draws {numbers[0]} to {numbers[-1]}"
    arm_questions = []
    for number in numbers:
        recipes = arm_recipes(reader, *side_texts(experiment, m, n, number))
        arm_questions += [
            Ask(
                recipes[arm],
                fitted_on=Subsample(m, n, number, "train"),
                about=Subsample(m, n, number, "test"),
                stream=f"draw {number}",
                group=AskGroup(f"{arm}, {group_name}", group_size)
                if group_size > 1
                else None,
            )
            for arm in arms
        ]
    return arm_questions


def side_texts(
    experiment: Experiment, m: int, n: int, number: int
) -> tuple[list[str], list[str], list[str]]:
    """The texts of train, and of extra and test those that train does not hold too."""
    pool, seed = experiment.benchmark.train, experiment.seed
    rows = {
        side: Subsample(m, n, number, side)(pool, generator(seed, "select"))
        for side in ("train", "extra", "test")
    }
    train = unlabeled_texts(rows["train"])
    train_texts = {*train}
    # The ids are disjoint; a text may still stand in the pool twice.
    extra, test = (
        [text for text in unlabeled_texts(rows[side]) if text not in train_texts]
        for side in ("extra", "test")
    )
    return train, extra, test


def arm_recipes(
    reader: Reader, train: Sequence[str], extra: Sequence[str], test: Sequence[str]
) -> dict[str, Reader]:
    """The recipe of every arm that the reader can be trained in."""
    assert isinstance(reader, Adaptable), "checked before"  # noqa: S101
    texts = {"extra": extra, "test": test}
    for side in texts.values():
        assert not {*train} & {*side}, "adaptation never sees train"  # noqa: S101
    recipes = {"base": reader} | {
        arm: reader.adapt(side) for arm, side in texts.items()
    }
    if isinstance(reader, Overtrainable):
        overtrained_reader = reader.overtrained()
        assert isinstance(overtrained_reader, Adaptable), "it was before"  # noqa: S101
        recipes |= {
            OVERTRAINED_ARMS[arm]: overtrained_reader.adapt(side)
            for arm, side in texts.items()
        }
    return recipes


def unlabeled_texts(items: Items) -> list[str]:
    """The text of each item, all fields in a row."""
    columns = [items.column(field) for field in items.fields]
    return [" ".join(texts) for texts in zip(*columns, strict=True)]
