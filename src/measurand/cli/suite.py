"""The verb that writes the adversarial suite of a benchmark."""

from pathlib import Path
from typing import Annotated

from measurand.cli.app import verb
from measurand.cli.console import notice, open_with_progress, print_roles
from measurand.cli.run import load_source
from measurand.core.setting import Setting
from measurand.settings.running import OverwriteFile, Run
from measurand.settings.source import Source


@verb
def run_suite(
    source: Source,
    out: Annotated[Path, Setting("The file of JSON lines to write.")],
    overwrite: OverwriteFile = False,
    ids_only: Annotated[
        bool,
        Setting("Leave every text of the benchmark out: ids, types and numbers alone."),
    ] = False,
    judge: Annotated[
        str,
        Setting(
            "Who accepts paraphrases: lexical, or an entailment classifier by "
            "directory or hub id."
        ),
    ] = "lexical",
    paraphraser: Annotated[
        str | None,
        Setting(
            "A seq2seq model by directory or hub id, smollm2, causal:DIR or llm:NAME. "
            "Default: rules."
        ),
    ] = None,
    seed: int = Run.seed,
    store: Path | None = Run.store,
) -> None:
    """Write bad rationales of six known kinds, with changed queries, for every item."""
    from measurand.disk.files import check_new_file, check_writable, write_file

    check_new_file(out, overwrite=overwrite, inputs=source.files)
    benchmark = load_source(source, seed)
    # Later than the file: whoever mistyped its name need not wait for these.
    import json

    from measurand.audits.explanations.perturbations import suite_rows as rows
    from measurand.judges import load_judge

    print_roles(benchmark)
    judging = load_judge(judge)
    check_writable(out.parent)
    with open_with_progress(
        benchmark, Run(seed=seed, workers=1, store=store)
    ) as experiment:
        suite_rows = rows(
            experiment,
            judging,
            paraphraser=paraphraser,
            ids_only=ids_only,
            notice=notice,
        )
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in suite_rows]
    content = "".join(lines).encode("utf-8", "backslashreplace")
    write_file(out, content, overwrite=overwrite)
    print(f"{len(lines)} rows in {out.name}")
