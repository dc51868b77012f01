"""Models whose answers were logged, in the order of the pool and paired by item."""

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.api.source import open_sources
from measurand.arms.alignment import align_logs
from measurand.arms.logged import models_exhibits
from measurand.arms.pool import open_pool
from measurand.core.errors import BadInput
from measurand.logs.copies import OURS, make_copies, write_rows
from measurand.logs.read import read_answers
from tests.boats import boats

BENCH = ms.load(boats(300), label="label")
POOL = open_pool(BENCH)


def read(query, evidence):
    """A model that reads both."""
    said = (query.rstrip(".").split() or ["no colour"])[-1]
    return "supported" if said in evidence else "refuted"


def guess(query, evidence):
    """A model that reads neither."""
    return "refuted"


def answers(shuffles=2, **models):
    """What each model answers under each condition, as rows come back."""
    copies = make_copies(BENCH, shuffles)
    rows = write_rows(BENCH, copies, 0)
    return pd.DataFrame(
        [
            {
                "id": row["id"],
                "model": name,
                "condition": condition,
                "prediction": model(row["claim"], row["evidence"]),
                "label": row["label"],
                OURS: row[OURS],
            }
            for condition, each in rows.items()
            for row in each
            for name, model in models.items()
        ]
    )


def align(table):
    return align_logs(read_answers(table), POOL)


def test_items_that_somebody_chose_decide_nothing_and_the_first_of_an_export_do():
    table = answers(read=read)
    chosen = {name for name in BENCH_LABELS if BENCH_LABELS[name] == "refuted"}
    part = align(table[table["id"].isin(chosen)].drop(columns=OURS))
    assert not part.drawn
    assert any("decides nothing about the others" in text for text in part.warnings)
    first = table[[row["place"] < 120 for row in table[OURS]]]
    assert align(first).drawn
    assert align(table.drop(columns=OURS)).drawn


def test_a_model_that_was_not_asked_about_whole_items_is_named():
    table = answers(read=read, guess=guess)
    partly = (table["model"] == "guess") & (table["condition"] == "full")
    assert "guess left out" in " ".join(align(table[~partly]).warnings)


def test_answers_stand_in_the_order_of_the_pool():
    table = answers(read=read).sample(frac=1.0, random_state=0)
    logged = align(table)
    (model,) = logged.models
    right = [
        float(read(*BENCH_TEXTS[name]) == BENCH_LABELS[name])
        for name in np.array(POOL.ids)[logged.rows]
    ]
    assert model.scores["full"].tolist() == right
    assert [*model.scores] == ["full", "no_evidence", "no_query", "shuffled"]
    assert not logged.warnings
    assert not logged.missing


ROWS = pd.concat([BENCH.train.table, BENCH.test.table])
BENCH_TEXTS = {str(i): (r["claim"], r["evidence"]) for i, r in ROWS.iterrows()}
BENCH_LABELS = {str(i): r["label"] for i, r in ROWS.iterrows()}


def test_donors_come_back_with_the_rows():
    logged = align(answers(read=read))
    model = logged.models[0]
    ids = np.array(POOL.ids)[logged.rows]
    copies = {copy.condition: copy for copy in make_copies(BENCH, 2)}
    shuffled = copies["shuffled0"]
    given = dict(zip(map(str, shuffled.items.ids), shuffled.donors, strict=True))
    assert [given[name] for name in ids] == ids[model.donors[0]].tolist()
    assert "donor-adjusted" in logged.lost(model, "shuffled")(0.95).method


def test_who_reads_depends_and_who_guesses_does_not():
    logged = align(answers(read=read, guess=guess))
    decisions = {m.name: logged.decide(m, 0.02) for m in logged.models}
    assert decisions == {"read": "depends", "guess": "near zero"}


def test_without_donors_the_loss_is_the_paired_difference():
    logged = align(answers(read=read).drop(columns=OURS))
    model = logged.models[0]
    lost = logged.lost(model, "shuffled")(0.95)
    assert lost.value == pytest.approx(
        float((model.scores["full"] - model.scores["shuffled"]).mean())
    )


def test_ids_that_are_not_in_the_benchmark_are_counted_and_named():
    table = answers(read=read)
    table.loc[table["id"] == BENCH.test.ids[0], "id"] = "elsewhere"
    logged = align(table)
    assert len(logged.rows) == 299
    assert any("1 of 300 ids of read under full" in w for w in logged.warnings)
    assert any("such as 'elsewhere'" in w for w in logged.warnings)


def test_no_id_of_the_benchmark_is_refused():
    table = answers(read=read)
    table["id"] = "x" + table["id"]
    with pytest.raises(BadInput, match=r"no id of 'table' is one of .*`id`"):
        align(table)


def test_ids_of_other_items_are_refused_by_their_labels():
    table = answers(read=read)
    numbers = dict(
        zip(sorted(BENCH_LABELS), np.roll(sorted(BENCH_LABELS), 1), strict=True)
    )
    table["id"] = table["id"].map(numbers)
    with pytest.raises(BadInput, match="its ids are of other items"):
        align(table.drop(columns=OURS))


