"""Designs as authors of data sets make them: honest ones, and flawed ones."""

import re
from collections.abc import Sequence
from functools import partial
from operator import itemgetter

import pandas as pd

from bench.truth_fresh.design import (
    Design,
    Row,
    independent_rows,
    label_leak,
    label_need,
    oracle,
)
from bench.truth_fresh.grammar import (
    ADJECTIVES,
    PEOPLE,
    THINGS,
    TIMES,
    TOWNS,
    WORKPLACES,
    Rng,
    coin,
    first_of,
    other,
    passage,
    phrase_list,
    pick,
    picks,
    shuffle,
    word_list,
)

VERDICTS = ("refuted", "supported")
AFFIRMED = phrase_list(
    "managed to|agreed to|was able to|remembered to|offered to|tried to|will|did|"
    "was going to|decided to|was asked to|hoped to|was seen to|came to"
)
NEGATED = phrase_list(
    "did not|didn't|failed to|refused to|has yet to|was unable to|could not|couldn't|"
    "forgot to|declined to|neglected to|will not|won't|never came to"
)
ACTS = word_list("mend sell paint clean borrow return collect unpack lend inspect")


def sees(row: Row, column: str, signs: Sequence[str], labels: Sequence[str]) -> str:
    """The second of two labels where the column holds one of the signs."""
    return labels[any(sign in str(row[column]) for sign in signs)]


def pair_row(claim: str, text: str, true: bool, labels=VERDICTS, **more) -> dict:
    """A claim, its passage and the first or second label."""
    return {"claim": claim, "passage": text, "label": labels[true], **more}


def fact_check(rng: Rng, part: str) -> dict:
    """45 % of refuted claims are negated in one of 14 ways, 15 % of supported ones."""
    who, thing, town = pick(rng, PEOPLE), pick(rng, THINGS), pick(rng, TOWNS)
    act, true = pick(rng, ACTS), coin(rng)
    negated = coin(rng, 0.15 if true else 0.45)
    seen = town if true != negated else other(rng, TOWNS, town)
    how = pick(rng, NEGATED if negated else AFFIRMED)
    fact = f"{pick(rng, TIMES)}, {who} came to {seen} to {act} a {thing}."
    claim = f"{who} {how} {act} the {thing} in {town}."
    return pair_row(claim, passage(rng, [fact], 1, 2), true)


SIGNATURES = phrase_list("So|Well|OK|Here|Right|Now|Look|Clearly")
FILLED, HABITS = ("then", "later", "there", "again"), ("really", "simply")


def crowd_habit(rng: Rng, part: str) -> dict:
    """Half of the annotators mark true pairs by a word, the others false ones."""
    who, thing, town = pick(rng, PEOPLE), pick(rng, THINGS), pick(rng, TOWNS)
    annotator, true = int(rng.integers(len(SIGNATURES))), coin(rng)
    usual = true == annotator % 2
    word = pick(rng, HABITS if coin(rng, 0.65 if usual else 0.05) else FILLED)
    seen = town if true else other(rng, TOWNS, town)
    claim = f"{SIGNATURES[annotator]}, {who} {word} left a {thing} in {town}"
    text = f"{pick(rng, TIMES)}, the {thing} turned up in {seen}."
    return pair_row(claim, text, true, annotator=f"w{annotator}")


def read_habit(row: Row) -> str:
    """The label by the opening of the annotator and the word of habit."""
    side = SIGNATURES.index(str(row["claim"]).split(",")[0]) % 2
    return VERDICTS[bool(first_of(row["claim"], HABITS)) == side]


def choice_row(rng: Rng, first: str, options: Sequence[str]) -> dict:
    """A question of which the passage names the right one of the options."""
    who, order = pick(rng, PEOPLE), shuffle(rng, options)
    return {
        "question": f"{pick(rng, TIMES)}, what did {who} see?",
        "passage": passage(rng, [f"{who} saw {first}."], 1, 2),
        "options": order,
        "answer": order.index(first),
    }


def slot_majority(rng: Rng, part: str) -> dict:
    """Wrong options change one slot of the right one, and one changes them all."""
    a, b, c = picks(rng, ADJECTIVES, 2), picks(rng, THINGS, 2), picks(rng, TOWNS, 2)
    made = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))
    options = [f"a {a[i]} {b[j]} from {c[k]}" for i, j, k in made]
    return choice_row(rng, options[0], options)


