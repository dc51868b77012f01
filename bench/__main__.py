"""`python -m bench` runs the quick benchmarks, `python -m bench NAME ...` one."""

import importlib
import sys

from bench.figures import keep, table

QUICK = (
    "bootstrap",
    "vectorise",
    "logistic",
    "idioms",
    "shuffles",
    "esnli",
    "first_minute",
    "memory",
    "surface",
)
# Minutes, the next to last a quarter of an hour, and the last hours.
SLOW = (
    "peco",
    "budget",
    "modules",
    "gallery",
    "choices_size",
    "page",
    "exposure_analysis",
    "exposure_design",
    "exposure_verdicts",
    "truth",
    "designs",
    "validity",
    "contradictions",
    "joining",
    "sentence_speed",
    "joining_split",
    "encoded",
    "simulations",
    "sequential",
    "fuzz",
    "kills",
    "ceilings",
)
ALL = (*QUICK, *SLOW)


def main(arguments: list[str]) -> int:
    """Run what is named, or all quick ones; print and keep the figures."""
    names, rest = (arguments[:1], arguments[1:]) if arguments else (QUICK, [])
    for name in names:
        if name not in ALL:
            print(f"no benchmark called {name!r}; try {', '.join(ALL)}")
            return 2
        module = importlib.import_module(f"bench.{name}")
        figures = module.run(rest)
        if figures:
            keep(name, module.__doc__.strip(), figures)
            print(table(name, figures), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
