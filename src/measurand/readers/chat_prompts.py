"""How items become turns of a conversation with a model behind a server."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from measurand.core.errors import UnknownName
from measurand.core.items import Items
from measurand.readers.answer_choices import Choices

LABELS = "Which of these labels is right for it?"
CHOICES = "Which of these answers is the right one?"


def chat_turn(role: str, content: str) -> dict[str, str]:
    """One turn of a conversation."""
    return {"role": role, "content": content}


@cache
def chat_template(name: str) -> tuple[str, str]:
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


def fill_chat(form: str, values: Mapping[str, str]) -> str:
    """The form with its names replaced, once: braces in a value stay braces.

    >>> fill_chat("{a} and {b}", {"a": "{b}", "b": "c"})
    '{b} and c'
    """
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]], form)


def item_question(
    question: str, text: str, choices: Choices, asked: str = LABELS
) -> str:
    """The question about one item."""
    values = {"options": choices.options, "marks": choices.marks_in_words}
    return fill_chat(question, {"fields": text, "asked": asked, **values})


def render_items(items: Items) -> list[str]:
    """The fields of each item, each between tags; a field that is absent is absent.

    Choices are no part of it.
    """
    names = [name for name in items.fields if name != items.choices]
    columns = [items.column(name).tolist() for name in names]
    rows = zip(*columns, strict=True) if columns else ((),) * len(items)
    return ["\n".join(map(_tag_text, names, row)) for row in rows]


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


@cache
def answers_template() -> str:
    """The question for an answer in own words."""
    file = files("measurand.readers") / "prompts" / "answers-chat.txt"
    return file.read_text("utf-8").strip("\n")
