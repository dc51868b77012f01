"""The one training loop, and the one schedule."""

import math
from itertools import count

import pytest
import torch
import transformers

from measurand.core.errors import ReaderFailed
from measurand.models.causal_training import Training
from measurand.models.training import Schedule, train_model


def trainer_shares(steps, warmup, folder):
    """The share of the rate at each step, and how many rise, by transformers."""
    arguments = transformers.TrainingArguments(
        str(folder), warmup_steps=warmup, use_cpu=True, report_to=[]
    )
    up = arguments.get_warmup_steps(steps)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, up, steps)
    return [schedule.lr_lambdas[0](step) for step in range(steps)], up


@pytest.mark.parametrize("warmup", [0.0, 0.06, 0.1, 0.25, 0.5])
def test_the_rate_falls_as_transformers_lets_it(warmup, tmp_path):
    for steps in range(1, 60):
        theirs, up = trainer_shares(steps, warmup, tmp_path)
        mine = [Schedule(2.0, warmup).at(step, steps) / 2.0 for step in range(steps)]
        assert up == math.ceil(warmup * steps)
        assert mine[up:] == pytest.approx(theirs[up:])
        # Theirs begins with a step at the rate 0; ours rises a step ahead of it.
        assert mine[:up] == pytest.approx([*theirs[1:up], 1.0][:up])


def test_a_decoders_training_has_the_schedule_of_an_encoder():
    training = Training(rate=3e-4, decay=0.02, warmup=0.3, clip=0.5)
    assert training.schedule == Schedule(3e-4, warmup=0.3, decay=0.02, clip=0.5)


def ones(epoch):
    """Two batches of ones."""
    return iter([{"rows": torch.ones(1, 2)}] * 2)


def test_decay_is_off_for_biases_and_closed_weights_stay():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    model[1].requires_grad_(False)
    before = {name: part.detach().clone() for name, part in model.named_parameters()}

    def no_loss(network, batch):
        return 0 * network(batch["rows"]).sum()

    train_model(model, ones, 1, 2, no_loss, Schedule(0.1, warmup=0.0, decay=0.5))
    rest = (1 - 0.1 * 0.5) * (1 - 0.05 * 0.5)  # what two steps of decay leave
    torch.testing.assert_close(model[0].weight.detach(), before["0.weight"] * rest)
    for name in ("0.bias", "1.weight", "1.bias"):
        assert torch.equal(dict(model.named_parameters())[name], before[name])


def test_training_ends_when_it_is_told_to_or_the_loss_is_lost():
    model, epochs = torch.nn.Linear(2, 1), []

    def loss(network, batch):
        return network(batch["rows"]).square().sum()

    def after(epoch):
        epochs.append((epoch, model.training))
        return epoch == 1

    train_model(model, ones, 5, 10, loss, Schedule(1e-3), after)
    assert epochs == [(0, False), (1, False)]
    calls = count()

    def break_down(network, batch):
        return loss(network, batch) * (math.nan if next(calls) == 3 else 1.0)

    with pytest.raises(
        ReaderFailed, match="epoch 2; lower the learning rate"
    ) as failed:
        train_model(model, ones, 5, 10, break_down, Schedule(1e-3))
    assert failed.value.__cause__ is None  # so that tuning takes it for a bad rate
    assert next(calls) == 4
