import base64
import re
from html.parser import HTMLParser

import pytest

from measurand.report import saved
from measurand.report.html import page


def elements(text):
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append(
        (tag, dict(attributes))
    )
    parser.feed(text)
    return found


def test_a_page_needs_nothing_else(realistic):
    text = page(realistic, {"ladder": b"<svg/>"})
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|@import|url\(", text)
    sources = [a["src"] for tag, a in elements(text) if "src" in a]
    assert sources == [
        "data:image/svg+xml;base64," + base64.b64encode(b"<svg/>").decode()
    ]


def test_a_page_states_everything(realistic):
    text = page(realistic, {})
    for part in (
        "evidence-sensitive",
        "provisional",
        "bert loses 0.367",
        "well over the majority",
        "0.367 [0.359, 0.375]",
        "paired bootstrap over items",
        "item-1",
        "no endpoint was given",
        "roles · evidence",
        "The counts of every reader",
    ):
        assert part in text


def test_hostile_text_makes_no_element_and_no_handler(hostile):
    text = page(hostile, {})
    assert len(text) < 300_000
    assert "<script" not in text
    tags = {tag for tag, _ in elements(text)}
    assert not tags & {"script", "img", "iframe", "object", "embed", "svg", "base"}
    assert not {
        name for _, found in elements(text) for name in found if name[:2] == "on"
    }


@pytest.mark.parametrize("which", ["realistic", "hostile"])
def test_the_page_opens_in_a_browser_and_runs_nothing(
    browser, tmp_path, request, which
):
    where = saved.save_report(request.getfixturevalue(which), tmp_path / "report", {})
    browser.get((where / "report.html").as_uri())
    assert browser.title != "pwned"
    assert " audit of " in browser.title
    assert browser.get_log("browser") == []
    widths = browser.execute_script(
        "return [...document.images].map(image => image.naturalWidth)"
    )
    assert len(widths) == 4
    assert all(width > 300 for width in widths)
    traffic = "".join(entry["message"] for entry in browser.get_log("performance"))
    asked = {*re.findall(r'"url":"([a-z-]+:)', traffic)}
    assert "file:" in asked
    assert asked <= {"file:", "data:", "about:", "chrome:"}


@pytest.mark.parametrize("width", [420, 1200])
def test_the_page_fits_its_window(browser, realistic, tmp_path, width):
    where = saved.save_report(realistic, tmp_path / "report", {})
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    browser.get((where / "report.html").as_uri())
    assert browser.execute_script("return document.body.scrollWidth") <= width
