"""Benchmarks: made and published ones by name, others from files or the hub."""

from measurand.benchmarks.published.table import PUBLISHED, TOPICS
from measurand.core.catalogue import Catalogue, Entry

HUB_PREFIX = "hf:"  # how the name of a dataset of the hub begins


def _made(module: str, **rows: tuple[str, str]) -> dict[str, Entry]:
    """The benchmarks that a module makes: name, function and what it is about."""
    return {
        f"synthetic:{name.replace('_', '-')}": Entry(
            f"measurand.benchmarks.{module}:{plant}", about
        )
        for name, (plant, about) in rows.items()
    }


SYNTHETIC = Catalogue(
    "benchmark",
    _made(
        "synthetic",
        nq=("plant_nq", "made questions in the manner of NQ"),
        hotpotqa=("plant_hotpotqa", "made questions of two hops"),
        triviaqa=("plant_triviaqa", "made questions of trivia"),
    ),
)
HARBOUR = "made claims about boats, with a length leak and telling explanations"
INFORMATIVE = "made questions with rationales that inform"
LEAKY = "made questions with rationales that give the label away"
LOAD = "measurand.benchmarks.published.load"
BENCHMARKS = Catalogue(
    "benchmark",
    {
        **_made("synthetic_harbour", harbour=("plant_harbour", HARBOUR)),
        **SYNTHETIC.entries,
        **_made(
            "synthetic_rationales",
            explained=("plant_informative_rationales", INFORMATIVE),
            templated=("plant_leaky_rationales", LEAKY),
        ),
        **_made(
            "synthetic_choices",
            choices=(
                "plant_choices",
                "made choices, of which 30 % give themselves away",
            ),
            closed_book=("plant_closed_book", "made choices that need no passage"),
            reading=("plant_reading", "made choices that only the passage decides"),
        ),
        **{
            name: Entry(
                f"{LOAD}:load_published_benchmark", row.about, settings={"called": name}
            )
            for name, row in PUBLISHED.items()
        },
        **{
            name: Entry(
                f"{LOAD}:load_topic",
                f"{len({*row.classes.values()})} classes ({row.hub.partition('@')[0]})",
                settings={"called": name},
            )
            for name, row in TOPICS.items()
        },
    },
)
