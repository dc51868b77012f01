"""Benchmarks: made and published ones by name, others from files or the hub."""

from measurand.benchmarks.published.table import PUBLISHED, TOPICS
from measurand.core.catalogue import Catalogue, Entry

SYNTHETIC = Catalogue(
    "benchmark",
    {
        "synthetic:nq": Entry(
            "measurand.benchmarks.synthetic:plant_nq",
            "made questions in the manner of NQ",
        ),
        "synthetic:hotpotqa": Entry(
            "measurand.benchmarks.synthetic:plant_hotpotqa",
            "made questions of two hops",
        ),
        "synthetic:triviaqa": Entry(
            "measurand.benchmarks.synthetic:plant_triviaqa", "made questions of trivia"
        ),
    },
)
EXPLAINED = Catalogue(
    "benchmark",
    {
        "synthetic:explained": Entry(
            "measurand.benchmarks.synthetic_rationales:plant_informative_rationales",
            "made questions with rationales that inform",
        ),
        "synthetic:templated": Entry(
            "measurand.benchmarks.synthetic_rationales:plant_leaky_rationales",
            "made questions with rationales that give the label away",
        ),
    },
)
CHOSEN = Catalogue(
    "benchmark",
    {
        "synthetic:choices": Entry(
            "measurand.benchmarks.synthetic_choices:plant_choices",
            "made choices, of which 30 % give themselves away",
        ),
        "synthetic:closed-book": Entry(
            "measurand.benchmarks.synthetic_choices:plant_closed_book",
            "made choices that need no passage",
        ),
        "synthetic:reading": Entry(
            "measurand.benchmarks.synthetic_choices:plant_reading",
            "made choices that only the passage decides",
        ),
    },
)
HARBOUR = Catalogue(
    "benchmark",
    {
        "synthetic:harbour": Entry(
            "measurand.benchmarks.synthetic_harbour:plant_harbour",
            "made claims about boats, with a length leak and telling explanations",
        )
    },
)
BENCHMARKS = Catalogue(
    "benchmark",
    {
        **HARBOUR.entries,
        **SYNTHETIC.entries,
        **EXPLAINED.entries,
        **CHOSEN.entries,
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
