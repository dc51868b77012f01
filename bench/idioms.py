"""Idioms of our own in docstrings, comments, messages and pages, per folder.

They are those that a reader of the field stumbles on; the fewer the better.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.figures import Figure

ROOT = Path(__file__).parents[1]
IDIOMS = {
    "for who, of who, than who": r"\b(?:for|of|than|by|to) who\b",
    "tell, told": r"\b(?:tells?|told|telling)\b",
    "stands for": r"\bstands? for\b",
    "beside": r"\bbeside\b",
    "a row a group": r"\b(?:one|an?) (?:row|column|line|number|place|block) an? \w+",
    "is no, are no": r"\b(?:that|which|who) (?:is|are) no\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "dealt, anew": r"\b(?:dealt|anew)\b",
    "by lot": r"\bby lot\b",
    "hang together": r"\b(?:hang|hangs|hung) (?:together|on)\b",
    "plainly": r"\bplainly\b",
}
PATTERNS = {name: re.compile(idiom, re.IGNORECASE) for name, idiom in IDIOMS.items()}


def run(arguments: Sequence[str]) -> list[Figure]:
    """Count the idioms of the source by folder, then of the pages, by idiom too."""
    texts = {
        "docs": "\n".join(p.read_text("utf-8") for p in (ROOT / "docs").glob("*.md"))
    }
    for path in sorted((ROOT / "src" / "measurand").rglob("*.py")):
        folder = path.relative_to(ROOT / "src" / "measurand").parts[0].split(".")[0]
        texts[folder] = texts.get(folder, "") + "\n".join(
            prose(path.read_text("utf-8"))
        )
    whole = "\n".join(texts.values())
    folders = {folder: count(text) for folder, text in sorted(texts.items())}
    return [
        *(Figure(f"{name}/", number, "") for name, number in folders.items() if number),
        *(Figure(name, len(p.findall(whole)), "") for name, p in PATTERNS.items()),
        Figure("all", count(whole), ""),
    ]


def count(text: str) -> int:
    """How many idioms a text holds."""
    return sum(len(pattern.findall(text)) for pattern in PATTERNS.values())


def prose(code: str) -> Iterator[str]:
    """The comments and the texts of a module that hold more than one word."""
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(code)):
        text = getattr(node, "value", None)
        if isinstance(node, ast.Constant) and isinstance(text, str) and " " in text:
            yield text
