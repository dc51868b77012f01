"""Chat templates: programs that come with a tokenizer, run apart and within limits.

A template is written in Jinja, and who wrote the model wrote it. It is rendered in
Jinja's sandbox, in a process of its own that has little time and memory: what it makes
of all prompts comes back as text, or one line says why nothing does.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from subprocess import TimeoutExpired
from typing import Any

from measurand.core.errors import ReaderFailed, join_names, quote
from measurand.system.processes import run_python
from measurand.system.search_path import trusted_path

SECONDS = 10  # for starting and the first prompts; an honest template takes 1 ms each
SECONDS_EACH = 0.02
MEMORY = 2**30  # bytes of address space, of which an honest template needs a tenth
MOST_ADDED = 100_000  # letters that a template may put around one prompt
RUN = "from measurand.models.chat_templates import main; main()"


def default_template(template: str | Mapping[str, str]) -> str:
    """The template for conversations, where a tokenizer has several by name."""
    if isinstance(template, str):
        return template
    if "default" not in template:
        names = join_names(list(template))
        raise _failure(f"of several ({names}) none is called default")
    return template["default"]


def render_turns(
    template: str, prompts: Sequence[str], tokens: Mapping[str, str]
) -> list[str]:
    """Each prompt as what a user says, and the opening of the answer."""
    task = {"template": template, "prompts": list(prompts), "tokens": dict(tokens)}
    allowed = SECONDS + SECONDS_EACH * len(prompts)
    try:
        process = run_python(
            RUN,
            stdin=json.dumps(task).encode(),
            timeout=allowed,
            variables=_environment(),
        )
    except TimeoutExpired:
        raise _failure(f"it did not end within {allowed:.0f} seconds") from None
    if process.returncode:
        raise _failure("it took too much memory, or its process died")
    answer = json.loads(process.stdout)
    if "problem" in answer:
        raise _failure(str(answer["problem"]))
    return [str(turn) for turn in answer["turns"]]


def main() -> None:
    """Render the task that comes in, within the limits, and write out the turns."""
    task = json.loads(sys.stdin.buffer.read())
    _limit_memory()
    try:
        answer: dict[str, Any] = {"turns": _render(**task)}
    except Exception as failure:  # a template may raise anything
        words = " ".join(f"{type(failure).__name__}: {failure}".split())
        answer = {"problem": words[:200]}
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _render(template: str, prompts: list[str], tokens: dict[str, str]) -> list[str]:
    """Each prompt in the template, as transformers renders it."""
    compiled = _sandbox().from_string(template)
    turns = []
    for prompt in prompts:
        parts, size = [], 0
        messages = [{"role": "user", "content": prompt}]
        for part in compiled.generate(
            messages=messages,
            tools=None,
            documents=None,
            add_generation_prompt=True,
            **tokens,
        ):
            parts.append(part)
            size += len(part)
            if size > MOST_ADDED + 10 * len(prompt):
                raise ValueError(
                    f"it writes more than {MOST_ADDED:,} letters around a prompt"
                )
        turns.append("".join(parts))
    return turns


def _sandbox() -> Any:
    """The environment that transformers gives to templates."""
    from jinja2 import TemplateError, nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from jinja2.utils import Namespace

    class Generation(Extension):
        """The tag around what the model wrote, which is nothing yet."""

        tags = {"generation"}  # noqa: RUF012 (so Jinja wants it)

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return nodes.Scope(body, lineno=line)

    class PlainNamespace(Namespace):
        """A namespace without names that Python keeps for itself."""

        def __setitem__(self, name: str, value: Any) -> None:
            if name.startswith("_"):
                raise TemplateError(f"a namespace has no {name!r}")
            super().__setitem__(name, value)

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, **options)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    environment.globals["dict"] = lambda *parts, **named: dict(*parts, **named)
    environment.globals["namespace"] = PlainNamespace
    return environment


def _limit_memory() -> None:
    """Let this process take little memory; where a system cannot, time is the limit."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _environment() -> dict[str, str]:
    """What the process needs to find the same packages, and nothing secret."""
    variables = {name: os.environ[name] for name in KEPT if name in os.environ}
    return variables | {"PYTHONPATH": os.pathsep.join(trusted_path())}


KEPT = ("PATH", "SYSTEMROOT", "TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME")


def _failure(why: str) -> ReaderFailed:
    """One line about a template that cannot be used."""
    return ReaderFailed(
        f"the chat template of the model cannot be used: {quote(why, 250)[1:-1]}; "
        "remove chat_template from its tokenizer, or take another model"
    )
