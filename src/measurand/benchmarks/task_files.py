"""Roles from files: one line per part, tasks of lm-eval, and `eval.yaml` of the hub.

`measurand show --write` writes one line per part, in YAML that needs no library.
lm-eval says in `doc_to_text`, `doc_to_choice` and `doc_to_target` what is asked, what
there is to choose from and what is right; `eval.yaml` in `field_spec`. Plain columns
and simple templates are understood; no code is run, and no template is rendered.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from measurand.benchmarks.roles import Columns, list_columns
from measurand.core.errors import BadInput, MissingExtra, Proposal, quote
from measurand.core.items import LETTERS
from measurand.disk.files import read_bounded

MOST_BYTES = 2**18  # a task has a few thousand
CORE = "tag:yaml.org,2002:"  # before the kinds that YAML itself knows
KINDS = {"str", "int", "float", "bool", "null", "timestamp", "value", "seq", "map"}
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # not 1:30, which is sixty times as long
REPEATED = "stands in it, which is not read; write out what it stands for"
NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
STRIP = r"(?:\.[lr]?strip\(\))?"
VARIABLE = re.compile(rf"\{{\{{-?\s*({NAME}?){STRIP}\s*-?\}}\}}")
COLUMNS = re.compile(
    rf"\{{\{{\s*\[\s*({NAME}(?:\s*,\s*{NAME})*)\s*(?:,\s*)?\]\s*\}}\}}"
)
INDEX = re.compile(rf"\{{\{{\s*{NAME}?\.index\(\s*({NAME}?){STRIP}\s*\)\s*\}}\}}")
# What cannot be in a name of a column that is written without a template.
TEMPLATE = re.compile(r"[{}\n]|%\}")
LITERAL = "literal:"  # what stands before a target of eval.yaml that is not a column
OPTIONS = {"doc_to_text": "query", "doc_to_choice": "choices", "doc_to_target": "label"}
OPTIONS |= {"input": "query", "choices": "choices", "target": "label"}
PARTS = tuple(Columns.__annotations__)
# `query: claim`, `query: "claim"` or `choices: ["oak", "ash"]`: a part and its columns.
LINE = re.compile(r"([a-z]+):\s+(?:(\[[^\n]*\]|\"[^\n]*\")|(\w[\w .+-]*))")


class _Code(str):
    """What a tag of YAML represents: never run."""

    __slots__ = ()


def add_task_roles(columns: Columns, path: str | Path) -> Columns:
    """The columns, and for parts that were not named those that a task file names."""
    if not isinstance(path, str | Path):
        kind = type(path).__name__
        raise BadInput(f"`roles` is a {kind}; give the path of a file in YAML")
    named = {part for part, name in columns.items() if name}
    if "answers" in named:
        named |= {"label", "choices"}
    elif {"label", "choices"} & named:
        named.add("answers")
    try:
        content = read_bounded(path, MOST_BYTES)
        roles = _read_lines(content) or _task_roles(_read_yaml(content), named)
    except OSError as failed:
        why = (failed.strerror or str(failed)).lower()
        raise BadInput(f"cannot read `roles` {quote(str(path), 200)}: {why}") from None
    except BadInput as bad:
        raise BadInput(f"cannot read `roles` {quote(str(path), 200)}: {bad}") from None
    unnamed = {part: name for part, name in roles.items() if part not in named}
    return cast("Columns", {**unnamed, **{p: n for p, n in columns.items() if n}})


def write_roles(title: str, proposals: Sequence[Proposal]) -> str:
    """A file of roles: the columns of the first proposal, others as comments.

    >>> print(write_roles("boats", [{"query": ("claim",)}, {"label": "port"}]), end="")
    # How measurand reads boats; edit it, and give it as `roles`.
    query: "claim"
    # or:
    # label: "port"
    """
    lines = [f"# How measurand reads {title}; edit it, and give it as `roles`."]
    for number, columns in enumerate(proposals):
        start = "# " if number else ""
        lines += ["# or:"] * bool(number)
        for part, names in columns.items():
            several = list_columns(part, names)
            value = several[0] if len(several) == 1 else several
            lines.append(f"{start}{part}: {json.dumps(value, ensure_ascii=False)}")
    return "".join(f"{line}\n" for line in lines)


def _read_lines(content: bytes) -> dict[str, Any]:
    r"""The columns of each part in a file of one line per part; else nothing.

    >>> _read_lines(b'# boats\nquery: claim\nchoices: ["oak", "ash"]')
    {'query': 'claim', 'choices': ['oak', 'ash']}
    >>> _read_lines(b"doc_to_text: claim"), _read_lines(b"query: {a: b}")
    ({}, {})
    """
    roles: dict[str, Any] = {}
    try:
        # A column's name may hold what other ways of cutting lines take for an end.
        for line in map(str.rstrip, content.decode("utf-8-sig").split("\n")):
            if not line.strip() or line.startswith("#"):
                continue
            match = LINE.fullmatch(line)
            if match is None or match[1] not in PARTS or match[1] in roles:
                return {}
            roles[match[1]] = json.loads(match[2]) if match[2] else match[3].strip()
    except (ValueError, RecursionError):
        return {}
    return roles


def _read_yaml(content: bytes) -> dict[str, Any]:
    """The mapping in a YAML file; its tags stay what they are, and run nothing."""
    try:
        yaml = import_module("yaml")
    except ModuleNotFoundError:
        raise MissingExtra("pyyaml, which reads `roles`,", "hub") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        """Nodes alone: no object is made of a tag, and none stands in two places."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            # Of an alias of aliases a few lines make more than any memory holds.
            if self.check_event(yaml.AliasEvent):
                raise BadInput(
                    f"an alias (*{self.peek_event().anchor[:40]}) {REPEATED}"
                )
            return super().compose_node(parent, index)

    try:
        value = _read_node(yaml.compose(content.decode(), Loader))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as bad:
        first = " ".join(str(bad).split())
        raise BadInput(f"it is no YAML ({quote(first, 80)})") from None
    if not isinstance(value, dict):
        raise BadInput("it holds no keys; give a task of lm-eval or an eval.yaml")
    return value


