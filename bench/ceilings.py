"""Said and made: what `--dry-run` says of random runs, and what a server then received.

Each run is an audit drawn at random: evidence or leakage; 30 to 200 items; near copies,
duplicate rows and metadata or none; labels, choices or written answers; examples,
shuffles and orders; a server with or without log-probabilities, that fails some calls
with 429 or 500; stopped once and gone on with, in half of them. The server stands in
this process in place of the transport and counts each request that it receives: calls,
and tokens as `--dry-run` counts them: the letters of the prompt / 4, and a token a byte
of other scripts.
Requests that it refused (429) are among them.
`python -m bench ceilings 20` makes 20 runs.
"""

import json
import logging
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import httpx
import pandas as pd

from bench.figures import Figure
from measurand.audits import AUDITS
from measurand.benchmarks.assemble import from_frames
from measurand.core.benchmark import Benchmark
from measurand.experiment.experiment import open_experiment
from measurand.experiment.rehearsal import plan_calls
from measurand.models.server import client
from measurand.models.server.ceiling import LETTERS, hold_ceilings, prompt_letters
from measurand.models.server.transport import Response
from measurand.readers.endpoint import EndpointReader, endpoint_reader
from measurand.settings.evidence import EvidenceSettings
from measurand.settings.leakage import LeakageSettings

RUNS = 200
SYLLABLES = ("ba", "do", "ke", "lu", "mi", "no", "ra", "tu", "vo", "si", "pel", "kan")
FAILING = (0.0, 0.0, 0.01, 0.03)  # shares of requests that fail


class Stopped(KeyboardInterrupt):
    """The user leaves."""


@dataclass
class Server:
    """Counts what it receives, in place of the transport to one.

    Attributes:
        failing: The share of requests that it fails, half with 429 and half with 500.
        logprobs: Whether it gives log-probabilities.
        seed: Of its answers and failures.
        stop_at: The request at which the user leaves; 0 for none.
        received: Requests, and letters in their prompts.
    """

    failing: float
    logprobs: bool
    seed: int
    stop_at: int = 0
    received: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, *_: Any, **__: Any) -> "Server":
        """The transport, as the client makes one for each batch."""
        return self

    def __enter__(self) -> "Server":
        """Nothing is opened."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is closed."""

    def call_off(self) -> None:
        """Nothing hangs."""

    def post(self, url: httpx.URL, content: str, most_bytes: int) -> Response:
        """The answer to a request, which is counted first."""
        request = json.loads(content)
        letters = prompt_letters(request["messages"])
        with self.lock:
            self.received.update(calls=1, letters=letters)
            number = self.received["calls"]
        dice = random.Random(f"{self.seed} {number}")
        if number == self.stop_at:
            raise Stopped
        if dice.random() < self.failing:
            status = dice.choice((429, 500))
            if status == 429:
                self.received.update(refused=1, refused_letters=letters)
            return Response(status)
        mark = random.Random(f"{self.seed} {content}").choice("AB")
        return Response(200, content=json.dumps(self.completion(mark)).encode())

    def completion(self, mark: str) -> dict[str, Any]:
        """What a server says."""
        choice: dict[str, Any] = {"message": {"content": f"{mark}. so"}}
        if self.logprobs:
            likely = [{"token": mark, "logprob": -0.1}]
            token = {"token": mark, "logprob": -0.1, "top_logprobs": likely}
            choice["logprobs"] = {"content": [token]}
        usage = {"prompt_tokens": 90, "completion_tokens": 1}
        return {"model": "small", "choices": [choice], "usage": usage}


@dataclass(frozen=True)
class Drawn:
    """One run.

    Attributes:
        audit: Its name.
        benchmark: What is asked about.
        reader: Who is asked.
        settings: What is chosen.
        server: Who answers.
        stopped: Whether it is stopped once.
    """

    audit: str
    benchmark: Benchmark
    reader: EndpointReader
    settings: Any
    server: Server
    stopped: bool


def draw_text(dice: random.Random) -> str:
    """A text of invented words."""
    length = dice.randint(8, 30)
    return " ".join("".join(dice.choices(SYLLABLES, k=3)) for _ in range(length))


def draw_benchmark(dice: random.Random, form: str) -> Benchmark:
    """Items of one form, some of which are copies or near copies of others."""
    rows: list[dict[str, Any]] = []
    for number in range(dice.randint(30, 200)):
        text = draw_text(dice)
        row = {"question": f"{number} {draw_text(dice)[:40]}?", "evidence": text}
        if form == "choices":
            row |= {"choices": [draw_text(dice)[:20] for _ in range(3)], "answer": 0}
            dice.shuffle(row["choices"])
            row["answer"] = dice.randrange(3)
        elif form == "answers":
            row["answers"] = [text.split()[0]]
        else:
            row["label"] = dice.choice(["no", "yes"])
        rows.append(row)
    for row in dice.sample(rows, dice.choice([0, 0, 2, 8])):
        copy = {**row, "question": f"{draw_text(dice)[:40]}?"}
        rows.append({**copy, "evidence": f"{row['evidence']} today"})
    rows += dice.sample(rows, dice.choice([0, 0, 3]))
    metadata: tuple[str, ...] = ()
    if dice.random() < 0.5:
        rows = [{**row, "kind": "abc"[i % 3]} for i, row in enumerate(rows)]
        metadata = ("kind",)
    return from_frames(pd.DataFrame(rows), name="drawn", metadata=metadata)


