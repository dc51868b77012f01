"""Reports made by hand: one like those people will have, one made to do harm."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Highlight, Report, Verdict
from measurand.report.saved import save_report

READERS = {"tfidf": (0.63, 0.004), "minilm": (0.78, 0.296), "bert": (0.84, 0.367)}
ATTACKS = (
    '<script>document.title="pwned"</script>',
    "</script><img src=x onerror=\"document.title='pwned'\">",
    "{{7*7}}",
    "\x1b[31mred\x1b[0m\x07",
    "\u202eevil\u2069",
    '" onload="document.title=\'pwned\'" x="',
    "a.b[0]:Q",
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
MAP = {
    "margin": 0.02,
    "line": 0.9,
    "regions": ["evidence-sensitive", "latent coupling", "direct coupling"],
    "x_title": "MPDS",
    "y_title": "ΔEvi",
}
UNNEEDED = Highlight(
    "measurand.without_evidence", "Items answered", "items answered right."
)
HUGE = "<script>document.title='pwned'</script>" + "x" * 1_000_000


def estimate(value, half=0.01, n=2000, method="paired bootstrap over items"):
    return Estimate(value, value - half, value + half, 0.95, n, method)


def findings():
    for reader, (accuracy, delta) in READERS.items():
        near = "near zero" if delta < 0.01 else "positive"
        yield Finding("accuracy", reader, "full", estimate(accuracy, 0.018))
        yield Finding("mpds", reader, "full", estimate(0.36 / accuracy, 0.03), "low")
        yield Finding("delta_evi", reader, "plain", estimate(delta, 0.008), near)
        yield Finding("query_only", reader, "query", estimate(0.6 * accuracy, 0.02))
    for value in ("travel", "fiction"):
        yield Finding("ood_gap", "bert", f"genre={value}", estimate(0.05, 0.03))


def exhibits(name):
    rng = np.random.default_rng(0)
    stated = [(reader, *numbers) for reader, numbers in READERS.items()]
    places = [
        (name, r, 0.36 / a, 0.34 / a, 0.38 / a, d, d - 0.008, d + 0.008, "latent")
        for r, a, d in stated
    ]
    ablations = [
        (r, bar, share * a, share * a - 0.02, share * a + 0.02)
        for r, a, _ in stated
        for bar, share in (("full", 1), ("query only", 0.7), ("evidence only", 0.43))
    ]
    shuffles = [
        (r, a - d + rng.normal(0, 0.004)) for r, a, d in stated for _ in range(20)
    ]
    ladder = [(r, d, d - 0.008, d + 0.008) for r, _, d in stated]
    columns = "benchmark reader x x_low x_high y y_low y_high region"
    marks = {"marks": {r: a for r, a, _ in stated}, "x_title": "accuracy"}
    return (
        _exhibit("decision map", "decision_map", places, columns, **MAP),
        _exhibit(
            "ablations",
            "bars",
            ablations,
            "group bar value low high",
            reference=0.34,
            reference_label="majority",
            x_title="accuracy",
        ),
        _exhibit("shuffles", "distribution", shuffles, "series value", **marks),
        _exhibit("ladder", "intervals", ladder, "name value low high", margin=0.02),
        _exhibit("counts", "table", [("train", 5), ("test", None)], "split rows"),
    )


def _exhibit(name, kind, rows, columns, **settings):
    table = pd.DataFrame(rows, columns=columns.split())
    return Exhibit(name, kind, table, f"The {name} of every reader", settings)


def items(count=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "premise": [
                f"A man in a blue shirt plays guitar ({i})" for i in range(count)
            ],
            "hypothesis": [f"Nobody is outside, case {i}" for i in range(count)],
            "label": rng.choice(["entailment", "contradiction"], count),
            "measurand.without_evidence": rng.random(count) < 0.3,
            "measurand.correct:tfidf": rng.random(count) < 0.6,
        },
        index=[f"item-{i}" for i in range(count)],
    )


def realistic(name="snli", seed=0):
    return Report(
        audit="evidence",
        benchmark={
            "name": name,
            "roles": {
                "query": "hypothesis",
                "evidence": "premise",
                "label": "label",
                "metadata": ["genre", "length"],
            },
            "sizes": {"train": 10_000, "test": 2_000},
            "labels": {"entailment": 0.34, "neutral": 0.33, "contradiction": 0.33},
        },
        verdict=Verdict(
            "evidence-sensitive",
            "evidence-sensitive",
            "bert",
            "bert loses 0.367 [0.359, 0.375] of its accuracy on wrong evidence; tfidf "
            "alone would have said latent coupling",
            provisional=True,
        ),
        findings=tuple(findings()),
        settings={"shuffles": 20, "seed": 0, "margin": 0.02, "readers": [*READERS]},
        not_run={"llm": "no endpoint was given; set MEASURAND_ENDPOINT"},
        warnings=(
            "the hypothesis alone reaches 0.588, well over the majority's 0.340",
        ),
        exhibits=exhibits(name),
        items=items(seed=seed),
        files={"repair/removed_words.txt": b"item-1\n"},
        highlight=UNNEEDED,
    )


def hostile():
    bad = [*ATTACKS, HUGE]
    texts = dict.fromkeys(range(3), 0)
    number = estimate(0.5)
    rows = [
        {"name": a, "value": 0.1 * i, "low": 0.0, "high": 0.9}
        for i, a in enumerate(bad)
    ]
    places = exhibits(HUGE)[0].table.assign(reader=bad[:3])
    titles = MAP | {"regions": [*bad[:2], HUGE], "x_title": HUGE, "y_title": bad[0]}
    drawn = [
        Exhibit(HUGE, "decision_map", places, bad[0], titles),
        Exhibit("../../x", "intervals", pd.DataFrame(rows), bad[1], {"x_title": HUGE}),
        Exhibit(
            "bars",
            "bars",
            pd.DataFrame(rows).assign(group=bad, bar=bad),
            bad[2],
            {"reference": 0.3, "reference_label": bad[0], "x_title": bad[6]},
        ),
        Exhibit(
            "spread",
            "distribution",
            pd.DataFrame({"series": bad, "value": 0.5}),
            bad[3],
            {"marks": dict.fromkeys(bad, 0.6), "x_title": bad[6]},
        ),
        Exhibit("table", "table", pd.DataFrame(dict.fromkeys(bad, bad)), HUGE),
        Exhibit("odd", bad[0], pd.DataFrame({"a": [1]}), bad[0]),
    ]
    cells = {a: [b] * len(bad) for a, b in zip(bad, reversed(bad), strict=True)}
    return Report(
        audit=bad[0],
        benchmark={"name": bad[0] + HUGE, "roles": {a: a for a in bad}, bad[1]: texts},
        verdict=Verdict(bad[0], bad[1], bad[2], HUGE, provisional=True),
        findings=tuple(Finding(a, bad[2], a, number, a) for a in bad),
        settings={a: {a: a} for a in bad},
        not_run={a: a for a in bad},
        warnings=(*bad, "half a pair: \ud800"),
        exhibits=tuple(drawn),
        items=pd.DataFrame({**cells, "measurand.without_evidence": True}, index=bad),
        highlight=replace(UNNEEDED, title=HUGE, note=bad[0]),
    )


@pytest.fixture(name="realistic")
def _realistic():
    return realistic()


@pytest.fixture
def lean():
    """The same with one figure, where figures are not the subject: each takes time."""
    report = realistic()
    return replace(report, exhibits=report.exhibits[:1])


@pytest.fixture(scope="module")
def lean_folder(tmp_path_factory):
    """Where the same is saved, for tests to copy: drawing takes longer than they do."""
    report, folder = realistic(), tmp_path_factory.mktemp("lean") / "report"
    return save_report(replace(report, exhibits=report.exhibits[:1]), folder, {})


@pytest.fixture
def lean_copy(lean_folder, tmp_path):
    """A folder with the lean report that a test may break."""
    return shutil.copytree(lean_folder, tmp_path / "report")


@pytest.fixture(name="hostile")
def _hostile():
    return hostile()


@pytest.fixture(scope="module")
def shared_browser(tmp_path_factory):
    """Started once a module: a start takes longer than most pages."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver) and not os.environ.get("CI"):
        pytest.skip("chromium and chromedriver are not installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    profile = tmp_path_factory.mktemp("profile")
    for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    # Debian's Chromium would open a search engine first.
    blank = {"session.restore_on_startup": 4, "session.startup_urls": ["about:blank"]}
    options.add_experimental_option("prefs", blank)
    opened = webdriver.Chrome(options=options, service=Service(driver))
    yield opened
    opened.quit()


@pytest.fixture
def browser(shared_browser):
    """The browser as if it were new: an empty page, its own window, empty logs."""
    shared_browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    shared_browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    shared_browser.get("about:blank")
    for log in ("browser", "performance"):
        shared_browser.get_log(log)
    return shared_browser