CHOICES = pd.DataFrame(
    {
        "id": [f"q{n}" for n in range(120)],
        "question": [f"Which boat came on day {n}?" for n in range(120)],
        "choices": [[f"boat {n}", f"kite {n}", f"oar {n}"] for n in range(120)],
        "answer": [n % 3 for n in range(120)],
    }
)
WITH_CHOICES = ms.load(CHOICES, id="id", choices="choices", label="answer")
SPELLINGS = {
    "index": lambda n: n % 3,
    "letter": lambda n: "ABC"[n % 3],
    "text": lambda n: f" {('boat', 'kite', 'oar')[n % 3]} {n}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("answer", SPELLINGS)
def test_a_choice_is_the_gold_however_it_is_spelled(spelling, answer):
    gold, said = SPELLINGS[spelling], SPELLINGS[answer]
    numbers = range(120)
    table = pd.DataFrame({"id": CHOICES["id"], "prediction": map(said, numbers)})
    _, logs = open_sources(WITH_CHOICES, table.assign(label=[*map(gold, numbers)]))
    logged = align_logs(logs, open_pool(WITH_CHOICES))
    assert logged.models[0].scores["full"].mean() == 1.0
    moved = table.assign(label=[gold((n + 1) % 120) for n in numbers])
    _, logs = open_sources(WITH_CHOICES, moved)
    with pytest.raises(BadInput, match="its ids are of other items"):
        align_logs(logs, open_pool(WITH_CHOICES))


def test_golds_that_nobody_can_read_refuse_nothing():
    table = pd.DataFrame({"id": CHOICES["id"], "score": 1, "label": "see the key"})
    logs = read_answers(table)
    assert len(align_logs(logs, open_pool(WITH_CHOICES)).rows) == 120
    bare = read_answers(table.drop(columns="label"))
    assert len(align_logs(bare, open_pool(WITH_CHOICES)).rows) == 120


def test_models_are_compared_on_the_items_that_all_answered():
    table = answers(read=read, guess=guess)
    table = table[(table["model"] == "read") | (table["id"] != BENCH.test.ids[0])]
    logged = align(table)
    assert {len(m.scores["full"]) for m in logged.models} == {299}
    assert any("299 items are in all logs, and 300" in w for w in logged.warnings)


def test_what_nobody_asked_is_named_with_the_command():
    table = answers(read=read)
    logged = align(table[table["condition"] == "full"])
    ((what, why),) = logged.missing.items()
    assert what == "read under shuffled, no_evidence, no_query"
    assert "measurand export BENCH --to lm-eval" in why


def test_answers_without_the_whole_items_are_refused():
    table = answers(read=read)
    with pytest.raises(BadInput, match="no log is of the whole items"):
        align(table[table["condition"] == "no_query"])


def test_scores_that_are_no_shares_are_refused():
    table = answers(read=read).assign(score=3.0)
    with pytest.raises(BadInput, match="are not from 0 to 1"):
        align(table)


def test_two_metrics_of_one_model_are_two_models():
    first = read_answers(answers(read=read))
    second = read_answers(answers(read=read).assign(score=1.0))
    logged = align_logs([*first, *second], POOL)
    assert [m.name for m in logged.models] == ["read (accuracy)", "read (score)"]


def test_the_table_of_models_has_intervals_and_the_better_first():
    models, ranking = models_exhibits(align(answers(guess=guess, read=read)), 0.02)
    assert models.table["model"].tolist() == ["read", "guess"]
    assert {"full_low", "shuffled_high", "no_evidence", "loss", "decision"} <= {
        *models.table.columns
    }
    (row,) = ranking.table.to_dict("records")
    assert (row["model"], row["other"], row["swapped"]) == ("read", "guess", "no")


def test_a_model_that_knows_the_answers_falls_behind_where_evidence_is_needed():
    # One knows most answers without evidence; the other reads it where these fail.
    known = {name: n % 10 < 7 for n, name in enumerate(sorted(BENCH_LABELS))}
    table = answers(knows=guess, reads=guess, third=guess)
    whole = table["condition"] == "full"
    bare = table["condition"] == "no_evidence"
    knows, reads = table["model"] == "knows", table["model"] == "reads"
    right = table["id"].map(known)
    table["score"] = 0.0
    table.loc[bare | (whole & knows), "score"] = right.astype(float)
    tens = table["id"].map({name: n % 10 for n, name in enumerate(sorted(known))})
    table.loc[whole & reads, "score"] = (tens >= 4).astype(float)
    _, ranking = models_exhibits(align(table.drop(columns=OURS)), 0.02)
    rows = ranking.table.set_index(["model", "other"])
    pair = rows.loc[("knows", "reads")]
    assert pair["all items"] > 0 > pair["need the evidence_high"]
    assert pair["swapped"] in ("yes", "surely")


def test_losses_in_the_order_of_the_export_decide_before_all_are_asked():
    logged = align(answers(read=read, guess=guess))
    reads, guesses = sorted(logged.models, key=lambda m: m.name, reverse=True)
    assert logged.so_far(reads, 0.02) == "loses (100)"
    assert logged.so_far(guesses, 0.02).endswith(" (300)")
    numbers = [int(copy) for copy in logged.order]
    assert sorted(numbers) == [*range(300)]


def test_the_first_block_of_an_export_alone_decides_or_goes_on():
    table = answers(read=read, guess=guess)
    first = align(table[[row["place"] < 100 for row in table[OURS]]])
    assert first.drawn
    assert {m.name: first.so_far(m, 0.02) for m in first.models} == {
        "read": "loses (100)",
        "guess": "go on (100)",
    }
    models = models_exhibits(first, 0.02)[0].table
    assert models["so far"].tolist() == ["loses (100)", "go on (100)"]


def test_the_order_is_that_in_which_rows_were_written():
    logged = align(answers(read=read))
    written = [row["id"] for row in write_rows(BENCH, make_copies(BENCH), 0)["full"]]
    ids = np.array(POOL.ids)[logged.rows][logged.order]
    assert ids.tolist() == written


def test_without_the_rows_of_an_export_nothing_is_said_of_stopping():
    logged = align(answers(read=read).drop(columns=OURS))
    assert logged.order is None
    assert logged.so_far(logged.models[0], 0.02) == ""
