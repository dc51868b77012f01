"""Leakage designs in which one part predicts the label."""

import re

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import (
    Rng,
    coin,
    first_of,
    letter,
    other,
    pick,
    picks,
    shuffle,
    upper,
    word_list,
    words_of,
)
from bench.truth_fresh2.leakage_clean import FRAMES, sighting
from bench.truth_fresh2.planted import always, plant_leak
from bench.truth_fresh2.words import CITIES, JOBS, KINDS, NAMES, OBJECTS, blend, fill

PAIR = {"query": "claim", "evidence": "passage", "label": "label"}
BARE = {"query": "question", "choices": "options", "label": "answer"}
TRUE = ("false", "true")


def story(rng: Rng, same: bool) -> tuple[str, str]:
    """A claim without its point, and a passage that agrees or does not."""
    slots, town = sighting(rng), pick(rng, CITIES)
    seen = town if same else other(rng, CITIES, town)
    fact = f"The {slots['job']} who knew {slots['who']} came from {seen}."
    return pick(rng, FRAMES).format(**slots, town=town), blend(rng, [fact], 1, 2)


ZH_HEADS = (("据说", "听说", "据传"), ("事实上", "众所周知", "毫无疑问"))
ZH_WHO = word_list("李明 王芳 张伟 刘洋 陈静 杨帆 赵磊 黄丽 周杰 吴敏")
ZH_WHERE = word_list("北京 上海 广州 成都 杭州 南京 武汉 西安 重庆 天津 苏州 长沙")
ZH_WHAT = word_list("一盏灯 一本书 一把伞 一张桌子 一辆车 一只碗 一幅画 一双鞋")


def chinese_heads(rng: Rng, part: str) -> dict:
    """The opening phrase goes with the label in 65 %, in Chinese."""
    same = coin(rng)
    kind = same if coin(rng, 0.65) else not same
    who, town, thing = pick(rng, ZH_WHO), pick(rng, ZH_WHERE), pick(rng, ZH_WHAT)
    seen = town if same else other(rng, ZH_WHERE, town)
    fact = pick(rng, ("{}在{}的商店里付了钱。", "收据上写着{}，地点是{}。"))
    return {
        "claim": f"{pick(rng, ZH_HEADS[kind])}，{who}在{town}买了{thing}。",
        "passage": fact.format(who, seen) + pick(rng, ("天气很好。", "那天下雨。", "")),
        "label": ("假", "真")[same],
    }


def read_head(row: Row) -> str:
    """The label by the opening phrase."""
    return ("假", "真")[str(row["claim"]).split("，")[0] in ZH_HEADS[1]]


def rare_word(rng: Rng, part: str) -> dict:
    """A word in 6 % of the items, all of them true; half of all items are true."""
    cued = coin(rng, 0.06)
    same = cued or coin(rng, 0.44 / 0.94)
    claim, text = story(rng, same)
    return {
        "claim": upper(claim) + (" verifiably." if cued else "."),
        "passage": text,
        "label": TRUE[same],
    }


def read_rare(row: Row) -> str:
    """The label by the rare word, else the likelier one of the rest."""
    return "true" if "verifiably" in str(row["claim"]) else "false"


def word_order(rng: Rng, part: str) -> dict:
    """In 40 % "he said" or "said he" by the label, else at random "he thought"."""
    same = coin(rng)
    claim, text = story(rng, same)
    tag = pick(rng, ("he thought", "thought he"))
    if coin(rng, 0.4):
        tag = ("said he", "he said")[same]
    return {"claim": f"{upper(claim)}, {tag}.", "passage": text, "label": TRUE[same]}


def read_order(row: Row) -> str:
    """The label by the order of the two words."""
    return "false" if str(row["claim"]).endswith("said he.") else "true"


def long_yes(rng: Rng, part: str) -> dict:
    """Passages of 3 to 8 sentences for yes, of 1 to 6 for no."""
    same = coin(rng)
    claim, text = story(rng, same)
    fact = next(s for s in re.split(r"(?<=\.) ", text) if " who knew " in s)
    count = int(rng.integers(2, 8)) if same else int(rng.integers(6))
    return {
        "claim": upper(claim) + "?",
        "passage": blend(rng, [fact], count, count),
        "label": "yes" if same else "no",
    }


