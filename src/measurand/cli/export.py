"""The verb that writes copies of a benchmark for a harness."""

from typing import Annotated

from measurand.cli.app import verb
from measurand.cli.console import notice, print_roles
from measurand.cli.run import load_source
from measurand.core.setting import Setting
from measurand.settings.running import Run
from measurand.settings.source import Source


@verb
def run_export(
    source: Source,
    to: Annotated[
        str, Setting("What runs them.", allowed=("lm-eval", "inspect", "table"))
    ],
    out: Annotated[str, Setting("A folder for the files.")],
    shuffles: Annotated[
        int, Setting("How often the evidence is drawn anew.", least=1, most=100)
    ] = 3,
    over: Annotated[
        str | None,
        Setting("A task of yours for lm-eval, whose prompt and filters are kept."),
    ] = None,
    plan: Annotated[bool, Setting("Only say what it costs; write nothing.")] = False,
    seed: int = Run.seed,
) -> None:
    """Write a benchmark whole and with parts taken, as tasks for your own harness."""
    from measurand.logs.export import export

    benchmark = load_source(source, seed)
    print_roles(benchmark)
    done = export(
        benchmark, to, out, shuffles=shuffles, seed=seed, over=over, plan=plan
    )
    print(f"conditions: {', '.join(done.conditions)}")
    print(f"requests for one model: {done.requests:,}, about {done.tokens:,} tokens")
    if done.command:
        print(f"run them: {done.command}")
    if not plan:
        notice(f"{len(done.files)} files in {out}; then: measurand show {out}/logs")
