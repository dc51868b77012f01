"""The leakage audit: can one part alone give the label away, and where?

The verdict rests on what each part alone predicts of all items together, cross-fitted
by family of texts, in three channels that share one error: light models over permuted
labels, certified cues, and the exact bound of the texts. By the names reports use;
`condition` is the part's name and `reader` the channel:

over_blank, over_blank_bits
    Accuracy of a channel from the part alone, less the same on permuted labels; and
    the bits that it predicts of the label, less the same.
exact_bound
    The accuracy that no model of the part's texts can exceed: the sum over texts of
    the count of the commonest label, over all items.
recovery
    Accuracy that a planted control adds, where one decides: `dense`, often wrong in
    half of the items, or `sparse`, always right in a few.

Beside it stands the published protocol, train to test, after "PECO: Examining Single
Sentence Label Leakage in NLI Datasets" (Saxon et al. 2023). A reader learns from all
fields (the pair), and anew from each field alone; `condition` is the field's name, or
`full`:

accuracy, single_accuracy, majority
    How right a reader is with all fields, with one, and without any.
over_majority
    single_accuracy - majority (the paper's Δmaj).
recovered, recovered_over_chance, recovered_reference
    single_accuracy over accuracy (%R); the same with the majority taken from both; and
    single_accuracy over the best published model (%R_S).
saturation
    (accuracy - majority) / (1 - majority): how far all fields bring a reader, and the
    best published model where its accuracy was given; a good benchmark has room left.
v_information
    The mean of log2 p(label | read) - log2 p(label): usable bits.
bits
    Where the fields are a query and its evidence, what only the query tells, only the
    evidence, either, and only both together: the account of the evidence audit.
nba, nbr_agree, nbr_pair, kappa, only_single_right
    How often the pair reader and the single one agree; both right over agreeing (Eq.
    8); both right over pair-right (the released code); Cohen's kappa; the share of
    items that only the single part gets right.
tra_full, tra_within, tra_mass
    Cosine of the two readers' token relevance over the whole input (Eq. 10), over the
    part alone, and the share of the pair reader's relevance that falls on the part.
peco, peco_raw, peco_p
    100 sum_c (n_c / N) (s_c - e_c) over clusters of the part as the pair reader embeds
    it, with s_c the squared distance of label shares and e_c its expectation under
    permutation; the same without e_c; the permutation p. Never clipped.
peco_released_l2, peco_released_kld, peco_paper
    The scores of the released code and of Eq. 11 and 12.
homophily
    Label agreement among nearest neighbours beyond its permutation null: no k-means.
repair_over_majority, repair_bits, repair_pair_accuracy
    What is left after items that leak were taken out, or as many at random.

choices_only, chance
    Of items with choices: how right a reader is from the choices alone, in the place of
    single_accuracy; and the mean of one over the number of choices, in that of the
    majority. Also where "none of these" stands in the place of the right choice.
question_inferred
    How much more like the question that a language model writes from the choices alone
    is to the right one than to those of other items, in F1 of words (check_inference).
same_answer
    How often it gives the same answer with the choices and that question, or that of
    another item, as with the choices alone. With it, accuracy says how right that is.
duplicates
    The share of items that stand twice, have a choice twice, or the right one twice.

Departures from the paper: a score that is 0 without leakage, error control for
clusters and words, and no verdict of "none found" without a bound.
"""

from measurand.audits.leakage.audit import ask_readers, audit
from measurand.audits.leakage.comparison import COMPARISON
from measurand.audits.leakage.conclude import LABELS
from measurand.audits.leakage.settings import LeakageSettings
from measurand.core.audit import Audit

AUDIT = Audit(
    name="leakage",
    question="can one part alone give the label away, and where?",
    labels=LABELS,
    readers=("tfidf",),
    settings=LeakageSettings,
    run=audit,
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