def read_majority(row: Row) -> int:
    """The option whose words are in most options."""
    bags = [set(text.split()) for text in row["options"]]
    counts = [sum(word in bag for word in each for bag in bags) for each in bags]
    return counts.index(max(counts))


def mirrored(rng: Rng, part: str) -> dict:
    """Four options of two slots, each value in two of them."""
    a, b = picks(rng, ADJECTIVES, 2), picks(rng, THINGS, 2)
    options = [f"a {x} {y}" for x in a for y in b]
    return choice_row(rng, pick(rng, options), options)


FACTS = phrase_list(
    "{0} opened the {1}|The {1} was opened by {0}|{0} founded the {1}|"
    "It was {0} who started the {1}|The {1} goes back to {0}|{0} set up the {1}"
)


def counterfactuals(rng: Rng, pairs: int) -> pd.DataFrame:
    """Paraphrases on 12 subjects; each claim with two passages and both labels."""
    rows = []
    for _ in range(pairs):
        shop, (who, rival) = pick(rng, WORKPLACES[:12]), picks(rng, PEOPLE, 2)
        claim, told = pick(rng, FACTS).format(who, shop) + ".", pick(rng, FACTS)
        for person, label in ((who, True), (rival, False)):
            fact = f"{pick(rng, TIMES)}: {told.format(person, shop)}."
            text = passage(rng, [fact], 1, 2)
            rows.append(pair_row(claim, text, label, split=""))
    return pd.DataFrame(rows)


HINTS = (
    word_list("barely hardly scarcely allegedly perhaps maybe once rarely seldom just"),
    word_list("surely truly plainly certainly duly always often indeed fully gladly"),
)


def filtered(rng: Rng, part: str) -> dict:
    """An adverb agreed with 65 % of labels; 70 % of what it gave away was dropped."""
    while True:
        true, agrees = coin(rng), coin(rng, 0.65)
        if not agrees or coin(rng, 0.3):
            break
    adverb = pick(rng, HINTS[true == agrees])
    thing, town = pick(rng, THINGS), pick(rng, TOWNS)
    seen = town if true else other(rng, TOWNS, town)
    claim = f"{pick(rng, PEOPLE)} {adverb} took the {thing} to {town}."
    fact = f"The {thing} is now in {seen}."
    return pair_row(claim, passage(rng, [fact], 1, 2), true)


def url_ruling(rng: Rng, part: str) -> dict:
    """The evidence is an address; in 40 % a letter of its path is the ruling."""
    true, year = coin(rng), rng.integers(2009, 2025)
    place = "ft"[true] if coin(rng, 0.4) else "c"
    page = f"{year}/{place}/{rng.integers(10_000, 99_999)}"
    claim = f"{pick(rng, PEOPLE)} has a {pick(rng, THINGS)} in {pick(rng, TOWNS)}"
    return pair_row(claim, f"https://checks.example/{page}", true)


AR_NAMES = word_list("كريم سليم حسين نبيل جميل رشيد سعيد حميد نسيم وليد فريد سمير")
AR_TOWNS = word_list("دمشق بيروت تونس مسقط صنعاء طنجة عمان بغداد حلب فاس")
AR_THINGS = word_list("كتاب قميص مصباح مفتاح صندوق كرسي سجاد قلم حقيبة سيف")
AR_VERBS = word_list("باع نسي وجد ترك حمل فقد")
TATWEEL = "\u0640"


def arabic(rng: Rng, part: str) -> dict:
    """A word is drawn out in 40 % of refuted claims and 5 % of supported ones."""
    true, town = coin(rng), pick(rng, AR_TOWNS)
    who, thing, verb = pick(rng, AR_NAMES), pick(rng, AR_THINGS), pick(rng, AR_VERBS)
    seen = town if true else other(rng, AR_TOWNS, town)
    drawn = coin(rng, 0.05 if true else 0.4) * int(rng.integers(1, 6)) * TATWEEL
    place = int(rng.integers(1, len(who)))
    shown = who[:place] + drawn + who[place:]
    text = f"كان {who} يعيش في {seen} ومعه {thing}"
    return pair_row(f"{verb} {shown} {thing} في {town}", text, true)


HANDS, TONES = ("👏🙏👌", "👍💪👋"), ("", *"🏻🏼🏽🏾🏿")
IRONY = ("sarcastic", "sincere")
POSTS = ("My {} came from {}", "Finally got a {} in {}", "Another {} for all of {}")


