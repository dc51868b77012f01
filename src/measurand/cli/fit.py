"""The verb that keeps a fitted reader."""

from pathlib import Path
from typing import Annotated

from measurand.cli.app import verb
from measurand.cli.console import notice, print_roles
from measurand.cli.run import load_source
from measurand.core.setting import Setting
from measurand.settings.running import Run, Tune
from measurand.settings.source import Source


@verb
def run_fit(
    reader: Annotated[
        str,
        Setting("A reader with weights: minilm or encoder:DIRECTORY.", option="READER"),
    ],
    source: Source,
    save: Annotated[Path, Setting("A folder for the fitted reader.")],
    overwrite: Annotated[
        bool, Setting("Replace the reader that is saved there.")
    ] = False,
    tune: Tune = False,
    seed: int = Run.seed,
) -> None:
    """Fit a reader to a benchmark and keep it: audits take its folder as a name."""
    from measurand.core.errors import BadOption
    from measurand.core.reader import Savable, Tunable
    from measurand.core.recipe import identity, traits_of
    from measurand.core.seeds import generator
    from measurand.disk.folders import READER, check_out
    from measurand.readers import make_reader
    from measurand.stats.scores import wilson_share

    recipe = make_reader(reader)
    if not traits_of(recipe).needs_weights:
        raise BadOption(
            f"{reader} has no weights to keep and is fitted anew in seconds; "
            "give minilm or encoder:DIRECTORY"
        )
    recipe.check_weights()
    inputs = [*source.files, reader.partition(":")[2] or reader]
    check_out(save, overwrite=overwrite, holds=READER, inputs=inputs)
    benchmark = load_source(source, seed)
    print_roles(benchmark)
    stream = identity(recipe)
    if tune and isinstance(recipe, Tunable):
        recipe = recipe.tune(benchmark.train, generator(seed, "tune", stream))
    fitted = recipe.fit(benchmark.train, generator(seed, "fit", stream))
    if not isinstance(fitted, Savable):
        raise BadOption(f"{reader} cannot be saved; give minilm or encoder:DIRECTORY")
    fitted.save(str(save), overwrite=overwrite)
    for part, items in {"test": benchmark.test, **benchmark.test_parts}.items():
        answers = fitted.predict(items).argmax(axis=1)
        right = int((answers == items.gold(fitted.classes)).sum())
        print(
            f"{part}: accuracy {wilson_share(right, len(items))} of {len(items)} items"
        )
    notice(f"saved; name it with --reader {save}")
