"""Nothing that has a name is missing from the pages."""

import re

import pytest

import docs
from measurand import PUBLIC
from measurand.audits import AUDITS, evidence, explanations, exposure, leakage
from measurand.audits.evidence import thresholds
from measurand.audits.evidence.verdict import LABELS
from measurand.audits.explanations import thresholds as explanations_thresholds
from measurand.audits.explanations.verdict import LABELS as EXPLANATIONS_LABELS
from measurand.audits.exposure import thresholds as exposure_thresholds
from measurand.audits.exposure.verdict import LABELS as EXPOSURE_LABELS
from measurand.audits.leakage import thresholds as leakage_thresholds
from measurand.audits.leakage.verdict import LABELS as LEAKAGE_LABELS
from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.files import FORMATS
from measurand.benchmarks.metadata import metadata_schema
from measurand.benchmarks.roles import PLAIN
from measurand.explainers import EXPLAINERS
from measurand.interventions import INTERVENTIONS
from measurand.interventions.shuffle import KINDS
from measurand.readers import READERS
from measurand.selections import SELECTIONS

PAGES = {page.name: page.read_text("utf-8") for page in docs.PAGES}
WHOLE = "\n".join([docs.README.read_text("utf-8"), *PAGES.values()])
AUDIT, DATA = PAGES["evidence.md"], PAGES["data.md"]
CATALOGUES = (AUDITS, BENCHMARKS, INTERVENTIONS, READERS, SELECTIONS)
NAMED = [(catalogue.kind, name) for catalogue in CATALOGUES for name in catalogue]
CONSTANTS = {k: v for k, v in vars(thresholds).items() if isinstance(v, int | float)}


def statistics(audit):
    """The statistics that an audit's docstring names at the margin."""
    found = re.findall(r"^[a-z_0-9]+(?:, [a-z_0-9]+)*$", audit.__doc__, re.MULTILINE)
    return [name for line in found for name in line.split(", ")]


STATISTICS = statistics(evidence)


def constants(thresholds):
    """The constants of an audit, by name."""
    return {k: v for k, v in vars(thresholds).items() if k.isupper() and k != "SHOWN"}


LEAKAGE, EXPOSURE = constants(leakage_thresholds), constants(exposure_thresholds)
EXPLANATIONS = constants(explanations_thresholds)


@pytest.mark.parametrize(("kind", "name"), NAMED)
def test_everything_with_a_name_is_explained(kind, name):
    assert f"`{name}`" in WHOLE


@pytest.mark.parametrize("verb", docs.verbs())
def test_every_verb_is_there(verb):
    assert f"measurand {verb}" in WHOLE


@pytest.mark.parametrize("name", CONSTANTS)
def test_every_threshold_stands_with_its_value(name):
    assert f"| `{name}` | {CONSTANTS[name]} |" in AUDIT


@pytest.mark.parametrize(
    "name", [*STATISTICS, *LABELS, *KINDS, *metadata_schema("evidence")]
)
def test_the_audit_page_explains_its_words(name):
    assert f"`{name}`" in AUDIT


def test_the_statistics_were_found():
    assert {"mpds", "delta_evi", "sigma_shuf", "query_only", "mcc"} <= {*STATISTICS}


def test_the_data_page_lists_formats_and_plain_names():
    for suffix in FORMATS:
        assert f"`{suffix}`" in DATA
    for role, groups in PLAIN.items():
        (row,) = re.findall(rf"^\| {role} \| (.*) \|$", DATA, re.MULTILINE)
        listed = set(re.findall(r"\w+", row.lower())) - {"else"}
        assert listed == frozenset().union(*groups)


def test_the_pages_use_only_public_names_that_exist():
    used = set(re.findall(r"\b(?:measurand|ms)\.([A-Za-z_]+)\(", WHOLE))
    assert {"load", "evidence", "audit", "Workplace"} <= used <= set(PUBLIC)


def test_no_page_calls_a_benchmark_broken():
    for word in ("is broken", "are broken", "is independent of"):
        assert word not in WHOLE


@pytest.mark.parametrize("name", LEAKAGE)
def test_every_threshold_of_leakage_stands_with_its_value(name):
    assert f"| `{name}` | {LEAKAGE[name]} |" in PAGES["leakage.md"]


@pytest.mark.parametrize("name", [*statistics(leakage), *LEAKAGE_LABELS])
def test_the_leakage_page_explains_its_words(name):
    assert f"`{name}`" in PAGES["leakage.md"]


@pytest.mark.parametrize("name", EXPOSURE)
def test_every_threshold_of_exposure_stands_with_its_value(name):
    assert f"| `{name}` | {EXPOSURE[name]} |" in PAGES["exposure.md"]


@pytest.mark.parametrize("name", [*statistics(exposure), *EXPOSURE_LABELS])
def test_the_exposure_page_explains_its_words(name):
    assert f"`{name}`" in PAGES["exposure.md"]


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_every_threshold_of_explanations_stands_with_its_value(name):
    assert f"| `{name}` | {EXPLANATIONS[name]} |" in PAGES["explanations.md"]


@pytest.mark.parametrize("name", [*statistics(explanations), *EXPLANATIONS_LABELS])
def test_the_explanations_page_explains_its_words(name):
    assert f"`{name}`" in PAGES["explanations.md"]


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_every_explainer_is_explained(name):
    assert f"`{name}`" in PAGES["explanations.md"]