def _read_node(node: Any) -> Any:
    """The text, whole number, list or mapping in a node; None where there is none."""
    kind = "null" if node is None else node.tag.removeprefix(CORE)
    if kind.startswith("!"):
        return _Code(f"{kind} {node.value}" if isinstance(node.value, str) else kind)
    if kind not in KINDS:
        raise BadInput(f"it is no YAML of a task; the tag {quote(kind)} is not read")
    if kind == "map":
        return {_read_key(key): _read_node(value) for key, value in node.value}
    if kind == "seq":
        return [_read_node(part) for part in node.value]
    if kind == "null":
        return None
    is_number = kind == "int" and WHOLE.fullmatch(node.value)
    return int(node.value) if is_number else node.value


def _read_key(node: Any) -> str:
    """The text of a key."""
    if node.tag == f"{CORE}merge":
        raise BadInput(f"a merge key (<<) {REPEATED}")
    if not isinstance(node.value, str):
        raise BadInput("one of its keys is no text; give a task of lm-eval")
    return node.value


def _task_roles(task: Mapping[str, Any], named: set[str]) -> dict[str, Any]:
    """The roles in a file of any kind."""
    if task and {*task} <= {*PARTS}:
        return {
            part: names if isinstance(names, list) else str(names)
            for part, names in task.items()
            if names is not None
        }
    if isinstance(task.get("tasks"), list):
        return _field_roles(task["tasks"], named)
    if "field_spec" in task:
        return _field_roles([task], named)
    if not any(
        key in task for key in ("doc_to_text", "doc_to_choice", "doc_to_target")
    ):
        hint = "; it includes another file: give that one" if "include" in task else ""
        raise BadInput(
            "it has neither parts of a benchmark, such as query and label, nor "
            "doc_to_text, doc_to_choice or doc_to_target of lm-eval, nor a field_spec"
            f"{hint}"
        )
    roles: dict[str, Any] = {}
    for key in ("doc_to_text", "doc_to_choice"):
        if key in task and OPTIONS[key] not in named:
            roles[OPTIONS[key]] = _read_template(key, task[key])
    if isinstance(task.get("doc_to_choice"), list):
        roles.pop("choices", None)  # the same for every item: these are classes
    target = task.get("doc_to_target")
    choices = roles.get("choices")
    if target is None or "label" in named:
        return roles
    if isinstance(target, int) and isinstance(choices, list):
        return roles | {"label": _pick(choices, target, "doc_to_target")}
    if isinstance(target, int):
        path = str(choices or "")
        beside = path.removesuffix(".choices") + ".labels"
        hint = f", such as {quote(beside, 200)}" if path.endswith(".choices") else ""
        raise BadInput(
            f"doc_to_target is {target} for every item, and stands for an order that "
            f"the file need not have; name what says which is right with `label`{hint}"
        )
    is_free = task.get("output_type") == "generate_until" and "choices" not in roles
    part = "answers" if is_free else "label"
    return roles | {part: _read_template("doc_to_target", target, part)}


