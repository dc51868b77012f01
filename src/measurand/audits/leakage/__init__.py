"""The leakage audit: can one part alone give the label away, and where?

After "PECO: Examining Single Sentence Label Leakage in NLI Datasets" (Saxon et al.
2023). A reader learns from all fields (the pair), and anew from each field alone. The
statistics, by the names reports use; `condition` is the field's name, or `full`:

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
control_accuracy, control_over_majority, control_peco
    The same reader on lengths, overlap, shuffled words or masked word classes: of all
    fields, and of each part that leaks, alone; and PECO of that part, so changed.
repair_over_majority, repair_bits, repair_pair_accuracy
    What is left after items that leak were taken out, or as many at random.

choices_only, chance
    Of items with choices: how right a reader is from the choices alone, in the place of
    single_accuracy; and the mean of one over the number of choices, in that of the
    majority. Also of each subject, and where "none of these" stands in the place of the
    right choice.
position
    How often the position is right that is commonest in training among as many choices.
one_place
    How often the place is right that is commonest in test items, where it is another in
    training items that were given.
longest, shortest, most_alike, odd_one_out, question_overlap
    How often the choice is right that a rule without a reader points at; ties shared.
not_longest, not_shortest, not_most_alike, not_odd_one_out
    How often any of the others is right, where a rule strikes one choice out.
question_inferred
    How much more like the question that a language model writes from the choices alone
    is to the right one than to those of other items, in F1 of words (check_inference).
same_answer
    How often it gives the same answer with the choices and that question, or that of
    another item, as with the choices alone. With it, accuracy says how right that is.
duplicates
    The share of items that stand twice, have a choice twice, or the right one twice.

recovery
    Accuracy gained from one part on test items spiked with a code word for the label
    in it, over the room that was left, by dose.
detection_limit
    The least dose that over_majority would tell from zero with 80 % power.
blank
    over_majority of each part where training labels were dealt anew.

A part leaks by over_majority or by v_information; "none found" needs both within their
margins, and PECO, clusters and words no more than chance.

Departures from the paper: a score that is 0 without leakage, error control for
clusters and words, and no verdict of "none" without an equivalence test.
"""

from measurand.audits.leakage.audit import audit
from measurand.audits.leakage.comparison import COMPARISON
from measurand.audits.leakage.settings import LeakageSettings
from measurand.audits.leakage.verdict import LABELS
from measurand.core.audit import Audit

AUDIT = Audit(
    name="leakage",
    question="can one part alone give the label away, and where?",
    labels=LABELS,
    readers=("tfidf",),
    settings=LeakageSettings,
    run=audit,
    comparison=COMPARISON,
    # One map is enough to see what it looks like.
    demo={
        "synthetic:nq": {"tsne": True},
        "synthetic:hotpotqa": {"tsne": False},
        "synthetic:triviaqa": {"tsne": False},
        "synthetic:choices": {"controls": "none"},
    },
)

__all__ = ["AUDIT", "LeakageSettings", "audit"]
