"""The verb that keeps a fitted reader."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import notice, print_roles
from measurand.cli.groups import SourceOptions, expand_groups


@app.command("fit")
@expand_groups
def fit_verb(
    reader: Annotated[
        str, typer.Argument(help="A reader with weights: minilm or encoder:DIRECTORY.")
    ],
    source: SourceOptions,
    save: Annotated[Path, typer.Option(help="A folder for the fitted reader.")],
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace the reader that is saved there."),
    ] = False,
    tune: o.Tune = False,
    seed: o.Seed = 0,
) -> None:
    """Fit a reader to a benchmark and keep it: audits take its folder as a name."""
    from measurand.core.errors import BadOption
    from measurand.core.folders import READER, check_out
    from measurand.core.reader import Savable, Tunable
    from measurand.core.recipe import identity, traits_of
    from measurand.core.seeds import generator
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
    benchmark = source.benchmark(seed)
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
