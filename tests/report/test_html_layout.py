"""The page in a real browser: nothing overflows, axe finds nothing, nothing runs."""

import base64
from dataclasses import replace

import pandas as pd
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from measurand.core.finding import Exhibit
from measurand.report.html import page
from measurand.report.reports import Reports, index_page, save_reports
from tests.report.conftest import ATTACKS, exhibits
from tests.report.gallery import carded, mapped
from tests.report.verdicts import items, report_of

HEBREW = "הסירה מעולם לא הפליגה מן הנמל, כך כתוב ביומן"
CHINESE = "这艘船从未离开过港口，日志上没有任何记录，码头工人也没有见过它。"
# Every element that sticks out of the window and that no box around it scrolls.
STICKING = """
const wide = document.documentElement.clientWidth, found = [];
for (const element of document.querySelectorAll("body *")) {
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height || element.closest(".hidden")) continue;
  let scrolls = false;
  for (let up = element.parentElement; up && !scrolls; up = up.parentElement)
    scrolls = getComputedStyle(up).overflowX !== "visible";
  if (!scrolls && (box.right > wide + 1 || box.left < -1))
    found.push(`${element.tagName}.${element.className} ${Math.round(box.right)}`);
}
return found;
"""
OPEN = "for (const fold of document.querySelectorAll('details')) fold.open = true"
SERIOUS = """
const done = arguments[arguments.length - 1];
axe.run().then((told) => done(told.violations
  .filter((v) => ["serious", "critical"].includes(v.impact))
  .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 4)}`)));
"""


