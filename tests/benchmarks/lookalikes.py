"""Files in the formats of published benchmarks, with invented rows."""

import csv
import json

NLI = ("entailment", "neutral", "contradiction")
CLAIMS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def lines(path, rows):
    """Write rows as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")


def separated(path, rows, separator="\t", quoted=True):
    """Write rows as separated values, in quotes where need be, or never."""
    path.parent.mkdir(parents=True, exist_ok=True)
    how = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    with path.open("w", encoding="utf-8", newline="") as file:
        form = {"delimiter": separator, "quoting": how}
        writer = csv.DictWriter(
            file, list(rows[0]), quotechar='"' if quoted else None, **form
        )
        writer.writeheader()
        writer.writerows(rows)


def invented(
    n, side, labels=NLI, columns=("sentence1", "sentence2", "gold_label"), **more
):
    """`n` rows that name their side, under the columns of evidence, query and label."""
    evidence, query, label = columns
    return [
        {
            evidence: f"{side} ground {i}.",
            query: f"{side} saying {i}",
            label: labels[i % len(labels)],
            **more,
        }
        for i in range(n)
    ]


def sizes(made):
    return len(made.train), len(made.test)


def first(made):
    """Query, evidence and label of the first test item."""
    return tuple(
        made.test.column(c).iloc[0] for c in (made.query, made.evidence, "label")
    )


def simple(n, **more):
    """`n` pairs in the simple layout."""
    return invented(n, "s", NLI, ("premise", "hypothesis", "label"), **more)
