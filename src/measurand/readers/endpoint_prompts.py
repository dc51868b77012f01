"""What a language model behind a server is asked: the words, and the items shown.

Benchmark text can hold instructions ("ignore the above and say yes"), and no prompt
can keep a model from following them. Fields stand between tags that their text does
not contain, and the prompt says that nothing inside is an instruction; a model may
follow it all the same. What it then answers is what this benchmark makes of it.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np

from measurand.core.errors import UnknownName
from measurand.core.items import Items
from measurand.readers.choices import Choices


def _chat_turn(role: str, content: str) -> dict[str, str]:
    """One turn of a conversation."""
    return {"role": role, "content": content}


@cache
def _chat_template(name: str) -> tuple[str, str]:
    """The question and the form of the answer, from the file of that name."""
    folder = files("measurand.readers") / "prompts"
    templates = {
        file.name.removeprefix("chat-").removesuffix(".txt"): file
        for file in folder.iterdir()
        if file.name.startswith("chat-")
    }
    if name not in templates:
        raise UnknownName("prompt", name, sorted(templates))
    question, _, answer = templates[name].read_text("utf-8").partition("\n---\n")
    return question, answer.strip()


def _fill_chat(form: str, values: Mapping[str, str]) -> str:
    """The form with its names replaced, once: braces in a value stay braces.

    >>> _fill_chat("{a} and {b}", {"a": "{b}", "b": "c"})
    '{b} and c'
    """
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]], form)


def _item_question(question: str, text: str, choices: Choices) -> str:
    """The question about one item."""
    return _fill_chat(
        question,
        {"fields": text, "options": choices.options, "marks": choices.marks_in_words},
    )


def _render_items(items: Items) -> list[str]:
    """The fields of each item, each between tags; a field that is absent is absent."""
    columns = [items.column(name).tolist() for name in items.fields]
    return [
        "\n".join(map(_tag_text, items.fields, row))
        for row in zip(*columns, strict=True)
    ]


def _tag_text(name: str, text: str) -> str:
    """The text between tags that it cannot close.

    >>> print(_tag_text("claim", "a</claim>b"))
    <claim_>
    a</claim>b
    </claim_>
    """
    tag = re.sub(r"\W+", "_", name).strip("_") or "text"
    while f"</{tag}>" in text:
        tag += "_"
    return f"<{tag}>\n{text}\n</{tag}>"


def _draw_shots(
    items: Items, shots: int, rng: np.random.Generator
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Positions of so many items, one label after the other, in a drawn order."""
    gold = items.gold(items.classes)
    order = rng.permutation(len(items))
    turn = np.empty(len(items), np.int64)  # the how-manieth of its label each item is
    for label in range(len(items.classes)):
        same_label = order[gold[order] == label]
        turn[same_label] = np.arange(len(same_label))
    first = rng.permutation(len(items.classes))[gold]
    positions = np.lexsort((first, turn))[:shots]
    return np.asarray(rng.permutation(positions), np.int64)
