"""Reports are paired by audit and benchmark, also where files are called otherwise."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.compare.compare import compare
from measurand.compare.versions import is_same_benchmark, match_reports, version_ids

ROLES = {"query": "claim", "evidence": "log", "label": "label"}


def items(n=40, claim="boat {} left", log="seen {}", right=20):
    return pd.DataFrame(
        {
            "claim": [claim.format(i) for i in range(n)],
            "log": [log.format(i) for i in range(n)],
            "label": ["yes", "no"] * (n // 2),
            "measurand.correct:tfidf": [True] * right + [False] * (n - right),
        },
        [str(i) for i in range(n)],
    )


@pytest.fixture
def report(realistic):
    def make(name, table, audit="evidence"):
        about = {"name": name, "roles": ROLES}
        return replace(realistic, benchmark=about, items=table, audit=audit)

    return make


def test_versions_in_files_of_other_names_are_paired_by_their_items(report):
    old = report("v1", items())
    new = report("v2", items(claim="boat {} has left", right=30))
    assert len(version_ids(old, new)) == 40
    stated = compare([old, new]).finding("accuracy_difference", "tfidf")
    assert (stated.estimate.value, stated.estimate.n) == (0.25, 40)
    assert stated.condition == "v2 − v1"


def test_only_items_with_a_text_in_common_are_paired(report):
    changed = items(right=30)
    changed.loc[changed.index[:15], ["claim", "log"]] = "something else"
    found = compare([report("v1", items()), report("v2", changed)])
    assert found.finding("accuracy_difference", "tfidf").estimate.n == 25


def test_row_numbers_alone_are_no_items_in_common(report):
    other = items(claim="recipe {}", log="salt {}")
    assert not is_same_benchmark(report("boats", items()), report("recipes", other))
    shifted = items(n=60).iloc[1:].set_axis([str(i) for i in range(59)])
    assert not is_same_benchmark(report("a", items()), report("b", shifted))


def test_a_text_that_all_share_makes_no_items_alike(report):
    first, second = (items(claim=f"{c} {{}}", log="same") for c in ("boat", "tide"))
    assert not is_same_benchmark(report("a", first), report("b", second))


def test_folders_of_several_reports_are_paired_by_audit_and_benchmark(report):
    other = items(claim="recipe {}", log="salt {}")
    old = {
        "old/boats/evidence": report("boats", items()),
        "old/boats/leakage": report("boats", items(), "leakage"),
        "old/recipes/evidence": report("recipes", other),
    }
    new = {
        "new/dishes": report("dishes", other),
        "new/boats": report("boats", items()),
        "new/moons": report("moons", items(claim="moon {}", log="orbit {}")),
    }
    matches, left = match_reports([old, new])
    assert [match.places for match in matches] == [
        ("old/boats/evidence", "new/boats"),
        ("old/recipes/evidence", "new/dishes"),
    ]
    assert left == ["old/boats/leakage", "new/moons"]


def test_the_only_reports_of_an_audit_belong_together(report):
    old = {"a": report("x", items()), "b": report("x", items(), "leakage")}
    new = {"c": report("y", items(claim="moon {}", log="orbit {}"))}
    matches, left = match_reports([old, new])
    assert ([m.places for m in matches], left) == ([("a", "c")], ["b"])
    assert matches[0].title == "evidence of x"


def test_single_reports_are_one_match(report):
    folders = [{place: report(place, items())} for place in "abc"]
    (match,), left = match_reports(folders)
    assert (match.places, left) == (("a", "b", "c"), [])
