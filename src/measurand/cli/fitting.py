"""The verb that keeps a fitted reader."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.console import announced, notice
from measurand.cli.groups import Source, grouped
from measurand.cli.verbs import app


@app.command()
@grouped
def fit(
    reader: Annotated[
        str, typer.Argument(help="A reader with weights: minilm or encoder:DIRECTORY.")
    ],
    source: Source,
    save: Annotated[Path, typer.Option(help="A folder for the fitted reader.")],
    tune: o.Tune = False,
    seed: o.Seed = 0,
) -> None:
    """Fit a reader to a benchmark and keep it: audits take its folder as a name."""
    from measurand.core.errors import BadOption
    from measurand.core.files import writable
    from measurand.core.reader import Savable, Tunable
    from measurand.core.recipe import identity, traits_of
    from measurand.core.seeds import generator
    from measurand.readers import named
    from measurand.stats.scores import share

    recipe = named(reader)
    if not traits_of(recipe).needs_weights:
        raise BadOption(
            f"{reader} has no weights to keep and is fitted anew in seconds; "
            "give minilm or encoder:DIRECTORY"
        )
    recipe.check_weights()
    writable(save)
    benchmark = source.benchmark(seed)
    announced(benchmark)
    stream = identity(recipe)
    if tune and isinstance(recipe, Tunable):
        recipe = recipe.tuned(benchmark.train, generator(seed, "tune", stream))
    fitted = recipe.fit(benchmark.train, generator(seed, "fit", stream))
    if not isinstance(fitted, Savable):
        raise BadOption(f"{reader} cannot be saved; give minilm or encoder:DIRECTORY")
    fitted.save(str(save))
    for part, items in {"test": benchmark.test, **benchmark.also}.items():
        said = fitted.predict(items).argmax(axis=1)
        right = int((said == items.gold(fitted.classes)).sum())
        print(f"{part}: accuracy {share(right, len(items))} of {len(items)} items")
    notice(f"saved; name it with --reader {save}")
