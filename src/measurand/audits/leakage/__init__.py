"""The leakage audit: can one part alone give the label away, and where?

The verdict rests on what each part alone predicts of all items together, cross-fitted
by family of texts, in three channels that share one error: light models over permuted
labels, certified cues, and the exact bound of the texts. `condition` is the part's name
and `reader` the channel:

over_blank, over_blank_bits, exact_bound, recovery

Next to it stands the published protocol, train to test, after "PECO: Examining Single
Sentence Label Leakage in NLI Datasets" (Saxon et al. 2023). A reader learns from all
fields (the pair), and again from each field alone; `condition` is the field's name, or
`full`. `docs/leakage.md` defines all statistics, by the names in reports:

accuracy, single_accuracy, majority, over_majority, choices_only, chance
recovered, recovered_over_chance, recovered_reference, saturation
v_information, bits, nba, nbr_agree, nbr_pair, kappa, only_single_right
tra_full, tra_within, tra_mass, homophily
peco, peco_raw, peco_p, peco_released_l2, peco_released_kld, peco_paper
repair_over_majority, repair_bits, repair_pair_accuracy
question_inferred, same_answer, duplicates

Departures from the paper: a score that is 0 without leakage, error control for
clusters and words, and no verdict of "none found" without a bound.
"""

from measurand.audits.leakage.audit import ask_readers, audit
from measurand.audits.leakage.comparison import COMPARISON
from measurand.audits.leakage.conclude import LABELS
from measurand.core.audit import Audit
from measurand.settings.leakage import LeakageSettings

AUDIT = Audit(
    name="leakage",
    question="can one part alone give the label away, and where?",
    labels=LABELS,
    readers=LeakageSettings.readers,
    settings=LeakageSettings,
    run=audit,
    logged=True,
    comparison=COMPARISON,
    ask=ask_readers,
    # One map is enough to see what it looks like.
    demo={
        "synthetic:nq": {"tsne": True},
        "synthetic:hotpotqa": {"tsne": False},
        "synthetic:triviaqa": {"tsne": False},
        "synthetic:choices": {},
    },
)

__all__ = ["AUDIT", "LeakageSettings", "audit"]
