"""What an evidence audit of so many items could see, before it is paid for."""

from measurand.stats.decisions import detectable_effect, items_to_equate, round_up

DISCORDANCE = 0.1  # share of answers that the wrong evidence changes, if small


def describe_power(items: int, margin: float) -> str:
    """The smallest loss that so many items can see, and how many show a near zero.

    >>> describe_power(240, 0.02)
    '240 test items can see a loss of 0.057 and about 2,200 could show a near zero, if \
the wrong evidence changes one answer in ten'
    """
    effect = detectable_effect(items, DISCORDANCE)
    needed = round_up(items_to_equate(margin, DISCORDANCE))
    return (
        f"{items:,} test items can see a loss of {effect:.3f} and about {needed:,} "
        "could show a near zero, if the wrong evidence changes one answer in ten"
    )
