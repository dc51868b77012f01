import json
import re
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from measurand.report import saved
from measurand.report.html import page, page_resource, script_digest
from measurand.report.map import map_points
from tests.report.gallery import BAD, carded, leaky, mapped

BLOCK = re.compile(r'<script type="application/json">(.*?)</script>', re.S)
# Points at a place of the canvas, as shares of its width and height.
HOVER = """
const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
const [across, down] = [arguments[0] * box.width, arguments[1] * box.height];
const place = {clientX: box.left + across, clientY: box.top + down};
const options = {...place, bubbles: true, pointerType: "mouse"};
canvas.dispatchEvent(new PointerEvent("pointermove", options));
const tip = document.querySelector(".tip");
const said = tip.hidden ? null : [...tip.children].map(part => part.textContent);
return said;
"""
CORNER = (0.985, 0.025)


def opened(browser, tmp_path, *exhibits):
    where = saved.save_report(leaky(exhibits=exhibits), tmp_path / "report", {})
    browser.get((where / "report.html").as_uri())
    # Cards are folded away; what is not open has no text to read.
    browser.execute_script(
        "for (const d of document.querySelectorAll('.chapter')) d.open = true"
    )
    return lambda *place: browser.execute_script(HOVER, *place)


def counted(browser):
    return browser.find_element(By.CSS_SELECTOR, "output").text


@pytest.mark.slow
def test_ten_thousand_points_are_drawn_and_answer(browser, tmp_path):
    texts = mapped(10_000, clusters=50)
    texts = replace(texts, table=texts.table.assign(text="A man plays guitar. " * 8))
    hover = opened(browser, tmp_path, texts, carded(50, 10))
    assert re.match(r"item \d+$", hover(0.17, 0.83)[0])
    assert counted(browser) == "10,000 of 10,000 points"
    assert browser.get_log("browser") == []


def test_a_hover_shows_the_point_under_it(browser, tmp_path):
    hover = opened(browser, tmp_path, mapped(300), carded())
    assert hover(*CORNER) == [
        "item 299",
        "no · cluster 5",
        "what item 299 says",
        "the card of cluster 5",
    ]
    assert hover(0.5, 0.1) is None


def test_filters_leave_what_is_asked_for(browser, tmp_path):
    hover = opened(browser, tmp_path, mapped(300), carded())
    assert counted(browser) == "300 of 300 points"
    boxes = browser.find_elements(By.CSS_SELECTOR, ".controls input")
    boxes[0].send_keys(Keys.SPACE)  # the labels stand in order: no, yes
    assert counted(browser) == "150 of 300 points"
    assert hover(*CORNER) is None
    boxes[0].click()
    choice = Select(browser.find_element(By.CSS_SELECTOR, "select"))
    choice.select_by_value("5")
    assert counted(browser) == "50 of 300 points"
    assert hover(*CORNER)[0] == "item 299"
    choice.select_by_visible_text("all biased ones")
    assert counted(browser) == "100 of 300 points"


def test_a_point_leads_to_its_card_and_the_card_back(browser, tmp_path):
    opened(browser, tmp_path, mapped(300), carded(biased=1))
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    box = canvas.size
    corner = (0.485 * box["width"], -0.475 * box["height"])
    ActionChains(browser).move_to_element_with_offset(canvas, *corner).click().perform()
    assert browser.current_url.endswith("#exhibit-2-cluster-5")
    Select(browser.find_element(By.CSS_SELECTOR, "select")).select_by_value("2")
    browser.find_element(By.CSS_SELECTOR, "a.to-card").send_keys(Keys.ENTER)
    assert browser.current_url.endswith("#exhibit-2-cluster-2")
    # Cluster 2 is not biased, so its card was folded away.
    card = browser.find_element(By.ID, "exhibit-2-cluster-2")
    assert card.is_displayed()
    card.find_element(By.LINK_TEXT, "on the map").click()
    assert browser.current_url.endswith("#exhibit-1")
    assert counted(browser) == "50 of 300 points"


def test_a_touch_shows_the_point_and_a_link(browser, tmp_path):
    opened(browser, tmp_path, mapped(300), carded())
    touch = HOVER.replace('"mouse"', '"touch"').replace("pointermove", "click")
    assert browser.execute_script(touch, *CORNER)[0] == "item 299"
    assert "#" not in browser.current_url
    browser.find_element(By.CSS_SELECTOR, ".tip a").click()
    assert browser.current_url.endswith("#exhibit-2-cluster-5")


