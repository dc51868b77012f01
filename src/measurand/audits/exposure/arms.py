"""The arms of the experiment: what each reader reads and learns before it is asked."""

from collections.abc import Mapping, Sequence

from measurand.core.errors import BadOption, NotApplicable, UnknownName
from measurand.core.items import Items
from measurand.core.reader import (
    Adaptable,
    Featurising,
    JointlyTrainable,
    Overtrainable,
    Reader,
)
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask, AskGroup
from measurand.experiment.experiment import Experiment
from measurand.selections.rows import Subsample

NEEDED = ("base", "extra", "test")  # boost and bias are differences of these
OVERTRAINED = "overtrained"  # the same texts, read twice as often
TRANSFER = "transfer"  # extra texts of another task
ARM_CHOICES = (*NEEDED, OVERTRAINED, TRANSFER)
OVERTRAINED_ARMS = {side: f"{OVERTRAINED}_{side}" for side in ("extra", "test")}
OVERTRAINED_BASE = f"{OVERTRAINED}_base"  # of a study that trained it again
DOSED = "dose_"  # an arm that learned a share of the test rows with their labels


def expand_arms(arms: Sequence[str], doses: Sequence[float] = ()) -> tuple[str, ...]:
    """The arms in their order, an overtrained one of extra and one of test texts."""
    for arm in arms:
        if arm not in ARM_CHOICES:
            raise UnknownName("arm", arm, ARM_CHOICES)
    if lacking := [arm for arm in NEEDED if arm not in arms]:
        raise BadOption(
            f"no {' or '.join(map(repr, lacking))} in `arms`; boost and bias need "
            "base, extra and test, and overtrained and transfer may be added"
        )
    return (
        *NEEDED,
        *(OVERTRAINED_ARMS.values() if OVERTRAINED in arms else ()),
        *((TRANSFER,) if TRANSFER in arms else ()),
        *(f"{DOSED}{dose:g}" for dose in doses),
    )


def leaked_rows(arm: str, n: int) -> int:
    """How many test rows an arm learns with their labels."""
    return round(float(arm.removeprefix(DOSED)) * n) if arm.startswith(DOSED) else 0


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
                "leave out 'overtrained' from `arms`, or choose minilm, smollm2, "
                "encoder:DIRECTORY or causal:DIRECTORY"
            )


NO_TEXTS: Mapping[int, Sequence[str]] = {}


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
    siblings: Mapping[int, Sequence[str]] = NO_TEXTS,
) -> list[Ask]:
    """What is asked in a group of draws, an arm after another, of each draw.

    The rows, the head, the order and the masking have the draw for a seed. A group
    holds draws of one arm, so that in every arm a draw has the same neighbours.
    A dosed arm reads the extra texts. `siblings` are texts of another task, by draw.
    """
    group_size = _draws_per_group(reader)
    group_name = f"draws {numbers[0]} to {numbers[-1]}"
    arm_questions = []
    for number in numbers:
        texts = side_texts(experiment, m, n, number)
        sibling = [text for text in siblings.get(number, ()) if text not in {*texts[0]}]
        recipes = arm_recipes(reader, *texts, sibling)
        arm_questions += [
            Ask(
                recipes.get(arm, recipes["extra"]),
                fitted_on=Subsample(m, n, number, "train", leaked_rows(arm, n)),
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
    reader: Reader,
    train: Sequence[str],
    extra: Sequence[str],
    test: Sequence[str],
    sibling: Sequence[str] = (),
) -> dict[str, Reader]:
    """The recipe of every arm that the reader can be trained in.

    They differ in the texts that were read before, and nowhere else: a reader that
    takes its features from texts takes those of the base arm from its own items.
    """
    assert isinstance(reader, Adaptable), "checked before"  # noqa: S101
    texts = {"extra": extra, "test": test}
    for side in (*texts.values(), sibling):
        assert not {*train} & {*side}, "adaptation never sees train"  # noqa: S101
    base = reader.featurise(train) if isinstance(reader, Featurising) else reader
    recipes = {"base": base} | {arm: reader.adapt(side) for arm, side in texts.items()}
    if sibling:
        recipes[TRANSFER] = reader.adapt(sibling)
    if isinstance(reader, Overtrainable):
        overtrained_reader = reader.overtrain()
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
