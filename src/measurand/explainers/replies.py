"""What a language model wrote, read as a rationale: where it ends, and if it is one."""

import re

from measurand.core.words import words
from measurand.explainers.sentences import bare

WRITTEN, EMPTY, REFUSED, ECHOED = "written", "empty", "refused", "echoed"
REFUSAL = re.compile(
    r"\W*(?:i['’]?m sorry|i am sorry|sorry,|i apologi[sz]e|as an ai\b|"
    r"(?:unfortunately,? )?i (?:cannot|can['’]?t|can not|won['’]t|will not|am unable|"
    r"am not able)\b|i['’]m (?:unable|not able)\b)",
    re.IGNORECASE,
)
NEXT = re.compile(r"^\W*(?:Input|Gold label|Label mapping|Text)\s*:", re.MULTILINE)
ANSWER = re.compile(r"[*_#\s]*\bfinal answer\b[^\n]*", re.IGNORECASE)
BLANK = re.compile(r"\n\s*\n")
INSTRUCTED = 6  # words in a row from the prompt's instructions that make an echo


def ended(said: str, *, steps: bool = False) -> str:
    r"""The text up to where the model goes on with something else.

    A blank line ends a rationale; steps may stand apart, and end with their answer.

    >>> ended(" So.\n\nInput: more"), ended("1. a\n\n2. b\nFinal answer: A\nx", steps=1)
    ('So.', '1. a\n2. b\nFinal answer: A')
    """
    text = said.strip()
    again = NEXT.search(text)
    text = text[: again.start()] if again else text
    if not steps:
        return " ".join(BLANK.split(text.strip())[0].split())
    answer = ANSWER.search(text)
    text = text[: answer.end()] if answer else text
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def without_answer(text: str) -> str:
    r"""Steps without the line of their final answer.

    >>> without_answer("1. a\n**Final answer: B**"), without_answer("a Final answer: B")
    ('1. a', 'a')
    """
    return ANSWER.sub("", text).strip()


def outcome(said: str, prompt: str, told: str, *, steps: bool = False) -> str:
    """What became of a prompt: written, or else empty, refused or echoed.

    An echo begins with a line of its prompt, or with some words of what the model was
    told to do, or is a field of the input and nothing else.

    >>> told = "Write a brief note on the input below."
    >>> prompt = told + chr(10) + "Input: claim: cats sleep all day"
    >>> [outcome(said, prompt, told) for said in ("They do.", "...", "I cannot say")]
    ['written', 'empty', 'refused']
    >>> outcome("Cats sleep all day.", prompt, told)
    'echoed'
    """
    if not words(said):
        return EMPTY
    if REFUSAL.match(said):
        return REFUSED
    lines = [*prompt.splitlines(), *told.splitlines()]
    parts = {bare(line) for line in lines} - {""}
    inputs = {part for line in lines for part in fields(line)} - {""}
    text = ended(said, steps=steps)
    start = " ".join(words(text)[:INSTRUCTED])
    begun = start.count(" ") == INSTRUCTED - 1 and start in bare(told)
    if bare(said.strip().splitlines()[0]) in parts or bare(text) in inputs or begun:
        return ECHOED
    return WRITTEN if words(text) else EMPTY


def fields(line: str) -> list[str]:
    """The line without the names before it, one after the other.

    >>> fields("Input: claim: cats")
    ['claim cats', 'cats']
    """
    parts = line.split(": ")
    return [bare(": ".join(parts[n:])) for n in range(1, len(parts))]
