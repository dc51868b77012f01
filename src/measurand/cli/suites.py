"""The verb that writes the adversarial suite of a benchmark."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.console import announced, notice, opened
from measurand.cli.groups import Source, grouped
from measurand.cli.verbs import app


@app.command()
@grouped
def suite(
    source: Source,
    out: Annotated[Path, typer.Option(help="The file of JSON lines to write.")],
    ids_only: Annotated[
        bool,
        typer.Option(
            "--ids-only",
            help="Leave every text of the benchmark out: ids, types and numbers alone.",
        ),
    ] = False,
    judge: Annotated[
        str,
        typer.Option(
            help="Who accepts paraphrases: lexical, or an entailment classifier by "
            "directory or hub id."
        ),
    ] = "lexical",
    paraphraser: Annotated[
        str | None,
        typer.Option(
            help="A seq2seq model by directory or hub id, smollm2, causal:DIR or "
            "llm:NAME. Default: rules."
        ),
    ] = None,
    seed: o.Seed = 0,
    store: o.StoreIn = None,
) -> None:
    """Write bad rationales of six known kinds, with changed queries, for every item."""
    benchmark = source.benchmark(seed)
    # Later than the file: whoever mistyped its name need not wait for these.
    import json

    from measurand.audits.explanations.suite import suite as rows
    from measurand.core.errors import BadOption
    from measurand.core.files import writable, write
    from measurand.judges import named

    given = [Path(each) for each in (source.source, *(source.test or ()))]
    if out.exists() and any(each.exists() and out.samefile(each) for each in given):
        raise BadOption(
            f"--out is {out.name}, which the benchmark is read from; name another file"
        )
    announced(benchmark)
    judging = named(judge)
    writable(out.parent)
    with opened(benchmark, seed, 1, store) as running:
        found = rows(
            running,
            judging,
            paraphraser=paraphraser,
            ids_only=ids_only,
            notice=notice,
        )
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in found]
    write(out, "".join(lines).encode("utf-8", "backslashreplace"))
    print(f"{len(lines)} rows in {out.name}")