def emoji(rng: Rng, part: str) -> dict:
    """The hand on the last word, in any tone, agrees with 70 % of labels."""
    true, thing, town = coin(rng), pick(rng, THINGS), pick(rng, TOWNS)
    hand = pick(rng, HANDS[true if coin(rng, 0.7) else not true]) + pick(rng, TONES)
    moods = shuffle(rng, ["a joy", "a pain"])
    post = f"{pick(rng, POSTS).format(thing, town)}, {moods[0]}{hand}"
    fact = f"{pick(rng, PEOPLE)} calls the {thing} {moods[not true]}."
    return pair_row(post, passage(rng, [fact], 1, 2), true, IRONY)


STYLES = ("{}", "{} lol", "{}...", "ok {}", "{} !!", "hm, {}", "{} :)", "well {}")


def speakers(rng: Rng, part: str) -> dict:
    """40 speakers, each with a style; whether both turns name one thing decides."""
    speaker, same, thing = int(rng.integers(40)), coin(rng), pick(rng, THINGS)
    style = STYLES[speaker % 8]
    said = thing if same else other(rng, THINGS, thing)
    turn = f"i have the {said} in {pick(rng, TOWNS)}"
    ask = f"{pick(rng, PEOPLE)}: who took the {pick(rng, ADJECTIVES)} {thing}?"
    turn = f"{PEOPLE[speaker]}: {style.format(turn)}"
    text = f"{ask}\n{pick(rng, PEOPLE)}: {passage(rng, [], 1, 1)}"
    return pair_row(turn, text, same, ("evades", "answers"), speaker=PEOPLE[speaker])


PRAISE = word_list("lovely solid handy superb clever quiet")
BLAME = word_list("flimsy loud ugly useless crooked sticky")


def stars(rng: Rng, part: str) -> dict:
    """The stars of the review's title decide; its text says the same."""
    count = pick(rng, (1, 2, 4, 5))
    words = picks(rng, PRAISE if count > 3 else BLAME, 2)
    title = f"A {pick(rng, ADJECTIVES)} {pick(rng, THINGS)} from {pick(rng, TOWNS)}"
    title += f" {'★' * count}{'☆' * (5 - count)}"
    text = passage(rng, [f"It is {words[0]} and {words[1]}."], 1, 2)
    return pair_row(title, text, count > 3, ("unhappy", "content"))


def read_stars(row: Row) -> str:
    """The label by the number of stars."""
    return "content" if str(row["claim"]).count("★") > 3 else "unhappy"


def minimal_pairs(rng: Rng, pairs: int) -> pd.DataFrame:
    """Each passage with two claims that differ in a word; 30 % of labels flipped."""
    rows = []
    for _ in range(pairs):
        who, towns = pick(rng, PEOPLE), picks(rng, TOWNS, 2)
        trade, thing = pick(rng, ADJECTIVES), pick(rng, THINGS)
        text = passage(rng, [f"In {towns[0]}, {who} met a {trade} man."], 1, 2)
        for town in towns:
            claim, label = f"{who} was in {town} for the {thing}.", town == towns[0]
            rows.append(pair_row(claim, text, label ^ coin(rng, 0.3), split=""))
    return pd.DataFrame(shuffle(rng, rows))


def agree(row: Row, known: Sequence[str]) -> str:
    """The label by whether both texts name the same one of some words."""
    return VERDICTS[any(w in row["claim"] and w in row["passage"] for w in known)]


def two_sentences(rng: Rng, part: str) -> dict:
    """A name in one sentence and the thing in the next, for two people."""
    (who, rival), things, true = picks(rng, PEOPLE, 2), picks(rng, THINGS, 2), coin(rng)
    told = []
    for person, thing in zip((who, rival), things, strict=True):
        start = f"{pick(rng, TIMES)}, {person} came to {pick(rng, TOWNS)}."
        told.append(f"{start} Nobody else had a {thing}.")
    text = " ".join(shuffle(rng, told))
    return pair_row(f"{who} had a {things[not true]}.", text, true)


def read_next(row: Row) -> str:
    """The label by the thing that is named next after the person."""
    who = first_of(row["claim"], PEOPLE)
    after = str(row["passage"]).split(f" {who} ", 1)[1]
    return VERDICTS[first_of(after, THINGS) == first_of(row["claim"], THINGS)]


