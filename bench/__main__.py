"""`python -m bench` runs all benchmarks, `python -m bench NAME ...` one of them."""

import importlib
import sys

from bench.figures import keep, table

QUICK = ("bootstrap", "vectorise", "shuffles", "esnli", "memory")


def main(arguments: list[str]) -> int:
    """Run what is named, or everything; print and keep the figures."""
    names, rest = (arguments[:1], arguments[1:]) if arguments else (QUICK, [])
    for name in names:
        if name not in QUICK:
            print(f"no benchmark called {name!r}; try {', '.join(QUICK)}")
            return 2
        module = importlib.import_module(f"bench.{name}")
        figures = module.run(rest)
        if figures:
            keep(name, module.__doc__.strip(), figures)
            print(table(name, figures), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
