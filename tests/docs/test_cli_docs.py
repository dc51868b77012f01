"""The pages of the command line are the program's own help."""

import tomllib

import pytest

import docs
from measurand.cli.app import parameter_names, verb_commands
from tests.docs.conftest import blocks

TEXTS = {page: page.read_text("utf-8") for page in docs.verbs_by_page()}
ON_PAGE = [
    (verb, page) for page, verbs in docs.verbs_by_page().items() for verb in verbs
]


@pytest.fixture(scope="module")
def help_texts():
    return docs.help_texts()


def test_every_verb_is_on_one_page():
    assert sorted(verb for verb, _ in ON_PAGE) == sorted(["", *docs.verbs()])


@pytest.mark.parametrize(("verb", "page"), ON_PAGE)
def test_the_page_shows_the_help_of_every_verb(verb, page, help_texts):
    heading = f"### {verb}\n" if verb else "<!-- verbs -->\n"
    shown = f"{heading}\n```text\n{help_texts[verb]}```\n"
    assert shown in TEXTS[page], "out of date: run python -m docs"


def test_the_page_of_the_api_shows_the_settings_of_today():
    page = docs.API.read_text("utf-8")
    assert docs.refreshed_api(page) == page, "out of date: run python -m docs"


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_the_page_names_no_verb_that_is_gone(page):
    generated = docs.VERBS.search(TEXTS[page])[0]
    headings = [line[4:] for line in generated.splitlines() if line.startswith("### ")]
    assert headings == [verb for verb in docs.verbs_by_page()[page] if verb]


def test_the_help_depends_on_no_terminal(monkeypatch, help_texts):
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "40", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    assert docs.said("list", "--help") == help_texts["list"]


def test_the_example_of_a_config_file_sets_only_what_can_be_set():
    ((_, code),) = blocks(docs.CLI, "toml")
    command = verb_commands()["evidence"]
    known = {
        name for parameter in command.params for name in parameter_names(parameter)
    }
    assert set(tomllib.loads(code)) <= known