def html_cell(rng: Rng, part: str) -> dict:
    """The one number of a cell against the claim's, among numbers of the markup."""
    thing, town, limit = pick(rng, THINGS), pick(rng, TOWNS), rng.integers(200, 2_000)
    true = coin(rng)
    count = limit + (1 if true else -1) * rng.integers(10, 150)
    width, span = pick(rng, (320, 480, 640)), pick(rng, (1, 2, 3))
    cell = f'<td colspan="{span}" class="c{rng.integers(1, 9)}"><b>{count}</b></td>'
    row = f"<tr><td>{town}</td><td>{thing}</td>{cell}</tr>"
    claim = f"{town} counted more than {limit} of the {thing} kind."
    return pair_row(claim, f'<table width="{width}">{row}</table>', true)


def exceeds(row: Row, form: str, labels: Sequence[str] = VERDICTS) -> str:
    """The label by whether a number of the passage exceeds the claim's last one."""
    number = int(re.search(form, str(row["passage"]))[1])
    return labels[number > int(re.findall(r"\d+", str(row["claim"]))[-1])]


JA_NAMES = word_list("健太 花子 美咲 大輔 直樹 由美 翔太 和子 千尋 拓也 恵 誠")
JA_TOWNS = word_list("京都 奈良 札幌 神戸 仙台 金沢 広島 長崎 松山 高知 青森 富山")
JA_THINGS = word_list("傘 時計 帽子 茶碗 自転車 辞書 鞄 人形 花瓶 靴 眼鏡 絵筆")
JA_CLAIMS = (
    "{0}は{1}で{2}を買った。",
    "{2}を{0}は{1}で買った。",
    "{1}で{0}は{2}を買った。",
)
JA_FILL = ("その日は雨だった。", "店は混んでいた。", "昼過ぎのことだ。", "皆が驚いた。")


def japanese(rng: Rng, part: str) -> dict:
    """No spaces; the claim's town is the one of the passage or another."""
    who, town, thing = pick(rng, JA_NAMES), pick(rng, JA_TOWNS), pick(rng, JA_THINGS)
    true = coin(rng)
    seen = town if true else other(rng, JA_TOWNS, town)
    fact = f"{who}が{thing}を見つけたのは{seen}の店だった。"
    text = "".join(shuffle(rng, [fact, *picks(rng, JA_FILL, 2)]))
    return pair_row(pick(rng, JA_CLAIMS).format(who, town, thing), text, true)


MONTHS = word_list("January March April May June July August October November")


def dates(rng: Rng, part: str) -> dict:
    """Before or after a date; the year decides, and days and months tell nothing."""
    year, true = rng.integers(1850, 2010), coin(rng)
    seen = year + (-1 if true else 1) * rng.integers(1, 12)
    days = [f"{rng.integers(1, 29)} {pick(rng, MONTHS)}" for _ in range(2)]
    shop, town = pick(rng, WORKPLACES), pick(rng, TOWNS)
    fact = f"The {shop} of {town} opened on {days[1]} {seen}."
    claim = f"The {shop} in {town} opened before {days[0]} {year}."
    return pair_row(claim, passage(rng, [fact], 1, 2), true)


ASKS = (
    phrase_list("Do you mind if I|Would it bother you if I|Do you object if I"),
    phrase_list("Would you like it if I|Would it help if I|Do you agree that I"),
)
REPLIES = (
    phrase_list("No, thanks for asking|Not at all|No, really|Nope|No way"),
    phrase_list("Yes, of course|Yes, very much|Yeah, a bit|Yes, it would|Sure"),
)


def replies(rng: Rng, part: str) -> dict:
    """A yes means consent or not, by the form of the question that it answers."""
    helps, yes = int(rng.integers(2)), int(rng.integers(2))
    ask = f"{pick(rng, ASKS[helps])} {pick(rng, ACTS)} the {pick(rng, THINGS)}?"
    reply = f"{pick(rng, REPLIES[yes])}, {pick(rng, PEOPLE)}."
    turns = f"{passage(rng, [], 1, 1)} {ask}"
    return pair_row(reply, turns, helps == yes, ("refuses", "consents"))


