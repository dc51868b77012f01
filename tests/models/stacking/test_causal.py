"""Stacked decoders: each learns what it would learn alone, by any loop."""

import copy

import numpy as np
import pytest
import torch

from measurand.models.causal_loading import read_decoder
from measurand.models.masked import labelled_positions
from measurand.models.stacking.batches import SHUT
from measurand.models.stacking.causal import (
    LastTokenClassifier,
    class_loss,
    decoder_inputs,
    focused_next_token_loss,
    last_token_positions,
    next_token_labels,
    round_to_quarters,
)
from measurand.models.stacking.stack import (
    Stack,
    StackTrainer,
    decoder_attention_bias,
    stack_on_device,
)
from measurand.models.training import Schedule
from measurand.readers.stacking.residents import STACKABLE_DECODERS
from tests.models import tiny_decoders
from tests.models.rounding import HALF, path_terms, rounding

SIZE, WIDTH, STEPS, CLASSES = 4, 16, 3, 2
HOW = Schedule(rate=2e-3, decay=0.05, warmup=0.3)
RATES = (2e-3, 2e-3, 1e-3)  # one step up, then straight down


pytestmark = pytest.mark.usefixtures("one_thread")


# Two families that differ the most; the others are for CI.
QUICK = ("llama", "gemma2")
FAMILIES = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in STACKABLE_DECODERS
]


