"""How large a page is, how soon it stands, how fast it answers: python -m bench page.

Reports of so many items, made here, are saved and opened in Chromium; the explorer is
searched and filtered, and each answer is timed in the page, its layout included.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bench.figures import Figure, cpu
from measurand.core.finding import Estimate, Exhibit, Finding, Report, Verdict
from measurand.report.saved import Reports, save_reports

SIZES = (10_000, 100_000)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
ROLES = {"query": "claim", "evidence": "article", "label": "label"}
LOADED = """
const done = arguments[0], entry = performance.getEntriesByType("navigation")[0];
const look = () =>
  entry.loadEventEnd > 0 ? done(entry.loadEventEnd) : setTimeout(look, 5);
look();
"""
# How long the explorer takes for each word and choice, the layout included: the median
# of several tries, since others use the machine too.
ASK = """
const box = document.querySelector("#items input"), took = [];
const time = (control, value, name) => {
  const tries = [];
  for (let i = 0; i < 7; i++) {
    const before = performance.now();
    control.value = value;
    control.dispatchEvent(new Event(name));
    document.body.getBoundingClientRect();
    tries.push(performance.now() - before);
  }
  took.push(tries.sort((a, b) => a - b)[3]);
};
for (const word of ["h", "harbour", "boat 1", "nowhere", ""]) time(box, word, "input");
for (const choice of document.querySelectorAll("#items select")) {
  for (const option of choice.options) time(choice, option.value, "change");
  choice.value = "";
}
return took;
"""


def items(count: int) -> pd.DataFrame:
    """Claims and articles of usual length, with what one reader answered."""
    rng = np.random.default_rng(0)
    words = np.array(["harbour", "boat", "pier", "crew", "tide", "rope", "net"])
    texts = [" ".join(rng.choice(words, 60)) for _ in range(500)]
    label = np.where(rng.random(count) < 0.5, "supported", "refuted")
    ids = [f"item-{i}" for i in range(count)]
    right = {
        f"measurand.{kind}:cross": rng.random(count) < 0.7
        for kind in ("correct", "query_only", "evidence_only")
    }
    return pd.DataFrame(
        {
            "claim": [f"The boat {i} lay at the harbour." for i in range(count)],
            "article": [texts[i % 500] for i in range(count)],
            "label": label,
            **right,
            "measurand.shuffled:cross": rng.random(count),
            "measurand.answer:cross": label,
            "measurand.shuffled_answer:cross": label[::-1],
            "measurand.given_by": ids[::-1],
        },
        index=ids,
    )


def reports(count: int) -> Reports:
    """The audit of so many items: evidence, and leakage with a map."""
    table = items(count)
    rng = np.random.default_rng(1)
    points = pd.DataFrame(
        {
            "id": table.index,
            "x": rng.random(count),
            "y": rng.random(count),
            "label": table["label"].to_numpy(),
            "cluster": np.arange(count) % 20,
            "weight": rng.random(count),
            "text": table["claim"].to_numpy(),
        }
    )
    words = pd.DataFrame({"token": ["boat"], "label": "refuted", "z": [9.0]})
    half = Estimate(0.5, 0.48, 0.52, 0.95, count, "bootstrap over items")
    most = Estimate(0.3, 0.28, 0.32, 0.95, count, "bootstrap over items")
    known = {"name": f"{count:,} items", "roles": ROLES}
    evidence = Report(
        "evidence",
        known,
        Verdict("evidence-sensitive", "", "cross", "cross loses"),
        (
            Finding("majority", "majority", "full", half),
            Finding("accuracy", "cross", "full", most),
            Finding("delta_evi", "cross", "plain", most, "depends"),
        ),
        {"readers": {"cross": {}}},
        items=table,
    )
    leakage = Report(
        "leakage",
        known,
        Verdict("leaks", "", "cross", "claim alone"),
        (
            Finding("majority", "majority", "full", half),
            Finding("over_majority", "cross", "claim", most, "leaks"),
        ),
        {"readers": {"cross": {}}},
        exhibits=(
            Exhibit("words_claim", "table", words, "Words"),
            Exhibit("map_claim", "map", points, "The map"),
        ),
        items=table,
    )
    return Reports({"evidence": evidence, "leakage": leakage})


def run(arguments: Sequence[str]) -> list[Figure]:
    """Measure the page of each size."""
    sizes = [int(size) for size in arguments] or SIZES
    figures = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            figures += _measure(size, Path(folder))
    return figures


def _measure(count: int, folder: Path) -> list[Figure]:
    """The size of a page, and how long it takes to be saved, loaded and asked."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    seconds, _ = cpu(lambda: save_reports(reports(count), folder / "audit", {}))
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in [*FLAGS.split(), f"--user-data-dir={folder / 'profile'}"]:
        options.add_argument(flag)
    service = Service(shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        path = folder / "audit" / "report.html"
        browser.get(path.as_uri())
        loaded = float(browser.execute_async_script(LOADED))
        took = [float(number) for number in browser.execute_script(ASK)]
    finally:
        browser.quit()
    what = f"{count:,} items"
    return [
        Figure(f"{what}, page", path.stat().st_size / 1e6, "MB", most=2.0),
        Figure(f"{what}, to save all", seconds, "s"),
        Figure(f"{what}, to load, wall", loaded, "ms"),
        Figure(f"{what}, explorer, median, wall", float(np.median(took)), "ms"),
        Figure(f"{what}, explorer, slowest, wall", max(took), "ms", most=50.0),
    ]
