"""How large a page is, how soon it stands, how fast it answers: python -m bench page.

Reports of so many items, made here, are saved and opened in Chromium; the explorer is
searched and filtered, and each answer costs CPU milliseconds of the page, its layout
included.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.figures import Figure, cpu
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report, Verdict
from measurand.report.reports import Reports, save_reports

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
# One word or choice, asked once, the layout included.
ASK = """
const control = document.querySelectorAll("#items input, #items select")[arguments[0]];
control.value = arguments[1];
control.dispatchEvent(new Event(arguments[0] ? "change" : "input"));
document.body.getBoundingClientRect();
"""
VALUES = """
return [...document.querySelectorAll("#items select")].map(
  (choice) => [...choice.options].map((option) => option.value));
"""
SEARCHED = ("h", "harbour", "boat 1", "nowhere", "")
TRIES = 5


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
        took = [*_ask_all(browser)]
    finally:
        browser.quit()
    what = f"{count:,} items"
    return [
        Figure(f"{what}, page", path.stat().st_size / 1e6, "MB", most=2.0),
        Figure(f"{what}, to save all", seconds, "s"),
        Figure(f"{what}, to load, wall", loaded, "ms"),
        Figure(f"{what}, explorer, median", float(np.median(took)), "ms"),
        Figure(f"{what}, explorer, slowest", max(took), "ms", most=50.0),
    ]


def _ask_all(browser: Any) -> Iterator[float]:
    """The CPU milliseconds of the page for each word and choice, best of several."""
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    choices = browser.execute_script(VALUES)
    actions = [(0, word) for word in SEARCHED]
    actions += [(i, value) for i, vs in enumerate(choices, 1) for value in (*vs, "")]
    for place, value in actions:
        tries = []
        for _ in range(TRIES):
            before = _task_seconds(browser)
            browser.execute_script(ASK, place, value)
            tries.append(1000 * (_task_seconds(browser) - before))
        yield min(tries)


def _task_seconds(browser: Any) -> float:
    """The CPU seconds of all tasks of the page so far."""
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))
