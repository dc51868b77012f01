"""The documentation, and what keeps it true to the program.

`python -m docs` writes the parts that are output (the help of every verb, the run in
the README) anew; the tests in `tests/docs` fail where they are out of date.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README, CLI = ROOT / "README.md", ROOT / "docs" / "cli.md"
CLI_OTHER = ROOT / "docs" / "cli-other.md"
TUTORIAL, VERSIONS = ROOT / "docs" / "tutorial.md", ROOT / "docs" / "versions.md"
API = ROOT / "docs" / "api.md"
TERMS = ROOT / "docs" / "words.md"
TRUTH = ROOT / "docs" / "truth.md"
PAGES = tuple(sorted((ROOT / "docs").glob("*.md")))
WIDTH = "88"
# What click, rich and the shell read before they choose a width and colours.
TERMINAL = {
    "COLUMNS": WIDTH,
    "LINES": "40",
    "NO_COLOR": "1",
    "PYTHONUTF8": "1",
    "TERM": "dumb",
    "TERMINAL_WIDTH": WIDTH,
}
MOODS = ("CLICOLOR_FORCE", "FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "TTY_")
CALL = "import sys; sys.argv[0] = 'measurand'; from measurand.cli import main; main()"
# The help of several verbs from one process: most of what each takes is its imports.
HELP = """
import sys
from measurand.cli import main
for verb in sys.argv[1:]:
    sys.argv = ["measurand", *verb.split(), "--help"]
    try:
        main()
    except SystemExit as left:
        if left.code:
            raise
    print("\\f")
"""
VERBS = re.compile(r"(?<=<!-- verbs -->\n).*(?=<!-- end of verbs -->)", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
WORDS = re.compile(r"(?<=<!-- words -->\n).*(?=<!-- end of words -->)", re.DOTALL)
MEANING = re.compile(r"(?<=<!-- meaning -->\n).*(?=<!-- end of meaning -->)", re.DOTALL)
TABLES = re.compile(r"(?<=<!-- tables -->\n).*(?=<!-- end of tables -->)", re.DOTALL)
SETTINGS = re.compile(
    r"(?<=<!-- settings -->\n).*(?=<!-- end of settings -->)", re.DOTALL
)
PUBLIC = re.compile(r"(?<=<!-- public -->\n).*(?=<!-- end of public -->)", re.DOTALL)
PYTHON = re.compile(r"```python\n(?P<code>.*?)```", re.DOTALL)
RUN = re.compile(r"```console\n\$ measurand (?P<words>.*)\n(?P<said>[^`]*)```")


def said(*words: str, store: Path | None = None) -> str:
    """What `measurand` with these words prints on stdout, on a plain terminal."""
    return _plain_text(_output(CALL, *words, store=store))


def help_texts() -> dict[str, str]:
    """The help of each verb, and that of the program under an empty name."""
    names = ["", *verbs()]
    pages = _output(HELP, *names).split("\f\n")
    return dict(zip(names, map(_plain_text, pages), strict=False))


def _output(
    code: str, *words: str, store: Path | None = None, folder: str | None = None
) -> str:
    """What a process of its own prints on stdout, on a plain terminal.

    It runs in `folder`, or in one that is removed afterwards.
    """
    plain = {k: v for k, v in os.environ.items() if not k.startswith(MOODS)}
    with tempfile.TemporaryDirectory(prefix="measurand-docs-") as spare:
        folder = folder or spare
        kept = {"MEASURAND_STORE": str(store or Path(folder) / "store")}
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", code, *words],
            env=plain | TERMINAL | kept,
            cwd=folder,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
    return done.stdout


def _plain_text(output: str) -> str:
    """The lines without space at their ends, nor empty ones around them."""
    lines = [line.rstrip() for line in output.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def verbs() -> list[str]:
    """The verbs, in the order in which `--help` lists them."""
    from measurand.cli.app import verb_commands

    return [*verb_commands()]


def anchors(page: Path) -> set[str]:
    """The places in a page that links can lead to: its headings, as GitHub has them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def verbs_by_page() -> dict[Path, list[str]]:
    """The verbs on each page: what runs an audit, and what works with its results."""
    from measurand.audits import AUDITS

    running = ["demo", *AUDITS, "audit"]
    others = [verb for verb in verbs() if verb not in running]
    return {CLI: ["", *(v for v in verbs() if v in running)], CLI_OTHER: others}