def _field_roles(tasks: list[Any], named: set[str]) -> dict[str, Any]:
    """The roles in the field_spec of eval.yaml, which all its tasks share."""
    values = [task.get("field_spec") for task in tasks if isinstance(task, dict)]
    specs = [spec for spec in values if isinstance(spec, dict)]
    if not specs or len(specs) < len(tasks):
        raise BadInput("a task in it has no field_spec")
    if any(spec != specs[0] for spec in specs):
        raise BadInput(
            "its tasks have other field_specs each; name the columns with `query`, "
            "`choices` and `label`"
        )
    spec = specs[0]
    if spec.get("input_image"):
        raise BadInput("its field_spec has an input_image, and only texts are read")
    roles = {
        OPTIONS[key]: _read_field(key, spec[key])
        for key in ("input", "choices")
        if spec.get(key) is not None and OPTIONS[key] not in named
    }
    target, choices = spec.get("target"), roles.get("choices")
    if target is None or "label" in named:
        return roles
    if isinstance(target, str) and target.startswith(LITERAL):
        letter = target.removeprefix(LITERAL).strip()
        if not isinstance(choices, list) or letter not in [*LETTERS]:
            raise _unreadable("target", target)
        return roles | {"label": _pick(choices, LETTERS.index(letter), "target")}
    has_choices = choices is not None or "choices" in named
    part = "label" if has_choices else "answers"
    return roles | {part: _read_field("target", target)}


def _pick(columns: list[str], position: int, key: str) -> str:
    """The column of the right choice, where it always stands in one position."""
    if not 0 <= position < len(columns):
        raise BadInput(f"{key} names choice {position + 1} of {len(columns)}")
    return columns[position]


def _read_field(key: str, value: Any) -> str | list[str]:
    """A column, or a list of them, as field_spec writes them."""
    if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
        return [*value]
    if isinstance(value, str) and not isinstance(value, _Code):
        return value
    raise _unreadable(key, value)


def _read_template(key: str, value: Any, part: str = "") -> str | list[str]:
    """The column, or the columns, that a key of lm-eval names.

    Args:
        key: The key of the task.
        value: What stands there.
        part: The part to name instead, where that is not the key's own.

    >>> _read_template("doc_to_text", "Question: {{question.strip()}} Answer:")
    'question'
    >>> _read_template("doc_to_choice", "{{[sol1, sol2]}}")
    ['sol1', 'sol2']
    >>> _read_template("doc_to_target", "{{choices.label.index(answerKey)}}")
    'answerKey'
    """
    if key == "doc_to_choice" and isinstance(value, list):
        return [str(text) for text in value]
    if not isinstance(value, str) or isinstance(value, _Code):
        raise _unreadable(key, value)
    if not TEMPLATE.search(value):
        return value.strip()
    if key == "doc_to_choice" and (match := COLUMNS.fullmatch(value.strip())):
        return [name.strip() for name in match[1].split(",")]
    if key == "doc_to_target" and (match := INDEX.fullmatch(value.strip())):
        return match[1]
    names = VARIABLE.findall(value)
    rest = VARIABLE.sub("", value)
    # Words around a question are those of the prompt; a choice has none around it.
    is_alone = not rest.strip() or (
        key == "doc_to_text" and not TEMPLATE.search(rest.replace("\n", " "))
    )
    if len(names) == 1 and is_alone:
        return str(names[0])
    raise _unreadable(key, value, part)


def _unreadable(key: str, value: object, part: str = "") -> BadInput:
    """The error of a key that only its own program can read."""
    return BadInput(
        f"{key} is {quote(str(value), 60)}, which is no column or simple template; "
        f"name the column with `{part or OPTIONS[key]}`"
    )
