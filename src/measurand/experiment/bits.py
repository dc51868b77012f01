"""One account in bits, as every audit of query and evidence states it.

What an audit gives is what its reader tells of each item's label from the query alone,
from the evidence alone and from both; so two audits of one file cannot disagree.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from measurand.core.arrays import Clusters, Floats
from measurand.core.finding import Exhibit, Finding
from measurand.stats.information import SHARES, account_bits

BITS = "bits"


def bits_findings(
    name: str,
    query: Floats,
    evidence: Floats,
    both: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters,
) -> list[Finding]:
    """What only the query tells, only the evidence, either, or both together.

    Args:
        name: The reader's name.
        query: What the query alone tells of each item's label, in bits (PVI).
        evidence: What the evidence alone tells.
        both: What both tell.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.
    """
    account = account_bits(query, evidence, both, rng=rng, clusters=clusters)
    return [Finding(BITS, name, part, bits) for part, bits in account.items()]


def bits_exhibits(findings: Sequence[Finding]) -> list[Exhibit]:
    """What each part tells of the label; the four bars of a reader add up to both."""
    rows = [
        {
            "group": finding.reader,
            "bar": finding.condition,
            "value": finding.estimate.value,
            "low": finding.estimate.low,
            "high": finding.estimate.high,
        }
        for finding in findings
        if finding.statistic == BITS and finding.condition in SHARES
    ]
    caption = (
        "Bits about the label: what only the query tells, only the evidence, either, "
        "and only both together"
    )
    exhibit = Exhibit(BITS, "bars", pd.DataFrame(rows), caption, {"x_title": "bits"})
    return [exhibit] if rows else []