def verb_sections(page: Path) -> str:
    """The generated part of a page of the command line: the help of its verbs."""
    texts = help_texts()
    parts = [
        f"\n### {verb}\n\n```text\n{texts[verb]}```\n"
        if verb
        else f"\n```text\n{texts[verb]}```\n"
        for verb in verbs_by_page()[page]
    ]
    return "".join([*parts, "\n"])


def refreshed_cli(page: str) -> str:
    """The page of the verbs that run audits, with the help of today."""
    fresh = verb_sections(CLI)
    return VERBS.sub(lambda _: fresh, page)


def refreshed_cli_other(page: str) -> str:
    """The page of the other verbs, with the help of today."""
    fresh = verb_sections(CLI_OTHER)
    return VERBS.sub(lambda _: fresh, page)


def setting_tables() -> str:
    """A table for each audit: what it can be told, as its settings declare it."""
    from measurand.audits import AUDITS
    from measurand.core.setting import declarations

    lines = []
    for name in AUDITS:
        lines += [f"\n### Settings of {name}\n"]
        lines += ["| setting | default | allowed | option | meaning |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        for d in declarations(AUDITS.thing(name).settings).values():
            option = "" if d.setting.option is None else f"`{'`, `'.join(d.words)}`"
            cells = (f"`{d.name}`", f"`{d.default!r}`", d.setting.bounds, option)
            lines += [f"| {' | '.join((*cells, d.setting.help))} |"]
    return "\n".join([*lines, "\n"])


def refreshed_api(page: str) -> str:
    """The page with the settings of today."""
    fresh = setting_tables()
    return SETTINGS.sub(lambda _: fresh, page)


def refreshed_readme(page: str) -> str:
    """The page with what its run prints today, and the kept rows of public files."""
    from docs.truth_tables import public_rows

    def run(found: "re.Match[str]") -> str:
        words = found["words"].split()
        return f"```console\n$ measurand {found['words']}\n{said(*words)}```"

    page = PUBLIC.sub(lambda _: public_rows(), page)
    return RUN.sub(run, page, count=1)


def refreshed_tutorial(page: str) -> str:
    """The page with what its commands print today, on the file that it makes."""
    code = PYTHON.search(page)
    assert code is not None, "the tutorial makes a file"  # noqa: S101
    with tempfile.TemporaryDirectory(prefix="measurand-tutorial-") as folder:
        _output(code["code"], folder=folder)

        def run(found: "re.Match[str]") -> str:
            printed = _output(CALL, *found["words"].split(), folder=folder)
            return (
                f"```console\n$ measurand {found['words']}\n{_plain_text(printed)}```"
            )

        return RUN.sub(run, page)


def refreshed_truth(page: str) -> str:
    """The page with the tables of the rows that are kept."""
    from docs.truth_tables import meaning_tables, truth_tables

    page = TABLES.sub(lambda _: truth_tables(), page)
    return MEANING.sub(lambda _: meaning_tables(), page)


def verdict_rows(audit: str) -> list[str]:
    """A row for each verdict of an audit: what was found, and what that means."""
    from measurand.wording.terms import load_terms

    verdicts = load_terms()[audit]["verdict"]
    return [
        f"| `{label}` | {words['found']} | {words['means']} |"
        for label, words in verdicts.items()
    ]


def explained_words() -> str:
    """The generated part of `docs/words.md`: every term and its sentence."""
    from measurand.wording.terms import (
        audit_title,
        load_terms,
        plain_question,
        tone_words,
    )

    terms = load_terms()
    lines = [
        "",
        "## Tones",
        "",
        "| tone | sign | what it means |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {t.word} | {t.sign} | {t.means} |" for t in tone_words().values()]
    for audit in (name for name in terms if plain_question(name)):
        lines += ["", f"## {audit_title(audit)}: {plain_question(audit)}", ""]
        lines += [
            "| verdict | tone | what was found | what it lets you say | what to do |"
        ]
        lines += ["| --- | --- | --- | --- | --- |"]
        lines += [
            f"| `{label}` | {tone_words()[words['tone']].word} | {words['found']} | "
            f"{words['means']} | {' '.join(words['next'])} |"
            for label, words in terms[audit]["verdict"].items()
        ]
    for title, kind in (("Words", "word"), ("Statistics", "statistic")):
        lines += ["", f"## {title}", "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| `{name}` | {text} |" for name, text in terms[kind].items()]
    return "\n".join([*lines, "", ""])


def refreshed_words(page: str) -> str:
    """The page with the words of today."""
    fresh = explained_words()
    return WORDS.sub(lambda _: fresh, page)
