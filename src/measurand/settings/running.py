"""What is chosen for a run: seed, workers, places, the ladder, a model's server."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from measurand.core.bounds import MOST_SEEDS
from measurand.core.errors import BadOption
from measurand.core.setting import Setting, Settings, setting

RUN, SERVER = "Run", "A model behind a server"

# What settings of several audits mean alike.
Seeds = Annotated[
    int | None,
    Setting(
        "How often an encoder is trained anew. Default: 1 on a CPU, 3 on a GPU.",
        *(1, MOST_SEEDS),
        panel=RUN,
    ),
]
Calibrate = Annotated[
    bool, Setting("Let a near zero call a stronger reader.", panel=RUN)
]
Strongest = Annotated[
    str,
    Setting(
        "The highest rung that a near zero may call: tfidf, cross, aligned, frozen or "
        "minilm.",
        check="experiment.ladder:check_rung",
        env="MEASURAND_STRONGEST",
        panel=RUN,
    ),
]
Brief = Annotated[
    bool, Setting("Leave out what explains a verdict and does not decide it.")
]
OverwriteFile = Annotated[
    bool, Setting("Write over the file that is there.", option="--overwrite")
]
Readers = Annotated[
    tuple[str, ...],
    Setting(
        "A reader by name (see `measurand list readers`), or encoder:, causal:, "
        "zero-shot: or endpoint: and a directory or model, or FILE.py:NAME, which runs "
        "that file; repeatable.",
        option="--reader",
    ),
]
Predictions = Annotated[
    tuple[str, ...],
    Setting(
        "Answers of models of yours: a log or a folder of lm-eval, Inspect or Every "
        "Eval Ever, or a table with id and prediction or score; repeatable.",
        option="--predictions",
    ),
]
Tune = Annotated[
    bool,
    Setting(
        "Search the learning rate of encoders on held-out training items, once, with "
        "all fields.",
        panel=RUN,
    ),
]


@dataclass(frozen=True)
class Climb(Settings):
    """How far the ladder of readers is climbed."""

    calibrate: Calibrate = True
    strongest: Strongest = "minilm"
    seeds: Seeds = None


@dataclass(frozen=True)
class Trials(Settings):
    """What is asked besides readers as they are, or that nothing is asked."""

    predictions: Predictions = ()
    tune: Tune = False
    dry_run: bool = setting(
        False,
        "Print the most calls, tokens and USD, and the effect that can be seen; ask "
        "nothing.",
        panel=SERVER,
    )


NO_TRIALS = Trials()


@dataclass(frozen=True)
class Run(Settings):
    """Seed, workers and where things go."""

    panel: ClassVar[str] = RUN

    seed: int = setting(
        0, "The same seed gives the same report.", check="core.bounds:check_seed"
    )
    workers: int | None = setting(
        None,
        "Worker processes. Default: one per core.",
        check="core.bounds:check_workers",
    )
    budget: str = setting(
        "10m",
        "How long one encoder or LLM may compute: 90s, 10m, 2h or none. One that would "
        "take longer is not begun, and is listed as not run.",
        check="experiment.budget:to_seconds",
        env="MEASURAND_BUDGET",
    )
    store: Path | None = setting(
        None,
        "Where answers are kept. Default: the user's cache.",
        env="MEASURAND_STORE",
    )
    out: Path | None = setting(None, "A folder for the report.")
    overwrite: bool = setting(
        False, "Replace what measurand wrote to --out before; anything else is refused."
    )
    json: bool = setting(False, "Print report.json instead of the summary.")
    verbose: bool = setting(False, "Print every figure after the answer.")
    fail_on: tuple[str, ...] = setting(
        (),
        "A verdict, or the tone of an answer ('fix first'), that makes the exit "
        "code 3; repeatable.",
    )
    config: Path | None = setting(None, "A TOML file with these options.")


@dataclass(frozen=True)
class Cluster(Settings):
    """What runs the trials, and what it gives them."""

    panel: ClassVar[str] = RUN

    engine: str = setting(
        "local",
        "What runs the trials: local (processes here) or ray (a cluster).",
        check="experiment:ENGINES.check",
    )
    address: str | None = setting(
        None,
        "A running Ray cluster: auto, HOST:PORT or ray://HOST:PORT. Default: "
        "RAY_ADDRESS, else one of --workers processes is started here.",
    )
    gpu_share: float | None = setting(
        None,
        "The share of a GPU of the cluster that a trial of an encoder or LLM gets. "
        "Default: 0.25.",
        *(0, 1),
    )

    @property
    def terms(self) -> dict[str, object]:
        """The options for a cluster, those that are set."""
        terms = {"address": self.address, "gpu_share": self.gpu_share}
        return {name: value for name, value in terms.items() if value is not None}

    def check_together(self) -> None:
        """Refuse what only a cluster takes, before anything is read."""
        if self.engine == "local" and (names := [*self.terms]):
            raise BadOption(f"`{names[0]}` is for a cluster; give `engine` 'ray' too")


HERE = Cluster()  # processes on this machine


@dataclass(frozen=True)
class Server(Settings):
    """A model behind a server, and what it may cost."""

    panel: ClassVar[str] = SERVER

    url: str | None = setting(
        None,
        "An OpenAI-compatible server, for endpoint:MODEL.",
        env="MEASURAND_ENDPOINT",
    )
    shots: int = setting(0, "Labelled examples per prompt.", 0)
    orders: int | None = setting(
        None,
        "Orders in which an LLM is shown choices that it names by letter. Default: "
        "4 for a local one, 1 for a server, which is paid by the prompt.",
        1,
    )
    price_in: float = setting(0.0, "USD per million tokens sent.")
    price_out: float = setting(0.0, "USD per million tokens received.")
    cap_tokens: int | None = setting(None, "The most tokens to spend.", 1)
    cap_money: float | None = setting(None, "The most USD to spend.")
    key_env: str | None = setting(
        None,
        "The environment variable that holds the server's key. Default: "
        "OPENAI_API_KEY for api.openai.com, MEASURAND_API_KEY for all others.",
    )
    timeout_s: float = setting(
        120.0, "Seconds in which a whole answer must arrive.", option="--timeout"
    )
    retries: int = setting(6, "How often a call is tried again.", 0)
    prompt: Path | None = setting(
        None,
        "A file with the question for endpoint:MODEL, in which {fields} and "
        "{options} stand for the item and its labels, {marks} for their letters.",
    )
    temperature: float = setting(
        0.0,
        "The temperature sent to a server; one that refuses it is asked without.",
        *(0, 2),
    )
