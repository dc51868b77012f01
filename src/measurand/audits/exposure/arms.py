"""The arms of a draw: recipes that differ in the texts they read, and nowhere else."""

from collections.abc import Mapping, Sequence

from measurand.core.errors import BadOption, NotApplicable, UnknownName
from measurand.core.items import Items
from measurand.core.reader import Adaptable, Overtrainable, Reader
from measurand.core.seeds import generator
from measurand.core.together import JointlyTrainable
from measurand.experiment.answers import Experiment
from measurand.experiment.asks import Ask, AskGroup
from measurand.selections.subsamples import Subsample

NEEDED = ("base", "extra", "test")  # boost and bias are differences of these
OVERTRAINED = "overtrained"  # the same texts, read twice as often
ARMS = (*NEEDED, OVERTRAINED)
OVER = {side: f"{OVERTRAINED}_{side}" for side in ("extra", "test")}


def chosen(arms: Sequence[str]) -> tuple[str, ...]:
    """The arms in their order, an overtrained one of extra and one of test texts."""
    for arm in arms:
        if arm not in ARMS:
            raise UnknownName("arm", arm, ARMS)
    if lacking := [arm for arm in NEEDED if arm not in arms]:
        raise BadOption(
            f"no --arm {' or '.join(lacking)}; boost and bias need base, extra and "
            "test, and overtrained may be added"
        )
    return (*NEEDED, *(OVER.values() if OVERTRAINED in arms else ()))


def able(readers: Mapping[str, Reader], arms: Sequence[str]) -> None:
    """Nothing, where every reader can be trained in these arms."""
    for name, reader in readers.items():
        if not isinstance(reader, Adaptable):
            raise NotApplicable(
                f"{name} cannot go on pretraining on unlabeled text; choose pca, idf, "
                "minilm, smollm2, encoder:DIRECTORY or causal:DIRECTORY"
            )
        if OVER["test"] in arms and not isinstance(reader, Overtrainable):
            raise NotApplicable(
                f"{name} reads its texts in no epochs, so it cannot be overtrained; "
                "leave out --arm overtrained, or choose minilm, smollm2, "
                "encoder:DIRECTORY or causal:DIRECTORY"
            )


def groups(reader: Reader, repeats: int) -> list[range]:
    """The draws that the reader learns together, from the first on; mostly one each."""
    each = at_once(reader)
    return [
        range(first, min(first + each, repeats)) for first in range(0, repeats, each)
    ]


def at_once(reader: Reader) -> int:
    """How many draws of an arm the reader learns together."""
    return reader.joint_size() if isinstance(reader, JointlyTrainable) else 1


def asks(
    running: Experiment,
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
    each = at_once(reader)
    whole = f"draws {numbers[0]} to {numbers[-1]}"
    found = []
    for number in numbers:
        recipes = adapted(reader, *sides(running, m, n, number))
        found += [
            Ask(
                recipes[arm],
                fitted_on=Subsample(m, n, number, "train"),
                about=Subsample(m, n, number, "test"),
                stream=f"draw {number}",
                group=AskGroup(f"{arm}, {whole}", each) if each > 1 else None,
            )
            for arm in arms
        ]
    return found


def sides(
    running: Experiment, m: int, n: int, number: int
) -> tuple[list[str], list[str], list[str]]:
    """The texts of train, and of extra and test those that train does not hold too."""
    pool, seed = running.benchmark.train, running.seed
    rows = {
        side: Subsample(m, n, number, side)(pool, generator(seed, "select"))
        for side in ("train", "extra", "test")
    }
    train = read(rows["train"])
    apart = {*train}
    # The ids are disjoint; a text may still stand in the pool twice.
    extra, test = (
        [text for text in read(rows[side]) if text not in apart]
        for side in ("extra", "test")
    )
    return train, extra, test


def adapted(
    reader: Reader, train: Sequence[str], extra: Sequence[str], test: Sequence[str]
) -> dict[str, Reader]:
    """The recipe of every arm that the reader can be trained in."""
    assert isinstance(reader, Adaptable), "checked before"  # noqa: S101
    texts = {"extra": extra, "test": test}
    for side in texts.values():
        assert not {*train} & {*side}, "adaptation never sees train"  # noqa: S101
    made = {"base": reader} | {arm: reader.adapt(side) for arm, side in texts.items()}
    if isinstance(reader, Overtrainable):
        more = reader.overtrained()
        assert isinstance(more, Adaptable), "it was before"  # noqa: S101
        made |= {OVER[arm]: more.adapt(side) for arm, side in texts.items()}
    return made


def read(items: Items) -> list[str]:
    """The text of each item, all fields in a row."""
    columns = [items.column(field) for field in items.fields]
    return [" ".join(texts) for texts in zip(*columns, strict=True)]
