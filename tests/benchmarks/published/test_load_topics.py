"""The 25 tasks of the exposure paper, by name."""

import gzip
import json

import pandas as pd
import pytest

from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published.table import TOPICS
from measurand.core.errors import BadInput, BadOption
from tests.shared_data import DATA, needs_data

# How many classes Table 2 of the paper gives each task.
CLASSES = {
    **{"ag_news": 4, "amazon_counterfactual": 2, "app_reviews": 5},
    **{"blog_authorship": 2, "clickbait": 2, "climate_fever": 4},
    **{"craigslist_bargains": 6, "disaster_messages": 3, "emo": 4, "emotion": 6},
    **{"enron_spam": 2, "financial_phrasebank": 3, "frenk_hate": 2},
    **{"hyperpartisan_news": 2, "limit": 2, "massive_scenario": 18},
    **{"movie_rationales": 2, "mtop_domain": 11, "patents": 9},
    **{"rotten_tomatoes": 2, "silicone": 4, "trec": 6, "tweets_hate_speech": 2},
    **{"yahoo_answers": 10, "yelp_reviews": 5},
}
LONG = {"enron_spam", "yelp_reviews", "frenk_hate", "blog_authorship"}
LONG |= {"craigslist_bargains", "movie_rationales", "yahoo_answers"}


def test_the_table_has_the_paper_s_25_tasks_and_their_classes():
    found = {name: len({*row.classes.values()}) for name, row in TOPICS.items()}
    assert found == CLASSES
    assert {*TOPICS} <= {*BENCHMARKS}


def test_the_seven_long_tasks_are_read_once_in_small_batches():
    assert {name for name, row in TOPICS.items() if row.epochs == 1} == LONG
    assert all(4 <= TOPICS[name].batch <= 8 for name in LONG)
    assert {row.batch for name, row in TOPICS.items() if name not in LONG} == {16}


def test_every_task_says_what_the_text_is_and_what_is_asked():
    for row in TOPICS.values():
        assert row.about.startswith("The text ")
        assert ". Answer with " in row.about
        assert row.task.about == row.about
    assert TOPICS["financial_phrasebank"].hub.endswith(":sentences_allagree@train")


def written(folder, name, rows):
    with gzip.open(folder / f"{name}.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


def test_a_task_is_read_from_a_folder_with_its_classes_named(tmp_path):
    rows = [{"text": f"thing {i}", "label": str(i % 2)} for i in range(40)]
    written(tmp_path, "amazon_counterfactual", rows)
    made = load_benchmark("amazon_counterfactual", data=tmp_path)
    assert made.classes == ("counterfactual", "not counterfactual")
    assert len(made.train) + len(made.test) == 40


def test_columns_of_the_hub_are_joined_and_long_rows_left_out(tmp_path):
    rows = [
        {"question_title": f"why {i}", "question_content": "so", "topic": i % 10}
        for i in range(60)
    ]
    written(tmp_path, "yahoo_answers", rows)
    made = load_benchmark("yahoo_answers", data=tmp_path)
    texts = pd.concat([made.train.column("text"), made.test.column("text")])
    assert "why 7\nso" in {*texts}
    blogs = [{"text": "a" * 999, "gender": "male"}, {"text": "b" * 1000, "gender": "x"}]
    more = [{"text": f"post {i}", "gender": "female"} for i in range(40)]
    males = [{"text": f"note {i}", "gender": "male"} for i in range(40)]
    written(tmp_path, "blog_authorship", [*blogs, *more, *males])
    kept = load_benchmark("blog_authorship", data=tmp_path)
    assert len(kept.train) + len(kept.test) == 81


STARS = {
    "on the hub": ["1 star", "2 star", "3 stars", "4 stars", "5 stars"],
    "in plain words": ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"],
    "as whole numbers": [0, 1, 2, 3, 4],
    "by name": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("form", STARS)
def test_stars_are_read_in_every_form_that_they_come_in(tmp_path, form):
    rows = [{"text": f"food {i}", "label": STARS[form][i % 5]} for i in range(60)]
    written(tmp_path, "yelp_reviews", rows)
    made = load_benchmark("yelp_reviews", data=tmp_path)
    table = pd.concat([made.train.table, made.test.table])
    given = table["text"].str.removeprefix("food ").astype(int) % 5 + 1
    assert table["label"].tolist() == given.astype(str).tolist()


@pytest.mark.parametrize("word", ["Lighting", "Lightning"])
def test_patents_are_read_as_the_hub_misspells_them_and_as_they_are_spelt(
    tmp_path, word
):
    long = f"Mechanical Engineering; {word}; Heating; Weapons; Blasting"
    labels = ["Physics", long]
    rows = [{"text": f"device {i}", "label": labels[i % 2]} for i in range(40)]
    written(tmp_path, "patents", rows)
    made = load_benchmark("patents", data=tmp_path)
    assert made.classes == (long.replace("Lightning", "Lighting"), "Physics")


def test_what_is_not_there_is_told_in_one_line(tmp_path):
    with pytest.raises(BadInput, match=r"holds no emo\.jsonl; put it there"):
        load_benchmark("emo", data=tmp_path)
    with pytest.raises(BadInput, match="is no folder"):
        load_benchmark("emo", data=tmp_path / "lost")
    written(tmp_path, "emo", [{"text": "a", "label": "9"}] * 30)
    with pytest.raises(BadInput, match="emo has no class '9'"):
        load_benchmark("emo", data=tmp_path)
    with pytest.raises(BadOption, match="brings its own roles"):
        load_benchmark("emo", data=tmp_path, query="text")
    written(tmp_path, "trec", [{"words": "a", "label": "9"}] * 30)
    with pytest.raises(BadInput, match="it needs text, coarse_label, or text and"):
        load_benchmark("trec", data=tmp_path)


@needs_data
@pytest.mark.parametrize("name", ["ag_news", "trec", "massive_scenario"])
def test_real_files_hold_the_classes_that_the_table_names(name):
    assert {*load_benchmark(name, data=DATA).classes} == {
        *TOPICS[name].classes.values()
    }
