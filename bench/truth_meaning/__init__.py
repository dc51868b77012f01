"""Thirty designs of pairs that only meaning joins: what a claim says, what a text says.

They were written before any reader that joins two texts by meaning was looked at: no
rule, threshold or reader may be tuned on them. In 22 of them claim and evidence alone
are at chance, in four the evidence settles some items only, and in four it is not
needed although the pair looks as if it were. The truth of each follows from its
grammar and from two rules that read the texts, which tests count.
"""

from bench.truth_fresh2.planted import Planted
from bench.truth_meaning import lexis, negation, numbers, order, roles

# What joins claim and evidence, by kind of meaning.
KINDS: dict[str, tuple[Planted, ...]] = {
    "numbers": numbers.DESIGNS,
    "dates and order": order.DESIGNS,
    "negation and quantifiers": negation.DESIGNS,
    "swapped roles": roles.DESIGNS,
    "synonyms, antonyms, hypernyms": lexis.DESIGNS,
}
DESIGNS = tuple(design for designs in KINDS.values() for design in designs)

__all__ = ["DESIGNS", "KINDS"]
