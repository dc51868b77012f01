"""Stacked training: each model learns what it would learn alone."""

import copy

import numpy as np
import pytest
import torch

from measurand.models.encoder import tokenize_once, tokenize_texts, tokenizer
from measurand.models.masked import (
    focused_masked_loss,
    masked_batch,
    masked_language_model,
    masked_loss,
    masked_positions,
    text_sequences,
)
from measurand.models.stacking.batches import align_batches
from measurand.models.stacking.stack import Stack, StackTrainer
from measurand.models.training import Schedule, random_batches, train_model
from tests.models import tiny_encoder
from tests.models.rounding import HALF, path_terms, rounding

SCHEDULE = Schedule(1e-3, warmup=0.0, decay=0.01)
TEXTS = [
    [
        f"thing{(i * k) % 7} number{(i + k) % 50} is" + " bad" * (i % 9)
        for i in range(20)
    ]
    for k in (1, 2, 3)
]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tiny_encoder.save(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def model(place):
    found = masked_language_model(place)
    for part in found.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0  # its masks are drawn for all models at once
    return found


@pytest.fixture(scope="module")
def batches(place):
    data = [text_sequences(place, texts, 32) for texts in TEXTS]
    rngs = [np.random.default_rng(k) for k in range(3)]
    lengths = [each.lengths for each in data]
    plan = align_batches(lengths, 8, rngs, np.random.default_rng(9))
    return [
        [masked_batch(place, data[k], rows[k], width, 8, rngs[k]) for k in range(3)]
        for rows, width in plan
    ]


def together(parts):
    return {name: torch.stack([part[name] for part in parts]) for name in parts[0]}


@torch.no_grad()
def scores(place, model, batch):
    """What a model makes of the tokens of a batch, padding left out.

    A layer's embedding ignores what its padding row is told; a stack does not.
    """
    inputs = {name: part for name, part in batch.items() if name != "labels"}
    logits = model.eval()(**inputs).logits[batch["attention_mask"].bool()].clone()
    logits[:, tokenizer(place).pad_token_id] = 0
    return logits


def test_a_stack_learns_what_each_model_learns_alone(place, model, batches):
    steps = 2 * len(batches)
    stack = Stack(copy.deepcopy(model), 3)
    trainer = StackTrainer(stack, masked_loss, SCHEDULE)
    trainer(lambda epoch: (together(b) for b in batches), 2, steps)
    limit = rounding(path_terms(model.config, 32, steps))
    for k in range(3):
        alone = copy.deepcopy(model)
        train_model(
            alone,
            lambda epoch, k=k: (b[k] for b in batches),
            2,
            steps,
            masked_loss,
            SCHEDULE,
        )
        wanted = scores(place, alone, batches[0][k])
        alone.load_state_dict(stack.weights(k), strict=False)
        found = scores(place, alone, batches[0][k])
        untrained = scores(place, model, batches[0][k])
        spread = wanted.max() - wanted.min()
        assert (found - wanted).abs().max() < limit * spread
        assert (found - untrained).abs().max() > 10 * limit * spread


def test_training_again_from_the_first_weights_gives_the_same(model, batches):
    stack = Stack(copy.deepcopy(model), 3)
    trainer = StackTrainer(stack, masked_loss, SCHEDULE)
    found = []
    for _ in range(2):
        stack.put_all({n: p.detach() for n, p in model.named_parameters()})
        trainer(lambda epoch: (together(b) for b in batches), 1, len(batches))
        found.append({n: p.clone() for n, p in stack.weights(1).items()})
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])


# What it says once, where a CPU has no half precision of its own.
@pytest.mark.filterwarnings("ignore:mkldnn_matmul failed:UserWarning")
@pytest.mark.usefixtures("half_precision")
@pytest.mark.slow
def test_half_precision_learns_much_the_same(model, batches):
    found = []
    for kind in (torch.float32, torch.bfloat16):
        stack = Stack(copy.deepcopy(model), 3, kind)
        trainer = StackTrainer(stack, masked_loss, SCHEDULE)
        found.append(trainer(lambda epoch: map(together, batches), 2, 2 * len(batches)))
        assert {part.dtype for part in stack.stacked} == {torch.float32}
    # The loss is a mean of scores that are rounded to half precision, one by one.
    assert found[0] == pytest.approx(found[1], rel=HALF)


def test_a_head_that_reads_the_chosen_tokens_has_the_same_loss(model, batches):
    one = copy.deepcopy(model).eval()
    batch = batches[0][0]
    whole = float(masked_loss(one, batch).detach())
    places, wanted = masked_positions(batch["labels"].numpy())
    picked = {"places": torch.from_numpy(places), "labels": torch.from_numpy(wanted)}
    few = focused_masked_loss(one)(one, {**batch, **picked})
    limit = rounding(path_terms(model.config, 32))
    assert float(few.detach()) == pytest.approx(whole, rel=limit)


def test_batches_of_one_rank_come_together_and_hold_every_row_once():
    rng = np.random.default_rng(0)
    lengths = [rng.integers(3, 60, size=20), rng.integers(3, 60, size=17)]
    rngs = [np.random.default_rng(k) for k in range(2)]
    plan = align_batches(lengths, 8, rngs, rng)
    for k in range(2):
        seen = np.concatenate([rows[k] for rows, _ in plan])
        assert sorted(seen) == list(range(len(lengths[k])))
    assert [width for _, width in plan] == [
        -(-max(own[r].max() for own, r in zip(lengths, rows, strict=True)) // 16) * 16
        for rows, _ in plan
    ]


@pytest.mark.parametrize("texts", [["a b", "", "a b", "thing1"], ["thing1"], []])
def test_texts_that_come_again_have_the_same_tokens(place, texts):
    for _ in range(2):
        once, again = tokenize_texts(place, texts, 8), tokenize_once(place, texts, 8)
        assert once.ids.tolist() == again.ids.tolist()
        assert once.starts.tolist() == again.starts.tolist()


def test_the_longest_batches_of_all_models_come_together():
    rng = np.random.default_rng(0)
    lengths = [rng.integers(3, 120, size=96) for _ in range(4)]
    rngs = [np.random.default_rng(k) for k in range(4)]
    plan = align_batches(lengths, 16, rngs, rng, pool=32)
    longest = np.array(
        [
            [own[r].max() for own, r in zip(lengths, rows, strict=True)]
            for rows, _ in plan
        ]
    )
    for own in longest.T:
        ranks = np.argsort(np.argsort(-own, kind="stable"))
        widths = np.array([width for _, width in plan])
        assert (np.diff(widths[np.argsort(ranks)]) <= 0).all()
    seen = np.concatenate([rows[2] for rows, _ in plan])
    assert sorted(seen) == list(range(96))


def test_a_short_batch_is_the_last_of_an_epoch_whoever_makes_it():
    rng = np.random.default_rng(0)
    lengths = [rng.integers(3, 60, size=100) for _ in range(3)]
    firsts = set()
    for epoch in range(20):
        rngs = [np.random.default_rng([epoch, k]) for k in range(3)]
        for pool in (16, 32, None):
            plan = align_batches(lengths, 16, rngs, rng, pool)
            alone = random_batches(lengths[0], 16, rng, pool)
            for k in range(3):
                assert [len(rows[k]) for rows, _ in plan] == [16] * 6 + [4]
            assert [len(rows) for rows, _ in alone] == [16] * 6 + [4]
            firsts.add(plan[0][1])
    assert len(firsts) > 1  # the others come in any order