def test_arrow_keys_go_from_point_to_point(browser, tmp_path):
    opened(browser, tmp_path, mapped(30), carded())
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    canvas.send_keys(Keys.ARROW_LEFT)
    tip = browser.find_element(By.CSS_SELECTOR, ".tip")
    assert tip.text.startswith("item 29\n")
    canvas.send_keys(Keys.ENTER)
    assert browser.current_url.endswith("#exhibit-2-cluster-5")
    canvas.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_hostile_text_is_shown_and_does_nothing(browser, tmp_path, bad):
    shown = mapped(names=(bad,), x_title=bad, y_title=bad, weight_title=bad)
    table = shown.table.assign(id=bad, text=bad, label=bad)
    hover = opened(
        browser,
        tmp_path,
        replace(shown, table=table),
        carded(names=(bad,), words=(bad,)),
    )
    said = hover(*CORNER)
    visible = bad.replace("\u2028\u202e\x1b[31m", "")
    assert said[0] == said[2] == visible
    assert visible in said[1]
    chip = browser.find_element(By.CSS_SELECTOR, ".words span")
    quote = browser.find_element(By.CSS_SELECTOR, ".cluster blockquote")
    assert (chip.text, quote.text) == (
        visible[:39] + "…" if len(visible) > 40 else visible,
        visible,
    )
    time.sleep(0.1)  # an image that fails to load would do so later
    assert browser.title == "leakage audit of snli"
    assert browser.get_log("browser") == []
    made = "return document.querySelectorAll('img, b:not(.bar b), [onerror]').length"
    assert browser.execute_script(made) == 0
    links = (
        "return [...document.links].filter(link => link.protocol !== 'file:').length"
    )
    assert browser.execute_script(links) == 0


def test_the_policy_lets_only_our_script_run(browser, tmp_path):
    text = page(leaky(exhibits=[mapped(), carded()]), {})
    script = page_resource("map.js")
    assert f"script-src '{script_digest(script)}'" in text
    assert "unsafe-inline'; script" not in text.split("style-src 'unsafe-inline'")[0]
    assert re.findall(r"<script[^>]*>", text) == [
        '<script type="application/json">',
        "<script>",
    ]
    added = text.replace("</main>", "</main><script>document.title='pwned'</script>")
    (tmp_path / "added.html").write_text(added)
    browser.get((tmp_path / "added.html").as_uri())
    assert browser.title != "pwned"
    assert counted(browser) == "300 of 300 points"


def test_a_page_without_a_map_has_no_script():
    for exhibit in (carded(), replace(mapped(), table=mapped().table.iloc[:0])):
        text = page(leaky(exhibits=[exhibit]), {})
        assert "<script" not in text
        assert "script-src" not in text


def test_the_block_of_points_cannot_be_left():
    shown = mapped(names=BAD)
    text = page(
        leaky(exhibits=[replace(shown, table=shown.table.assign(text=BAD[0]))]), {}
    )
    block = BLOCK.search(text)[1]
    assert not set(block) & set("<>&\u2028")
    points = json.loads(block)
    assert points["text"][0] == BAD[0]
    assert len(points["x"]) == 300
    assert (min(points["x"]), max(points["x"])) == (0, 9999)


def test_points_without_a_place_are_left_off():
    table = mapped(50).table
    table.loc[:9, "x"] = np.nan
    table.loc[10:19, "y"] = np.inf
    table.loc[20:29, ["cluster", "weight"]] = np.nan
    found = map_points(replace(mapped(), table=table))
    assert len(found) == 30
    assert found.loc[:9, "cluster"].eq(-1).all()
    assert "30 of 50 points" in page(
        leaky(exhibits=[replace(mapped(), table=table)]), {}
    )


def test_a_crowd_is_thinned_the_same_way_each_time():
    table = pd.concat([mapped(300).table] * 4, ignore_index=True)
    crowd = replace(mapped(), table=table)
    first, second = map_points(crowd, 500), map_points(crowd, 500)
    assert len(first) == 500
    pd.testing.assert_frame_equal(first, second)


def test_one_point_is_a_map(browser, tmp_path):
    one = mapped(2)
    hover = opened(browser, tmp_path, replace(one, table=one.table.iloc[:1]))
    assert hover(0.5, 0.5)[0] == "item 0"


@pytest.mark.parametrize(("width", "dark"), [(420, True), (1200, False)])
def test_the_map_fits_and_follows_the_theme(browser, tmp_path, width, dark):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 2, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    opened(browser, tmp_path, mapped(), carded())
    assert browser.execute_script("return document.body.scrollWidth") <= width
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    assert int(canvas.get_property("width")) == pytest.approx(
        2 * canvas.size["width"], abs=2
    )
    inked = "return getComputedStyle(document.body).getPropertyValue('--hue-0').trim()"
    assert browser.execute_script(inked) == ("#56b4e9" if dark else "#0072b2")


def test_a_page_with_a_map_is_the_same_twice(tmp_path):
    report = leaky(exhibits=[mapped(), carded()])
    for name in "ab":
        saved.save_report(report, tmp_path / name, {})
    for file in ("report.html", "report.json", "figures/map.svg"):
        assert (tmp_path / "a" / file).read_bytes() == (
            tmp_path / "b" / file
        ).read_bytes()
    assert page(saved.load_report(tmp_path / "a"), {}) == page(report, {})