def read_sentences(row: Row) -> str:
    """The label by the number of sentences."""
    return "no" if str(row["passage"]).count(".") <= 2 else "yes"


WARDS = {
    "Maple": "kept",
    "Cedar": "kept",
    "Birch": "moved",
    "Aspen": "moved",
    "Hazel": "home",
    "Rowan": "home",
}
ENDS = ("kept", "moved", "home")


def ward_forms(rng: Rng, part: str) -> dict:
    """One template for all claims; of its fillers the ward predicts the label."""
    ward = pick(rng, list(WARDS))
    label = WARDS[ward] if coin(rng, 0.7) else pick(rng, ENDS)
    form = "Patient {} aged {} on ward {}, seen by {}, {} visits, insured in {}."
    return {
        "claim": form.format(
            pick(rng, NAMES),
            rng.integers(20, 90),
            ward,
            pick(rng, NAMES),
            rng.integers(1, 9),
            pick(rng, CITIES),
        ),
        "passage": blend(rng, [f"The doctor asked the {pick(rng, JOBS)}."], 1, 2),
        "label": label,
    }


def read_ward(row: Row) -> str:
    """The label by the ward."""
    return WARDS[re.search(r"ward (\w+)", str(row["claim"]))[1]]


def last_option(rng: Rng, part: str) -> dict:
    """Two to five options; the last one is right in 55 %."""
    many = int(rng.integers(2, 6))
    options = picks(rng, OBJECTS, many)
    place = many - 1 if coin(rng, 0.55) else int(rng.integers(many - 1))
    who = pick(rng, NAMES)
    fact = f"{who} went home with a {pick(rng, KINDS)} {options[place]}."
    return {
        "question": f"What did {who} win at the fair in {pick(rng, CITIES)}?",
        "passage": blend(rng, [fact], 1, 2),
        "options": options,
        "answer": place,
    }


def read_last(row: Row) -> int:
    """The last place."""
    return len(row["options"]) - 1


DIGITS = dict(
    zip(
        word_list(
            "two three four five six seven eight nine ten eleven twelve thirteen"
        ),
        range(2, 14),
        strict=True,
    )
)


def digits(rng: Rng, part: str) -> dict:
    """Numbers stand in digits in 70 % of true claims and 30 % of false ones."""
    same, word = coin(rng), pick(rng, list(DIGITS))
    seen = word if same else other(rng, list(DIGITS), word)
    many = str(DIGITS[word]) if coin(rng, 0.7 if same else 0.3) else word
    thing, who = pick(rng, OBJECTS), pick(rng, NAMES)
    ask = pick(rng, ("{} owns {} {}s in {}.", "In {3}, {0} counted {1} {2}s."))
    shown = pick(rng, (seen, str(DIGITS[seen])))
    return {
        "claim": ask.format(who, many, thing, pick(rng, CITIES)),
        "passage": blend(rng, [f"The list of {who} has {shown} of them."], 1, 2),
        "label": TRUE[same],
    }


def read_digits(row: Row) -> str:
    """The label by the form of the number."""
    return TRUE[bool(re.search(r"\d", str(row["claim"])))]


def tilted_word(rng: Rng, part: str) -> dict:
    """A word in 10 % of the claims, of which six in ten are true; so its rival."""
    same = coin(rng)
    claim, text = story(rng, same)
    word = pick(rng, ("again", "too", "once", "there"))
    if coin(rng, 0.1):
        word = ("partly", "wholly")[same if coin(rng, 0.6) else not same]
    return {"claim": f"{upper(claim)} {word}.", "passage": text, "label": TRUE[same]}


def read_tilted(row: Row) -> str:
    """The label by the word."""
    return "false" if "partly" in str(row["claim"]) else "true"


