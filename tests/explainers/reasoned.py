"""Items with a query, evidence of several sentences, a label and a rationale."""

import pandas as pd

from measurand.core.items import Items

LABELS = ("SUPPORTS", "REFUTES")


def reasoned_items(n: int = 40) -> Items:
    """Two items share each evidence, one a label."""
    table = pd.DataFrame(
        {
            "claim": [f"The river R{i // 2} is {1 + i % 2} miles" for i in range(n)],
            "evidence": [
                f"River R{i // 2} flows. It is found near Town{i // 2} in Spain. "
                f"Nobody swims in pond{i // 2}."
                for i in range(n)
            ],
            "label": [LABELS[i % 2] for i in range(n)],
            "why": [f"river R{i // 2} is not {2 - i % 2} miles" for i in range(n)],
        },
        index=[f"id-{i}" for i in range(n)],
    )
    return Items(table, ("claim", "evidence"))
