"""What a language model wrote, read as a rationale: where it ends, and if it is one."""

import re

from measurand.core.words import words
from measurand.explainers.sentences import bare_words

WRITTEN, EMPTY, REFUSED, ECHOED = "written", "empty", "refused", "echoed"
REWRITTEN = "rewritten"  # where a small change was asked for
REFUSAL = re.compile(
    r"\W*(?:i['’]?m sorry|i am sorry|sorry,|i apologi[sz]e|as an ai\b|"
    r"(?:unfortunately,? )?i (?:cannot|can['’]?t|can not|won['’]t|will not|am unable|"
    r"am not able)\b|i['’]m (?:unable|not able)\b)",
    re.IGNORECASE,
)
ANSWER = re.compile(
    r"[*_#(\s]*\b(?:the\s+)?final answer\b\W*?(?:is\b|:)[^\n]*", re.IGNORECASE
)
# As small models put it: a last line that names an id.
OTHERWISE = re.compile(r"(?i:\n[^\n]*\b(?:answer|output|label)\b[^\n:]*):\W*[A-Z]\W*$")
BLANK = re.compile(r"\n\s*\n")
HEAD = re.compile(r"(?:^|(?<=: ))([^\W\d_][\w ]{0,29}):")  # "Input" and the like
LETTER = re.compile(r"[^\W\d_]")
DIGITS = re.compile(r"\d+")
INSTRUCTED = 6  # words in a row from the prompt's instructions that make an echo


def trim_reply(reply: str, prompt: str, *, steps: bool = False) -> str:
    r"""The text up to where the model goes on with something else.

    A blank line ends a rationale, and so does a line that begins as one of the prompt
    does. Steps may stand apart; they end with their answer, and one that repeats
    another, numbers aside, as small models do without end, is left out.

    >>> trim_reply(" So.\n\nInput: more", "")
    'So.'
    >>> trim_reply("So.\nInput: more", "Input: x")
    'So.'
    >>> trim_reply("1. a\n\n2. b\n3. b\nFinal answer: A\nx", "", steps=True)
    '1. a\n2. b\nFinal answer: A'
    """
    text = _drop_prompt_end(reply, prompt)
    heads = sorted({head for line in prompt.splitlines() for head in _line_heads(line)})
    if heads:
        among = "|".join(map(re.escape, heads))
        text = re.split(rf"(?im)^\W*(?:{among})\s*:", text)[0]
    if not steps:
        return " ".join(BLANK.split(text.strip())[0].split())
    answer = ANSWER.search(text)
    different: dict[str, str] = {}
    for line in (text[: answer.end()] if answer else text).splitlines():
        different.setdefault(bare_words(DIGITS.sub("", line)), " ".join(line.split()))
    return "\n".join(line for key, line in different.items() if key)


def _drop_prompt_end(reply: str, prompt: str) -> str:
    """The text without the words that the prompt ended with, should it repeat them.

    >>> _drop_prompt_end(" Steps: 1. So", "Why?" + chr(10) + "Steps:")
    '1. So'
    """
    last = prompt.rstrip().rpartition("\n")[2]
    return (
        reply.strip().removeprefix(last).strip()
        if last.endswith(":")
        else reply.strip()
    )


def _line_heads(line: str) -> list[str]:
    """The names before the text of a line of a prompt.

    >>> _line_heads("Input: claim: cats: all"), _line_heads("Do NOT. End with: x")
    (['Input', 'claim'], [])
    """
    return HEAD.findall(line)[:2] if HEAD.match(line) else []


def drop_answer(text: str) -> str:
    r"""Steps without the line of their final answer.

    >>> drop_answer("1. a\n**Final answer: B**"), drop_answer("a Final answer: B")
    ('1. a', 'a')
    >>> drop_answer("1. a\nThe correct answer is: A.")
    '1. a'
    """
    return OTHERWISE.sub("", ANSWER.sub("", text).rstrip()).strip()


def reply_outcome(
    reply: str, prompt: str, instruction: str, *, steps: bool = False
) -> str:
    """What became of a prompt: written, or else empty, refused or echoed.

    An echo begins as a line of its prompt does, or with some words of what the model
    was told to do, or is the first field of the input and nothing else; to repeat the
    evidence is to cite it.

    >>> told = "Write a brief note on the input below."
    >>> prompt = told + chr(10) + "Input: claim: cats sleep all day"
    >>> replies = ("They do.", "...", "I cannot say")
    >>> [reply_outcome(reply, prompt, told) for reply in replies]
    ['written', 'empty', 'refused']
    >>> reply_outcome("Cats sleep all day.", prompt, told)
    'echoed'
    """
    if not LETTER.search(reply):
        return EMPTY
    if REFUSAL.match(reply):
        return REFUSED
    lines = prompt.splitlines()
    text = trim_reply(reply, prompt, steps=steps)
    start = " ".join(words(text)[:INSTRUCTED])
    obeyed = start.count(" ") < INSTRUCTED - 1 or start not in bare_words(instruction)
    inputs = _line_fields(lines[len(instruction.splitlines())])
    if not text or not obeyed or bare_words(text) in inputs:
        return ECHOED
    return WRITTEN


def _line_fields(line: str) -> list[str]:
    """The line without the names before it, one after the other.

    >>> _line_fields("Input: claim: cats")
    ['claim cats', 'cats']
    """
    parts = line.split(": ")
    return [bare_words(": ".join(parts[n:])) for n in range(1, len(parts))]
