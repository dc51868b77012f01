"""Judging pairs both ways with an entailment classifier, against a plain loop.

    python -m bench.judging DIR OUT [--pairs 10000]

DIR is a directory with the classifier. Ours and the plain loop (fp32, batches of 32 in
the order given, padded to the longest) take turns in one run on one machine, on the GPU
where there is one, and both turn the texts into tokens themselves. Each time is the
median of its rounds. The figures are written to OUT/judging.json.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
import transformers

from measurand.core.seeds import generator
from measurand.judges.neural import NliJudge
from measurand.text.words import words

ROUNDS = 3
BATCH = 32
LENGTH = 256
MEDIAN, SPREAD = 12, 0.6  # words of a sentence: log-normal
WORDS = words(
    "a an the this some two three many no man woman child dog cat crowd group player "
    "street park house field river kitchen train music guitar ball horse bicycle water "
    "red blue old young small large wooden happy quiet is are was not looks walks runs "
    "sits stands plays holds carries watches sings eats sleeps waits works because so "
    "and or with without near under behind on in at through of for people outside "
    "inside together slowly quickly today there one cannot both same time"
)


def sentences(n: int, rng: np.random.Generator) -> list[str]:
    """Sentences of varied length."""
    sizes = np.clip(MEDIAN * np.exp(SPREAD * rng.standard_normal(n)), 2, 60)
    return [" ".join(rng.choice(WORDS, int(size))) + "." for size in sizes]


def both_ways(n: int) -> list[tuple[str, str]]:
    """So many pairs, half of which share most words, and then all of them turned."""
    rng = generator(0, "bench", "judging")
    firsts, others = sentences(n, rng), sentences(n, rng)
    pairs = [
        (first, other if i % 2 else first.replace(" is ", " is not ") + " " + other)
        for i, (first, other) in enumerate(zip(firsts, others, strict=True))
    ]
    return [*pairs, *((b, a) for a, b in pairs)]


def plain_loop(
    place: str, where: torch.device
) -> Callable[[list[tuple[str, str]]], np.ndarray]:
    """What everybody writes, with the model already loaded."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        place, dtype=torch.float32
    )
    model = model.to(where).eval()
    column = {k.lower(): v for k, v in model.config.label2id.items()}["entailment"]

    def entails(pairs: list[tuple[str, str]]) -> np.ndarray:
        said = []
        with torch.no_grad():
            for start in range(0, len(pairs), BATCH):
                firsts, others = zip(*pairs[start : start + BATCH], strict=True)
                made = tokenizer(
                    list(firsts),
                    list(others),
                    padding="longest",
                    truncation=True,
                    max_length=LENGTH,
                    return_tensors="pt",
                ).to(where)
                said.append(model(**made).logits.softmax(dim=1)[:, column].cpu())
        return torch.cat(said).numpy()

    return entails


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that work takes, and its result."""
    start = time.perf_counter()
    result = work()  # both ways end with the scores on the CPU
    return time.perf_counter() - start, result


def main() -> None:
    """Time both, compare what they say, write the figures."""
    asked = argparse.ArgumentParser()
    asked.add_argument("directory")
    asked.add_argument("out", type=Path)
    asked.add_argument("--pairs", type=int, default=10_000)
    given = asked.parse_args()
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pairs = both_ways(given.pairs)
    judge, plain = NliJudge(given.directory, LENGTH), plain_loop(given.directory, where)
    judge.entails(pairs)  # warm
    plain(pairs[: 10 * BATCH])
    quick, slow = [], []
    for _ in range(ROUNDS):
        seconds, ours = timed(lambda: judge.entails(pairs))
        quick.append(seconds)
        seconds, theirs = timed(lambda: plain(pairs))
        slow.append(seconds)
    apart = np.abs(ours - theirs)
    found = {
        "device": torch.cuda.get_device_name() if where.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "pairs": given.pairs,
        "judged": len(pairs),
        "seconds": median(quick),
        "plain_seconds": median(slow),
        "ratio": median(slow) / median(quick),
        "largest_difference": float(apart.max()),
        "mean_difference": float(apart.mean()),
    }
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "judging.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
