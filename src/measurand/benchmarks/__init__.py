"""Benchmarks: made and published ones by name, others from files or the hub."""

from measurand.benchmarks.published.table import PUBLISHED, TOPICS
from measurand.core.catalogue import Catalogue, Entry


def _made(where: str, about: str) -> Entry:
    """A benchmark that is made here."""
    return Entry(f"measurand.benchmarks.{where}", about)


SYNTHETIC = Catalogue(
    "benchmark",
    {
        "synthetic:nq": _made(
            "synthetic:plant_nq", "made questions in the manner of NQ"
        ),
        "synthetic:hotpotqa": _made(
            "synthetic:plant_hotpotqa", "made questions of two hops"
        ),
        "synthetic:triviaqa": _made(
            "synthetic:plant_triviaqa", "made questions of trivia"
        ),
    },
)
BENCHMARKS = Catalogue(
    "benchmark",
    {
        "synthetic:harbour": _made(
            "synthetic_harbour:plant_harbour",
            "made claims about boats, with a length leak and telling explanations",
        ),
        **SYNTHETIC.entries,
        "synthetic:explained": _made(
            "synthetic_rationales:plant_informative_rationales",
            "made questions with rationales that inform",
        ),
        "synthetic:templated": _made(
            "synthetic_rationales:plant_leaky_rationales",
            "made questions with rationales that give the label away",
        ),
        "synthetic:choices": _made(
            "synthetic_choices:plant_choices",
            "made choices, of which 30 % give themselves away",
        ),
        "synthetic:closed-book": _made(
            "synthetic_choices:plant_closed_book", "made choices that need no passage"
        ),
        "synthetic:reading": _made(
            "synthetic_choices:plant_reading",
            "made choices that only the passage decides",
        ),
        **{
            name: Entry(
                "measurand.benchmarks.published.load:load_published_benchmark",
                row.about,
                settings={"called": name},
            )
            for name, row in PUBLISHED.items()
        },
        **{
            name: Entry(
                "measurand.benchmarks.published.load:load_topic",
                f"{len({*row.classes.values()})} classes ({row.hub.partition('@')[0]})",
                settings={"called": name},
            )
            for name, row in TOPICS.items()
        },
    },
)
