"""A file to audit, the command line in this process, and a browser."""

import os
import shutil
import sys

import pytest

from measurand.cli import main
from tests.cli.commands import (
    QUICK,
    SCREEN_ALL,
    Outcome,
    in_process,
    made,
    written,
    written_sides,
)

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MEASURAND_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def facts():
    return made()


@pytest.fixture
def file(tmp_path, facts):
    return written(tmp_path / "facts.jsonl", facts)


@pytest.fixture(scope="session")
def made_report(tmp_path_factory):
    """A folder with a report, made once: to be read or copied, never written to."""
    folder = tmp_path_factory.mktemp("made")
    file = written(folder / "facts.jsonl", made())
    place = {"MEASURAND_STORE": folder / "store"}
    outcome = in_process("evidence", file, *QUICK, "--out", folder / "r", **place)
    assert outcome.code == 0, outcome.err
    return folder / "r"


@pytest.fixture(scope="session")
def made_audits(tmp_path_factory, patch_tables):
    """What all audits printed, their words, and the folder with `all` and `store`.

    They are run once, with small tables: to be read or copied, never written to.
    """
    folder = tmp_path_factory.mktemp("audits")
    words = ("audit", *written_sides(folder, made(90)), *SCREEN_ALL)
    place = {"MEASURAND_STORE": folder / "store"}
    with patch_tables():
        outcome = in_process(*words, "--json", "--out", folder / "all", **place)
    assert outcome.code == 0, outcome.err
    return outcome, words, folder


@pytest.fixture
def run(monkeypatch, capsys):
    """The command line in this process: the imports are paid for once."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["measurand", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        return Outcome(left.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def browser(tmp_path):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver) and not os.environ.get("CI"):
        pytest.skip("chromium and chromedriver are not installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path / 'profile'}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Debian's Chromium would open a search engine first.
    blank = {"session.restore_on_startup": 4, "session.startup_urls": ["about:blank"]}
    options.add_experimental_option("prefs", blank)
    opened = webdriver.Chrome(options=options, service=Service(driver))
    yield opened
    opened.quit()