@pytest.fixture(scope="module", params=FAMILIES)
def network(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return read_decoder(tiny_decoders.save(folder, request.param), "fp32")[0]


def drawn():
    """The rows of every step and model, of uneven length, and their classes."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, WIDTH, size=(STEPS, 3, SIZE))
    rows = [
        [[rng.integers(2, 300, n).tolist() for n in own] for own in step]
        for step in sizes
    ]
    return rows, rng.integers(CLASSES, size=(STEPS, 3, SIZE))


ROWS, GOLD = drawn()


def language_parts(step):
    wanted = [next_token_labels(own, SIZE, WIDTH) for own in ROWS[step]]
    most = round_to_quarters(max((one >= 0).sum() for one in wanted), SIZE * WIDTH)
    made = []
    for own, one in zip(ROWS[step], wanted, strict=True):
        places, labels = labelled_positions(one, most)
        made.append(
            decoder_inputs(own, WIDTH, 1) | {"places": places, "labels": labels}
        )
    return made


def class_parts(step):
    shut = np.array([0.0] * CLASSES + [SHUT] * 2, np.float32)
    return [
        decoder_inputs(own, WIDTH, 1)
        | {
            "places": last_token_positions(own, WIDTH),
            "shut": shut,
            "labels": GOLD[step][k],
        }
        for k, own in enumerate(ROWS[step])
    ]


def stacked(model, loss, parts, only):
    """The weights of the models `only` after a stack of these has learned."""
    stack = Stack(model, len(only), attend=decoder_attention_bias)
    batches = [
        stack_on_device([parts(step)[k] for k in only], len(only))
        for step in range(STEPS)
    ]
    StackTrainer(stack, loss, HOW)(lambda epoch: iter(batches), 1, STEPS)
    return [stack.weights(place) for place in range(len(only))]


def plainly(model, loss):
    """The weights after a loop as anybody would write it."""
    weights = list(model.parameters())
    flat = [w for w in weights if w.ndim < 2]
    deep = [w for w in weights if w.ndim > 1]
    groups = [{"params": deep, "weight_decay": 0.05}]
    groups += [{"params": flat, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups)
    model.train()
    for step, rate in enumerate(RATES):
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        loss(step).backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
    return {name: part.detach() for name, part in model.named_parameters()}


@torch.no_grad()
def gap(model, said, found, wanted):
    """How far apart answers with two sets of weights are, for their own spread.

    Weights themselves may be: AdamW makes as much of a gradient of 1e-9 as of any.
    """
    told = []
    for weights in (found, wanted):
        model.load_state_dict(weights, strict=False)
        model.eval()
        told.append(torch.cat([said(model, row).flatten() for row in ROWS[0][0]]))
    return float((told[0] - told[1]).abs().max() / (told[0].max() - told[0].min()))


def foretold(model, row):
    """The log-probability of each token after the first."""
    told = torch.log_softmax(model(torch.tensor([row])).logits[0, :-1], dim=-1)
    return told.gather(1, torch.tensor(row[1:])[:, None]).flatten()


def class_scores(model, row):
    """The scores of the classes that there are, by the last token."""
    last = model.base_model(torch.tensor([row])).last_hidden_state[0, -1]
    return model.head.weight[:CLASSES] @ last


def limit(network):
    """What rounding leaves uncertain, for the spread of the answers."""
    return rounding(path_terms(network.config, WIDTH, STEPS))


@pytest.mark.slow
def test_a_stack_of_language_models_learns_as_a_plain_loop(network):
    def fresh():
        return copy.deepcopy(network).requires_grad_(True)

    def learned(only):
        model = fresh()
        return stacked(model, focused_next_token_loss(model), language_parts, only)

    for k, found in enumerate(learned((0, 1, 2))):
        model = fresh()

        def loss(step, k=k, model=model):
            return -torch.cat([foretold(model, row) for row in ROWS[step][k]]).mean()

        plain = {name: part.clone() for name, part in plainly(model, loss).items()}
        assert gap(model, foretold, found, learned((k,))[0]) < limit(network)
        assert gap(model, foretold, found, plain) < limit(network)
        untrained = dict(network.named_parameters())
        assert gap(model, foretold, found, untrained) > 10 * limit(network)


@pytest.mark.slow
def test_a_stack_of_classifiers_learns_as_a_plain_loop(network):
    torch.manual_seed(1)
    first = LastTokenClassifier(network, CLASSES + 2).requires_grad_(True)
    with torch.no_grad():
        first.head.weight[CLASSES:] = 0.0  # no class, so nothing that learns

    def learned(only):
        return stacked(copy.deepcopy(first), class_loss, class_parts, only)

    for k, found in enumerate(learned((0, 1, 2))):
        model = copy.deepcopy(first)

        def loss(step, k=k, model=model):
            told = torch.stack([class_scores(model, row) for row in ROWS[step][k]])
            right = torch.from_numpy(GOLD[step][k])
            return torch.nn.functional.cross_entropy(told, right)

        plain = {name: part.clone() for name, part in plainly(model, loss).items()}
        assert not found["head.weight"][CLASSES:].any()
        assert gap(model, class_scores, found, learned((k,))[0]) < limit(network)
        assert gap(model, class_scores, found, plain) < limit(network)
        untrained = dict(first.named_parameters())
        assert gap(model, class_scores, found, untrained) > 10 * limit(network)


# What it says once, where a CPU has no half precision of its own.
@pytest.mark.filterwarnings("ignore:mkldnn_matmul failed:UserWarning")
@pytest.mark.usefixtures("half_precision")
def test_half_precision_learns_much_the_same(network):
    """As on a GPU: weights in single precision, all that is computed in half."""
    batches = [stack_on_device(language_parts(step), 3) for step in range(STEPS)]
    found = []
    for kind in (torch.float32, torch.bfloat16):
        model = copy.deepcopy(network).requires_grad_(True)
        stack = Stack(model, 3, kind, decoder_attention_bias)
        trainer = StackTrainer(stack, focused_next_token_loss(model), HOW)
        found.append(trainer(lambda epoch: iter(batches), 1, STEPS))
    # The loss is a mean of scores that are rounded to half precision, one by one.
    assert found[0] == pytest.approx(found[1], rel=HALF)


def test_a_decoder_sees_what_stands_before_and_no_padding():
    added = decoder_attention_bias(torch.tensor([[1, 1, 0]]), torch.float32)[0, 0]
    seen = [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert (added == 0).int().tolist() == seen
    assert (added[added != 0] == torch.finfo(torch.float32).min).all()
