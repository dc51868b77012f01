"""How many modules a plain line of JSON passes on its way to a benchmark."""

import sys
from pathlib import Path

from measurand.benchmarks import load
from tests.cli.commands import made, written

FOLDER = str(Path(load.__file__).parent)
MOST_MODULES = 11


def test_a_line_of_four_plain_columns_passes_few_modules(tmp_path):
    rows = [{"id": str(i), **row} for i, row in enumerate(made())]
    for row in rows:
        row.pop("kind")
    path = written(tmp_path / "facts.jsonl", rows)
    modules = set()

    def note(frame, event, _):
        # What is called when a module is loaded is no step of the way.
        if event == "call" and frame.f_code.co_name != "<module>":
            modules.add(frame.f_code.co_filename)

    load.load_benchmark(str(path))  # what is loaded once is loaded now
    profile = sys.getprofile()
    sys.setprofile(note)
    try:
        load.load_benchmark(str(path))
    finally:
        sys.setprofile(profile)
    passed = {Path(name).stem for name in modules if name.startswith(FOLDER)}
    assert {"load", "roles", "assemble", "split"} <= passed
    assert len(passed) <= MOST_MODULES, passed