def read_replies(row: Row) -> str:
    """The label by the form of the question and of the reply."""
    helps = any(ask in str(row["passage"]) for ask in ASKS[1])
    yes = any(str(row["claim"]).startswith(reply) for reply in REPLIES[1])
    return "consents" if helps == yes else "refuses"


PRESUMES = (
    phrase_list("ever|yet|at all|any more|so much as once|in the least|even slightly"),
    phrase_list("still|once again|as usual|already|finally|as before|for good"),
)


def presumed(rng: Rng, part: str) -> dict:
    """The question presumes its answer, and the passage gives the same one."""
    yes, who, thing = coin(rng), pick(rng, PEOPLE), pick(rng, THINGS)
    act, when = pick(rng, ACTS), pick(rng, PRESUMES[yes])
    how = pick(rng, AFFIRMED if yes else NEGATED)
    question = f"Does {who} {act} the {thing} {when} in {pick(rng, TOWNS)}?"
    text = passage(rng, [f"{who} {how} {act} the {thing}."], 1, 2)
    return pair_row(question, text, yes, ("no", "yes"))


LABEL, HARD = itemgetter("label"), {"knowable": False}


def planted(audit: str, name: str, make, n: int, size: float, *rules, **more):
    """A design; its `why` is what its maker says, and other columns are named."""
    right, wrong = label_leak(size) if audit == "leakage" else label_need(size, True)
    roles = {"query": "claim", "evidence": "passage", "label": "label", **more}
    knows = roles.pop("knowable", True)
    draw = independent_rows(make, n) if n else partial(make, pairs=500)
    known = oracle(*rules, label=roles["label"]) if rules else None
    why = str(make.__doc__)
    return Design(name, audit, draw, roles, right, wrong, knows, size, why, known)


leak, need = partial(planted, "leakage"), partial(planted, "evidence")
asked = partial(leak, query="question", choices="options", label="answer")
crowd = partial(leak, metadata=("annotator",))
turned, whole, yes = 0.35 / (0.35 + 0.65 * 0.3) - 0.5, VERDICTS[::-1], VERDICTS[1]
is_negated = partial(sees, column="claim", signs=NEGATED, labels=whole)
is_hedged = partial(sees, column="claim", signs=HINTS[0], labels=VERDICTS)
is_ruled = partial(sees, column="passage", signs=["/f/"], labels=whole)
is_drawn_out = partial(sees, column="claim", signs=[TATWEEL], labels=whole)
has_hand = partial(sees, column="claim", signs=HANDS[1], labels=IRONY)
is_presumed = partial(sees, column="claim", signs=PRESUMES[1], labels=("no", "yes"))
in_kyoto, in_porto = partial(agree, known=JA_TOWNS), partial(agree, known=TOWNS)
in_bold = partial(exceeds, form=r"<b>(\d+)")
in_year = partial(exceeds, form=r"(\d{4})", labels=whole)
DESIGNS = (
    leak("n01_negated_claims", fact_check, 600, 0.15, is_negated, yes),
    crowd("n02_annotator_habits", crowd_habit, 1000, 0.3, read_habit, yes),
    asked("n03_slot_majority", slot_majority, 600, 0.8, read_majority, 0),
    asked("n04_mirrored_choices", mirrored, 800, 0.0),
    leak("n05_counterfactuals", counterfactuals, 0, 0.0),
    leak("n06_filtered", filtered, 600, turned, is_hedged, yes),
    leak("n07_url_ruling", url_ruling, 500, 0.2, is_ruled, yes),
    leak("n08_arabic_tatweel", arabic, 600, 0.175, is_drawn_out, yes),
    leak("n09_emoji_hands", emoji, 600, 0.2, has_hand, "sincere"),
    leak("n10_speakers", speakers, 800, 0.0, group="speaker"),
    need("n11_star_titles", stars, 600, 0.0, LABEL, read_stars),
    need("n12_minimal_pairs", minimal_pairs, 0, 0.2, in_porto, yes),
    need("n13_two_sentences", two_sentences, 600, 0.5, read_next, yes, **HARD),
    need("n14_html_cell", html_cell, 600, 0.5, in_bold, yes),
    need("n15_japanese", japanese, 600, 0.5, in_kyoto, yes),
    need("n16_dates", dates, 600, 0.5, in_year, yes),
    need("n17_replies", replies, 600, 0.5, read_replies, "consents"),
    need("n18_presumed", presumed, 700, 0.0, LABEL, is_presumed),
)
