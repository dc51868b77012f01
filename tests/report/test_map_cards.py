import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.report import saved
from measurand.report.html import page
from measurand.report.map import read_cards
from measurand.report.markdown import markdown
from tests.report.gallery import BAD, carded, leaky, mapped
from tests.report.test_html import elements


def changed(**columns):
    whole = carded()
    return replace(whole, table=whole.table.assign(**columns))


def test_biased_cards_stand_first_and_the_others_are_folded():
    text = page(leaky(exhibits=[carded(6, 2)]), {})
    assert [card.cluster for card in read_cards(carded(6, 2))] == [4, 5, 0, 1, 2, 3]
    opened, folded = text.split("<details><summary>4 other clusters</summary>")
    assert 'id="exhibit-1-cluster-4"' in opened
    assert 'id="exhibit-1-cluster-0"' in folded
    assert "answered right 0.75" in folded
    assert opened.count('class="cluster"') == 2


def test_many_biased_cards_are_folded_too():
    text = page(leaky(exhibits=[carded(20, 15)]), {})
    assert "<summary>3 more biased clusters</summary>" in text
    assert "<summary>5 other clusters</summary>" in text


def test_a_card_shows_counts_words_examples_and_p():
    text = page(leaky(exhibits=[mapped(), carded()]), {})
    for part in (
        "<h3>cluster 5 ",
        "<span>45 items</span><span>effect 0.05</span><span>p 1e-09</span>",
        '<span dir="auto">no</span><span class="bar"><i class="hue-0" ',
        'style="width:50.8%"></i>',
        "<span>nobody</span><span>word5</span>",
        '<blockquote dir="auto">An example of 5.</blockquote>',
        '<a href="#exhibit-1" data-cluster="5">on the map</a>',
    ):
        assert part in text


def test_labels_have_one_colour_on_the_map_and_on_the_cards():
    text = page(
        leaky(exhibits=[mapped(names=("b", "c")), carded(names=("a", "b"))]), {}
    )
    assert '<i class="dot hue-1"></i>b ' in text
    assert '<span dir="auto">b</span><span class="bar"><i class="hue-1"' in text
    block = text.split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(block)["hues"] == [1, 2]


def test_hostile_cards_make_no_element():
    shown = replace(
        carded(names=BAD, words=BAD), caption=BAD[0], settings={"effect_title": BAD[0]}
    )
    found = elements(page(leaky(exhibits=[shown]), {}))
    assert not {tag for tag, _ in found} & {"script", "img", "iframe"}
    assert not {name for _, names in found for name in names if name[:2] == "on"}
    assert "<" not in markdown(leaky(exhibits=[shown]))


@pytest.mark.parametrize(
    "cell", ["{", "[" * 10_000, "3", None, np.nan, '{"a": "x"}', "[1]"]
)
def test_a_cell_that_is_no_json_is_empty(cell):
    odd = changed(labels=[cell] * 6, words=[cell] * 6, examples=[cell] * 6)
    assert len(read_cards(odd)) == 6
    page(leaky(exhibits=[odd]), {})
    markdown(leaky(exhibits=[odd]))


def test_missing_numbers_are_left_out():
    columns = dict.fromkeys(["size", "effect", "p", "q", "answered"], np.nan)
    assert read_cards(changed(**columns))[0].facts == ["0 items"]
    assert read_cards(changed(cluster=np.nan)) == []
    assert len(read_cards(changed(cluster=3))) == 1
    assert not read_cards(changed(biased=None))[0].biased


@pytest.mark.parametrize("rows", [0, 1])
def test_few_cards_are_still_a_page(rows):
    few = replace(carded(), table=carded().table.iloc[:rows])
    assert "What they share" in page(leaky(exhibits=[few]), {})
    assert "What they share" in markdown(leaky(exhibits=[few]))


def test_markdown_lists_the_biased_clusters():
    text = markdown(leaky(exhibits=[carded(6, 2)]))
    assert "### What they share\n\n- cluster 4: 44 items, effect 0.06, p 1e-09" in text
    assert (
        "; no 31, yes 30; words: nobody, word4; near its middle: “nobody” “An" in text
    )
    assert text.count("- cluster") == 2
    assert "- and 4 more, not biased" in text


def test_cards_come_back_as_they_were_saved(tmp_path):
    report = leaky(exhibits=[mapped(), carded()])
    back = saved.load_report(saved.save_report(report, tmp_path, {}))
    pd.testing.assert_frame_equal(back.exhibits[1].table, carded().table)
    assert read_cards(back.exhibits[1])[0].labels == {"no": 31, "yes": 30}
