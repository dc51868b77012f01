"""Every example of the pages runs."""

import json

import pytest

import docs
from tests.docs.conftest import blocks, run

EXAMPLES = [found for page in docs.PAGES for found in blocks(page, "python")]


@pytest.mark.parametrize(
    ("where", "code"), EXAMPLES, ids=[where for where, _ in EXAMPLES]
)
def test_the_example_runs(where, code, desk):
    run(where, code)


def test_the_fields_of_a_report_are_the_documented_ones(desk):
    import pandas as pd

    import measurand as ms
    from measurand.report.saved import document

    rows = pd.DataFrame(
        {
            "claim": [f"Boat {i}." for i in range(90)],
            "evidence": [
                f"It was {'red' if i % 2 else 'blue'} on day {i}." for i in range(90)
            ],
            "label": ["true" if i % 2 else "false" for i in range(90)],
            "harbour": [("north", "south", "west")[i % 3] for i in range(90)],
        }
    )
    boats = ms.load(rows, name="boats", metadata=["harbour"])
    report = ms.evidence(boats, calibrate=False)
    page = (docs.ROOT / "docs" / "evidence.md").read_text("utf-8")
    stated = json.loads(json.dumps(document(report)))
    for name in fields(stated):
        assert f"`{name}`" in page, f"report.json has {name}"
    for exhibit in stated["exhibits"]:
        assert f"| `{exhibit['name']}` | `{exhibit['kind']}` |" in page


def fields(stated):
    """The names under which the page describes the document."""
    for name, value in stated.items():
        if name in ("benchmark", "verdict", "settings"):
            yield from (f"{name}.{part}" for part in value)
        elif name in ("findings", "exhibits"):
            yield from (f"{name}[].{part}" for part in value[0])
        else:
            yield name
