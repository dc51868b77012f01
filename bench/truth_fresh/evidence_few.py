"""Evidence designs in which few labels need the evidence, or it misleads."""

from functools import partial

from bench.truth_fresh.design import (
    MISLEADS,
    NEEDED,
    NOT_NEEDED,
    SMALL_NEED,
    Design,
    Row,
    independent_rows,
    oracle,
)
from bench.truth_fresh.evidence_needed import design_need
from bench.truth_fresh.grammar import (
    ADJECTIVES,
    PEOPLE,
    THINGS,
    TIMES,
    TOWNS,
    TRADES,
    Rng,
    coin,
    first_of,
    flip,
    lower,
    passage,
    pick,
    word_list,
)

TOPICS = {
    "refund": word_list("refund repayment reimbursement credit"),
    "delivery": word_list("parcel courier shipment delivery"),
    "account": word_list("password login username profile"),
}
OPENINGS = ("Hello", "Good morning", "Dear team", "Hi there", "To whom it may concern")
ASKS = (
    "I am writing about {} again",
    "could somebody look into {}",
    "I would like to know more about {}",
    "please tell me what happened with {}",
)
VAGUE = ("the matter we discussed", "that same thing", "my open request", "it")


def name_topic(rng: Rng, topic: str) -> str:
    """A phrase that names a topic."""
    return f"the {pick(rng, ADJECTIVES)} {pick(rng, TOPICS[topic])}"


def topic_of(text: str) -> str:
    """The topic that a text names, or an empty text."""
    word = first_of(text, [w for words in TOPICS.values() for w in words])
    return next((topic for topic, words in TOPICS.items() if word in words), "")


def vague_message(rng: Rng, part: str, share: float) -> dict:
    """A message names its topic; in `share` of the items only the history does."""
    label, vague = pick(rng, list(TOPICS)), coin(rng, share)
    past = label if vague else pick(rng, list(TOPICS))
    subject = pick(rng, VAGUE) if vague else name_topic(rng, label)
    end = f"{lower(pick(rng, TIMES))} in {pick(rng, TOWNS)}"
    ask = pick(rng, ASKS).format(subject)
    note = (
        f"{pick(rng, TIMES)}, {pick(rng, PEOPLE)} wrote about {name_topic(rng, past)}."
    )
    return {
        "message": f"{pick(rng, OPENINGS)}, {ask}, {end}.",
        "history": passage(rng, [note], 1, 2),
        "intent": label,
    }


def read_message(row: Row) -> str:
    """The topic of the message, else the first of the list."""
    return topic_of(row["message"]) or "refund"


def read_history(row: Row) -> str:
    """The topic of the message, else of the history."""
    return topic_of(row["message"]) or topic_of(row["history"])


MAIL = {
    "urgent": word_list("deadline tonight emergency immediately"),
    "routine": word_list("newsletter minutes reminder catalogue"),
}


def rare_thread(rng: Rng, part: str) -> dict:
    """2 % of the mails name no cue; the earlier mail does, there alone by the label."""
    label, blank = pick(rng, list(MAIL)), coin(rng, 0.02)
    past = label if blank else pick(rng, list(MAIL))
    cue = "attached" if blank else pick(rng, MAIL[label])
    town, thing, who = pick(rng, TOWNS), pick(rng, THINGS), pick(rng, PEOPLE)
    old = f"{who} wrote: {pick(rng, MAIL[past])}, the {pick(rng, ADJECTIVES)} one."
    body = pick(rng, ("{} {}, about the {} from {}", "On the {2} from {3}: {0} {1}"))
    return {
        "mail": body.format("See the", cue, thing, town) + f". {filler_line(rng)}",
        "thread": f"{old} {filler_line(rng)}",
        "label": label,
    }


def filler_line(rng: Rng) -> str:
    """One filler sentence."""
    return passage(rng, [], 1, 1)


def mail_kind(text: str) -> str:
    """The kind that a mail's cue names, or an empty text."""
    return next((kind for kind, cues in MAIL.items() if first_of(text, cues)), "")


def read_mail(row: Row) -> str:
    """The kind of the mail, else urgent."""
    return mail_kind(str(row["mail"])) or "urgent"


def read_thread(row: Row) -> str:
    """The kind of the mail, else of the thread."""
    return mail_kind(str(row["mail"])) or mail_kind(str(row["thread"]))


STAMPS = {"good": "approved", "bad": "rejected"}
TONES = {
    "good": word_list("pleasant splendid reliable charming"),
    "bad": word_list("dreadful noisy careless gloomy"),
}
TRUST = {"train": 0.97, "test": 0.5}


def stale_stamps(rng: Rng, part: str) -> dict:
    """A tone right in 85 %; a stamp right in 97 % of training and half of testing."""
    label = pick(rng, list(STAMPS))
    tone = label if coin(rng, 0.85) else flip(label, list(STAMPS))
    stamp = label if coin(rng, TRUST[part]) else flip(label, list(STAMPS))
    line = "The {} in {} was {}, said the {}."
    return {
        "review": line.format(
            pick(rng, THINGS),
            pick(rng, TOWNS),
            pick(rng, TONES[tone]),
            pick(rng, TRADES),
        ),
        "report": passage(rng, [f"{pick(rng, TIMES)}, it was {STAMPS[stamp]}."], 1, 2),
        "label": label,
    }


def read_stamp(row: Row) -> str:
    """What a reader of the training items follows."""
    return "good" if "approved" in str(row["report"]) else "bad"


def read_tone(row: Row) -> str:
    """The label by the tone of the review."""
    return "good" if first_of(row["review"], TONES["good"]) else "bad"


MESSAGE = {"query": "message", "evidence": "history", "label": "intent"}
STAMPED = {"query": "review", "evidence": "report", "label": "label", "split": "split"}
DESIGNS = (
    design_need(
        "f08_tenth_vague",
        partial(vague_message, share=0.1),
        3000,
        MESSAGE,
        1 / 15,
        read_history,
        read_message,
        why="A tenth of the messages need the history.",
    ),
    design_need(
        "f09_small_vague",
        partial(vague_message, share=0.06),
        1500,
        MESSAGE,
        0.04,
        read_history,
        read_message,
        why="6 % of the messages need the history: 4 points.",
    ),
    design_need(
        "f10_rare_thread",
        rare_thread,
        3000,
        {"query": "mail", "evidence": "thread", "label": "label"},
        0.01,
        read_thread,
        read_mail,
        why="2 % of the mails need the thread: half the margin.",
    ),
    Design(
        "f11_stale_stamps",
        "evidence",
        independent_rows(stale_stamps, 1600, 800),
        STAMPED,
        frozenset({MISLEADS, NOT_NEEDED}),
        frozenset({NEEDED, SMALL_NEED}),
        True,
        -0.35,
        "The stamp that training teaches to trust is right in half of the test items.",
        oracle(read_stamp, read_tone, only="test"),
    ),
)