def draw_run(seed: int) -> Drawn:
    """One run."""
    dice = random.Random(f"ceilings {seed}")
    audit = dice.choice(["evidence", "evidence", "leakage"])
    forms = ["choices"] if audit == "leakage" else ["labels", "labels", "choices"]
    form = dice.choice(forms + (["answers"] if audit == "evidence" else []))
    orders, answers = dice.choice([(1, 1), (1, 1), (1, 1), (3, 1), (1, 2)])
    asking = {"shots": dice.choice([0, 0, 2]), "orders": orders, "answers": answers}
    asking["concurrency"] = dice.choice([1, 4, 8])
    settings: Any = EvidenceSettings(
        shuffles=dice.randint(1, 5),
        calibrate=False,
        brief=dice.random() < 0.5,
    )
    if audit == "leakage":
        settings = LeakageSettings(
            tsne=False,
            brief=True,
            check_inference=dice.random() < 0.5,
        )
    reader = endpoint_reader("small", "http://127.0.0.1:9", wait_s=0.0, **asking)
    server = Server(dice.choice(FAILING), dice.random() < 0.5, seed)
    benchmark = draw_benchmark(dice, form)
    return Drawn(audit, benchmark, reader, settings, server, dice.random() < 0.5)


def make_run(seed: int, store: Path) -> dict[str, Any]:
    """What was said of one run, and what the server received in all of it."""
    drawn = draw_run(seed)
    audit, readers = AUDITS.thing(drawn.audit), {"small": drawn.reader}
    asked = audit, drawn.benchmark, readers, drawn.settings
    said = plan_calls(*asked, seed=seed, store=store)["small"]
    if drawn.stopped:
        drawn.server.stop_at = random.Random(seed).randint(1, said.answers)
    goes_on = 0
    with patch.object(client, "Transport", drawn.server):
        while True:
            plans = plan_calls(*asked, seed=seed, store=store)
            try:
                with (
                    hold_ceilings(plans),
                    open_experiment(drawn.benchmark, seed=seed, store=store) as running,
                ):
                    audit.run(running, readers, drawn.settings)
                break
            except Stopped:
                goes_on += 1
    received = drawn.server.received
    return {
        "audit": drawn.audit,
        "items": len(drawn.benchmark.test) + len(drawn.benchmark.train),
        "stopped": goes_on,
        "said_calls": said.calls,
        "made_calls": received["calls"],
        "refused_calls": received["refused"],
        "said_tokens": said.use.sent,
        "made_tokens": round(received["letters"] / LETTERS),
    }


def run(arguments: Sequence[str]) -> list[Figure]:
    """The figures of so many runs."""
    logging.disable(logging.WARNING)
    runs = []
    for seed in range(int(arguments[0]) if arguments else RUNS):
        with tempfile.TemporaryDirectory(prefix="measurand-ceilings-") as folder:
            runs.append(make_run(seed, Path(folder)))
    return to_figures(runs)


def to_figures(runs: Sequence[dict[str, Any]]) -> list[Figure]:
    """How what was made compares with what was said."""
    over = sum(
        run["made_calls"] > run["said_calls"] or run["made_tokens"] > run["said_tokens"]
        for run in runs
    )
    figures = [
        Figure("runs", len(runs), ""),
        Figure("runs stopped once and gone on with", sum_of(runs, "stopped"), ""),
        Figure("calls said", sum_of(runs, "said_calls"), ""),
        Figure("calls made", sum_of(runs, "made_calls"), ""),
        Figure("of these, refused with 429", sum_of(runs, "refused_calls"), ""),
        Figure("runs with more calls or tokens made than said", over, "", most=0),
    ]
    for unit in ("calls", "tokens"):
        shares = [run[f"made_{unit}"] / run[f"said_{unit}"] for run in runs]
        what = f"{unit} made, as a share of those said"
        figures.append(Figure(f"{what}: median", median(shares), "", least=0.7))
        figures.append(Figure(f"{what}: least", min(shares), ""))
        figures.append(Figure(f"{what}: most", max(shares), "", most=1))
    return figures


def sum_of(runs: Sequence[dict[str, Any]], name: str) -> int:
    """The sum of one count over all runs."""
    return sum(run[name] for run in runs)