def full_items(texts=("The boat never sailed.", HEBREW, CHINESE)):
    """Items whose texts go in both directions, with what a shuffle did to them."""
    table = items()
    count = len(table)
    return table.assign(
        claim=[f"{texts[i % len(texts)]} {i}" for i in range(count)],
        article=[f"{texts[(i + 1) % len(texts)]} {i}" for i in range(count)],
        **{
            "measurand.query_only:cross": [i % 2 == 0 for i in range(count)],
            "measurand.answer:cross": table["label"],
            "measurand.shuffled_answer:cross": [*table["label"]][::-1],
            "measurand.given_by": [*table.index][::-1],
        },
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An audit of two reports, with every section that a page can have."""
    evidence = report_of("evidence", "needed")
    leakage = report_of("leakage", "leaks")
    repair = {"repair/kept_words.txt": b"item-1\n", "repair/work_list.csv": b"id\n"}
    reports = {
        "evidence": replace(
            evidence, exhibits=exhibits("snli")[:2], items=full_items()
        ),
        "leakage": replace(
            leakage,
            exhibits=(*leakage.exhibits, mapped(), carded()),
            files=repair,
            items=full_items(),
            warnings=("a warning " * 12,),
        ),
    }
    where = tmp_path_factory.mktemp("layout") / "audit"
    save_reports(Reports(reports, {"exposure": "it was not asked for"}), where, {})
    (where.parent / "index.html").write_text(index_page(where.parent), "utf-8")
    return where


def show(browser, path, width=1280, dark=False, media=""):
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [scheme], "media": media}
    )
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())
    browser.execute_script(OPEN)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 800, 1600])
def test_no_element_sticks_out(browser, folder, width, dark):
    for path in (folder / "report.html", folder.parent / "index.html"):
        show(browser, path, width, dark)
        assert browser.execute_script(STICKING) == []
        assert browser.execute_script("return document.body.scrollWidth") <= width
        assert browser.get_log("browser") == []


NESTED = "gold_evidence[].supporting_passages[].annotated_sentences[].normalised_text"
# Of every name: the letters before which its lines end.
BROKEN = """
const found = [];
for (const element of document.querySelectorAll("h3, h4, th, dd, p, li, bdi, small")) {
  for (const node of element.childNodes) {
    if (node.nodeType !== 3) continue;
    const range = document.createRange();
    for (let n = 1; n < node.length; n++) {
      const tops = [n - 1, n].map((at) => {
        range.setStart(node, at); range.setEnd(node, at + 1);
        return range.getBoundingClientRect().top;
      });
      const pair = node.data.slice(n - 1, n + 1);
      if (tops[1] > tops[0] + 4 && /^[a-z]{2}$/.test(pair))
        found.push(`${element.tagName} ${node.data.slice(0, n)}`);
    }
  }
}
return found;
"""


@pytest.mark.parametrize("width", [400, 800])
def test_a_long_name_is_broken_between_its_parts(browser, tmp_path, width):
    report = report_of("evidence", "not needed")
    roles = {**report.benchmark["roles"], "evidence": NESTED}
    told = replace(
        report,
        benchmark={**report.benchmark, "roles": roles},
        items=full_items(["The boat never sailed."]).rename(
            columns={"article": NESTED}
        ),
        warnings=(f"{NESTED} is all there is of an item",),
    )
    (tmp_path / "page.html").write_text(page(told, {}), "utf-8")
    show(browser, tmp_path / "page.html", width)
    assert NESTED.rpartition(".")[2] in browser.find_element(By.TAG_NAME, "main").text
    assert browser.execute_script(BROKEN) == []
    assert browser.execute_script(STICKING) == []


def test_the_page_prints(browser, folder):
    show(browser, folder / "report.html", 794, media="print")
    assert browser.execute_script(STICKING) == []
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(browser, folder, dark):
    axe = pytest.importorskip("axe_core_python.selenium").Axe
    for path in (folder / "report.html", folder.parent / "index.html"):
        show(browser, path, dark=dark)
        browser.execute_script(axe().axe_script)
        assert browser.execute_async_script(SERIOUS) == []


def test_charts_follow_the_theme(browser, folder):
    colours = []
    for dark in (False, True):
        show(browser, folder / "report.html", dark=dark)
        picture = browser.find_element(By.CSS_SELECTOR, ".drawing img")
        colours.append(picture.screenshot_as_png)
    assert colours[0] != colours[1]


def test_items_are_searched_filtered_and_read_beside_wrong_evidence(browser, folder):
    show(browser, folder / "report.html")
    section = browser.find_element(By.ID, "items")
    said = section.find_element(By.CSS_SELECTOR, "output")
    assert said.text == "60 of 60 items"
    first, second = section.find_elements(
        By.CSS_SELECTOR, ".item:first-child .sides .side"
    )
    assert first.text.startswith("article, its own")
    assert second.text.startswith("article, of another item")
    assert "answered" in first.text
    assert "answered" in second.text
    Select(section.find_element(By.CSS_SELECTOR, "[data-by='1']")).select_by_value("1")
    assert said.text == "24 of 60 items"
    section.find_element(By.CSS_SELECTOR, "input").send_keys("never sailed. 3")
    marks = section.find_elements(By.CSS_SELECTOR, "details")
    assert 0 < len(marks) < 24


@pytest.mark.parametrize("bad", ATTACKS, ids=range(len(ATTACKS)))
def test_hostile_items_words_and_names_run_nothing(browser, tmp_path, bad):
    evidence, leakage = (
        report_of("evidence", "not needed"),
        report_of("leakage", "leaks"),
    )
    words = pd.DataFrame({"token": [bad], "label": [bad], "z": [9.0]})
    table = full_items((bad,)).assign(label=bad)
    table.index = [f"{bad} {i}" for i in range(len(table))]
    table["measurand.given_by"] = [*table.index]
    table["measurand.answer:cross"] = bad
    known = {
        "name": bad,
        "roles": {"query": "claim", "evidence": "article", "label": "label"},
    }
    reports = {
        name: replace(
            report,
            benchmark=known,
            items=table,
            exhibits=(Exhibit("words_claim", "table", words, bad),),
            warnings=(bad,),
        )
        for name, report in (("evidence", evidence), ("leakage", leakage))
    }
    where = save_reports(Reports(reports, {bad: bad}), tmp_path / "r", {})
    (tmp_path / "index.html").write_text(index_page(tmp_path), "utf-8")
    for path in (where / "report.html", tmp_path / "index.html"):
        show(browser, path)
        for box in browser.find_elements(By.CSS_SELECTOR, "input[type=search]"):
            box.send_keys("a")
        assert browser.title != "pwned"
        assert browser.get_log("browser") == []
        made = browser.find_elements(
            By.CSS_SELECTOR, "img, iframe, [onerror], [onload]"
        )
        assert made == []


def test_the_same_reports_make_the_same_pages(folder, tmp_path):
    from measurand.report.html import page_of_all
    from measurand.report.saved import load_report

    reports = [load_report(folder / name) for name in ("evidence", "leakage")]
    assert page_of_all(reports, {}, {}) == page_of_all(reports, {}, {})
    assert len((folder / "report.html").read_bytes()) < 2_000_000
    assert index_page(folder.parent) == index_page(folder.parent)