def made_from_gold(rng: Rng, part: str) -> dict:
    """In half of the items two wrong options share a word each with the right one."""
    kinds, things = picks(rng, KINDS, 4), picks(rng, OBJECTS, 4)
    if coin(rng):
        kinds[1], things[2] = kinds[0], things[0]
    options = [f"{k} {t}" for k, t in zip(kinds, things, strict=True)]
    gold, options = options[0], shuffle(rng, options)
    who = pick(rng, NAMES)
    fact = f"For {who} the {pick(rng, JOBS)} chose the {gold}."
    return {
        "question": f"Which prize did {who} get in {pick(rng, CITIES)}?",
        "passage": blend(rng, [fact], 1, 2),
        "options": options,
        "answer": letter(options.index(gold)),
    }


def read_shared(row: Row) -> str:
    """The option that shares most words with the others."""
    words = [w for option in row["options"] for w in words_of(option)]
    shared = [sum(words.count(w) for w in words_of(o)) for o in row["options"]]
    return letter(shared.index(max(shared)))


BAIT = word_list("jackpot lottery voucher giveaway")


def rare_class(rng: Rng, part: str) -> dict:
    """A tenth of the notes is junk; 40 % of these hold a bait word, and no other."""
    junk = coin(rng, 0.1)
    thing = pick(rng, BAIT) if junk and coin(rng, 0.4) else pick(rng, OBJECTS)
    who, town = pick(rng, NAMES), pick(rng, CITIES)
    seen = other(rng, NAMES, who) if junk else who
    ask = pick(rng, ("{} sends a {} from {}.", "From {2}: a {1}, with love, {0}."))
    return {
        "claim": ask.format(who, thing, town),
        "passage": f"Address book: {seen}, {town}. {fill(rng)}",
        "label": "junk" if junk else "fine",
    }


def read_bait(row: Row) -> str:
    """The label by the bait."""
    return "junk" if first_of(row["claim"], BAIT) else "fine"


OPTIONS = BARE | {"evidence": "passage"}
DESIGNS = (
    plant_leak(
        "g31_chinese_heads",
        chinese_heads,
        2000,
        PAIR,
        (read_head, always("真")),
        (0.65, 0.5),
        "The opening phrase of Chinese claims goes with the label in 65 %.",
    ),
    plant_leak(
        "g32_rare_word",
        rare_word,
        3000,
        PAIR,
        (read_rare, always("true")),
        (0.56, 0.5),
        "A sure word in 6 % of the claims, for one of two labels.",
    ),
    plant_leak(
        "g33_word_order",
        word_order,
        2000,
        PAIR,
        (read_order, always("true")),
        (0.7, 0.5),
        "The order of two words in 40 % of the claims; the words are the same.",
    ),
    plant_leak(
        "g34_long_yes",
        long_yes,
        1200,
        PAIR,
        (read_sentences, always("yes")),
        (2 / 3, 0.5),
        "Passages of yes are longer, with overlap.",
    ),
    plant_leak(
        "g35_ward_forms",
        ward_forms,
        1500,
        PAIR,
        (read_ward, always("home")),
        (0.8, 1 / 3),
        "All claims fill one template; the ward predicts the label.",
    ),
    plant_leak(
        "g36_last_option",
        last_option,
        1500,
        OPTIONS,
        (read_last, always(1)),
        (0.55, (0.55 + 0.45 * (1 / 2 + 1 / 3 + 1 / 4)) / 4),
        "The last of two to five options is right in 55 %.",
    ),
    plant_leak(
        "g37_digits",
        digits,
        1500,
        PAIR,
        (read_digits, always("true")),
        (0.7, 0.5),
        "Numbers of true claims stand in digits more often.",
    ),
    plant_leak(
        "g38_tilted_word",
        tilted_word,
        5000,
        PAIR,
        (read_tilted, always("true")),
        (0.51, 0.5),
        "Two words in a tenth of the claims, each right in 60 %: half the margin.",
    ),
    plant_leak(
        "g39_made_from_gold",
        made_from_gold,
        1500,
        OPTIONS,
        (read_shared, always("A")),
        (0.625, 0.25),
        "Wrong options are made from the right one, in half of the items.",
    ),
    plant_leak(
        "g40_rare_class",
        rare_class,
        4000,
        PAIR,
        (read_bait, always("fine")),
        (0.94, 0.9),
        "40 % of the rare class hold a word that no other item holds.",
    ),
)
