"""Items by one name, on cards and where they are searched."""

import json
import re
from dataclasses import replace

import pytest

from measurand.core.finding import Exhibit
from measurand.core.names import ROW
from measurand.report.explorer import explore, name_items
from measurand.report.html import page, page_of_all
from measurand.report.patterns import find_patterns
from measurand.report.view import view_page
from tests.report.verdicts import items, report_of


@pytest.fixture
def reports():
    """Two audits of the same 2,000 items, of which leakage has names of its own."""
    table = items(2_000)
    settled = table.assign(**{ROW: table.index}).iloc[777:]
    settled.index = [f"{n:012x}-0" for n in range(len(settled))]
    return [
        replace(report_of("evidence", "inconclusive"), items=table),
        replace(report_of("leakage", "leaks"), items=settled),
    ]


def searched(view):
    return json.loads(view.block)["ids"]


def test_an_item_on_a_card_is_found_by_its_id(reports):
    view = view_page(reports, {}, joint=True)
    shown = {example.ident for p in view["patterns"] for example in p.examples}
    assert shown
    assert shown <= {*reports[0].items.index}
    assert shown <= {*searched(view["explorer"])}
    assert not shown <= {*searched(explore(reports))}  # else this tries nothing


def test_a_page_names_the_files_that_lie_beside_it(reports):
    both = page_of_all(reports, {}, {})
    assert "audits.json holds them all" in both
    assert "evidence/items.parquet has all" in both
    alone = page(reports[0], {})
    assert "report.json holds them all" in alone
    assert (
        "; answers are those of TF-IDF with word overlap. items.parquet has all"
        in alone
    )


def test_items_without_rows_go_by_their_ids(reports):
    assert name_items(reports[0].items)[:2] == ["item-0", "item-1"]
    assert name_items(reports[1].items)[:2] == ["item-777", "item-778"]
    assert find_patterns(reports[0]) == []


def test_a_map_names_its_points_alike(reports):
    leakage = reports[1]
    table = leakage.items.reset_index(names="id")[["id", "label"]]
    table = table.assign(x=0.5, y=0.5, cluster=0, weight=1.0, text="a boat").head(9)
    told = replace(leakage, exhibits=(Exhibit("map", "map", table, "a map"),))
    ids = re.findall(r'"id":\["([^"]+)"', page(told, {}))
    assert ids == ["item-777"]


def test_the_item_of_an_id_comes_first(reports, browser, tmp_path):
    other = reports[0].items.assign(claim="see item-1999")
    path = tmp_path / "page.html"
    both = [replace(reports[0], items=other), reports[1]]
    path.write_text(page_of_all(both, {}, {}), "utf-8")
    browser.get(path.as_uri())
    browser.find_element("css selector", "#items input").send_keys("item-1999")
    found = browser.find_elements("css selector", "#items .item .name")
    assert len(found) > 1
    assert found[0].text == "item-1999"
