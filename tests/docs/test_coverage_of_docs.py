"""Nothing that has a name is missing from the pages."""

import re
from importlib import import_module
from importlib.util import find_spec

import pytest
import yaml

import docs
import measurand
from measurand import PUBLIC
from measurand.audits import AUDITS
from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.files import FORMATS
from measurand.benchmarks.metadata import metadata_schema
from measurand.benchmarks.roles import PLAIN
from measurand.explainers import EXPLAINERS
from measurand.interventions import INTERVENTIONS
from measurand.interventions.shuffle import KINDS, WITHIN
from measurand.readers import READERS
from measurand.selections import SELECTIONS

PAGES = {page.name: page.read_text("utf-8") for page in docs.PAGES}
WHOLE = "\n".join([docs.README.read_text("utf-8"), *PAGES.values()])
DATA = PAGES["data.md"]
CATALOGUES = (AUDITS, BENCHMARKS, INTERVENTIONS, READERS, SELECTIONS)
NAMED = [(catalogue.kind, name) for catalogue in CATALOGUES for name in catalogue]
SITE = yaml.safe_load((docs.ROOT / "mkdocs.yml").read_text("utf-8"))


def package(audit):
    """The name of the package in which the record of an audit stands."""
    return AUDITS.entries[audit].where.partition(":")[0]


def statistics(audit):
    """The statistics that an audit's docstring names at the margin."""
    text = import_module(package(audit)).__doc__
    lines = re.findall(r"^[a-z_0-9]+(?:, [a-z_0-9]+)*$", text, re.MULTILINE)
    return [name for line in lines for name in line.split(", ")]


def constants(audit):
    """The numbers by which an audit decides; those that bound options are no such."""
    module = f"{package(audit)}.settings"
    names = vars(import_module(module)) if find_spec(module) else {}
    return {
        name: value
        for name, value in names.items()
        if name.isupper() and not name.startswith(("COUNT", "MOST_"))
        if all(
            isinstance(number, int | float)
            for number in (value if isinstance(value, tuple) else [value])
        )
    }


WORDS = [
    (audit, word)
    for audit in AUDITS
    for word in (*statistics(audit), *AUDITS.thing(audit).labels)
]
THRESHOLDS = [
    (audit, name, value) for audit in AUDITS for name, value in constants(audit).items()
]


@pytest.mark.parametrize(("kind", "name"), NAMED)
def test_everything_with_a_name_is_explained(kind, name):
    assert f"`{name}`" in WHOLE


@pytest.mark.parametrize("verb", docs.verbs())
def test_every_verb_is_there(verb):
    assert f"measurand {verb}" in WHOLE


@pytest.mark.parametrize("audit", list(AUDITS))
def test_every_audit_has_a_page_in_the_menu(audit):
    assert f"{audit}.md" in PAGES
    assert f"{audit}.md" in str(SITE["nav"])


@pytest.mark.parametrize(("audit", "word"), WORDS)
def test_the_page_of_an_audit_explains_its_statistics_and_verdicts(audit, word):
    assert f"`{word}`" in PAGES[f"{audit}.md"]


@pytest.mark.parametrize(("audit", "name", "value"), THRESHOLDS)
def test_the_page_of_an_audit_states_its_thresholds(audit, name, value):
    assert f"| `{name}` | {value} |" in PAGES[f"{audit}.md"]


@pytest.mark.parametrize("audit", list(AUDITS))
def test_the_statistics_of_an_audit_are_named_in_its_docstring(audit):
    assert statistics(audit)


@pytest.mark.parametrize(
    "name", [*KINDS, *WITHIN, *metadata_schema("evidence", "choices")]
)
def test_the_evidence_page_explains_shuffles_and_metadata(name):
    assert f"`{name}`" in PAGES["evidence.md"]


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_every_explainer_is_explained(name):
    assert f"`{name}`" in PAGES["explanations.md"]


def test_the_data_page_lists_formats_and_plain_names():
    for suffix in FORMATS:
        assert f"`{suffix}`" in DATA
    for role, groups in PLAIN.items():
        (row,) = re.findall(rf"^\| {role} \| (.*) \|$", DATA, re.MULTILINE)
        listed = set(re.findall(r"\w+", row.lower())) - {"else"}
        assert listed == frozenset().union(*groups)


@pytest.mark.parametrize("name", measurand.__all__)
def test_every_public_name_stands_on_the_page_of_the_api(name):
    assert f"\n::: {PUBLIC[name]}.{name}\n" in PAGES["api.md"]


def test_the_page_of_the_api_names_nothing_else():
    assert PAGES["api.md"].count("\n::: ") == len(measurand.__all__)


def test_the_pages_use_only_public_names_that_exist():
    used = set(re.findall(r"\b(?:measurand|ms)\.([A-Za-z_]+)\(", WHOLE))
    assert {"load", "evidence", "audit", "Workplace"} <= used <= set(PUBLIC)


def test_no_page_calls_a_benchmark_broken():
    for word in ("is broken", "are broken", "is independent of"):
        assert word not in WHOLE
