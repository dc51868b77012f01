"""The parts of a stack: its linear maps, and how its weights move."""

import pytest
import torch

from measurand.models.stacking.adamw import StackedAdamW, adamw_step
from measurand.models.stacking.stack import Stack, stack_linear
from tests.models.rounding import rounding

MODELS = 3


def numbers(*shape, seed=0, kind=torch.float64):
    return torch.randn(
        *shape, generator=torch.Generator().manual_seed(seed), dtype=kind
    )


@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4)])
@pytest.mark.parametrize("biased", [True, False])
def test_stacked_maps_give_what_each_gives_and_the_same_gradients(shape, biased):
    linear = torch.nn.Linear(4, 6, bias=biased, dtype=torch.float64)
    stack_linear(linear)
    rows = numbers(MODELS, *shape).requires_grad_()
    parts = {"weight": numbers(MODELS, 6, 4, seed=1).requires_grad_()}
    if biased:
        parts["bias"] = numbers(MODELS, 6, seed=2).requires_grad_()

    def one(own, given):
        return torch.func.functional_call(linear, own, (given,))

    leaves = [rows, *parts.values()]
    found = torch.func.vmap(one)(parts, rows)
    wanted = torch.stack(
        [
            torch.nn.functional.linear(
                rows[k], parts["weight"][k], parts["bias"][k] if biased else None
            )
            for k in range(MODELS)
        ]
    )
    torch.testing.assert_close(found, wanted)
    push = numbers(*wanted.shape, seed=3)
    got = torch.autograd.grad(found, leaves, push)
    for mine, theirs in zip(
        got, torch.autograd.grad(wanted, leaves, push), strict=True
    ):
        torch.testing.assert_close(mine, theirs)


def test_one_set_of_rows_serves_all_models():
    linear = torch.nn.Linear(4, 6, dtype=torch.float64)
    stack_linear(linear)
    rows, weight = numbers(5, 4), numbers(MODELS, 6, 4, seed=1)

    def one(own):
        parts = {"weight": own, "bias": linear.bias.detach()}
        return torch.func.functional_call(linear, parts, (rows,))

    found = torch.func.vmap(one)(weight)
    wanted = torch.stack([rows @ own.T + linear.bias.detach() for own in weight])
    torch.testing.assert_close(found, wanted)


def gradients(step, shapes):
    """Those of the first model are long, so that it alone is clipped."""
    scale = torch.tensor([5.0, 0.01, 0.1])
    return [
        numbers(MODELS, *shape, seed=10 * step + n, kind=torch.float32)
        * scale.view(-1, *[1] * len(shape))
        for n, shape in enumerate(shapes)
    ]


def test_each_model_moves_as_torch_moves_one_alone():
    shapes, decays, rates = [(4, 3), (4,)], [0.05, 0.0], [1e-3, 2e-3, 5e-4, 1e-3]
    begin = [
        numbers(MODELS, *s, seed=n, kind=torch.float32) for n, s in enumerate(shapes)
    ]
    weights = [torch.nn.Parameter(part.clone()) for part in begin]
    mine = StackedAdamW(weights, weights, decays, 1.0)
    for _ in range(2):  # the second time after all was forgotten
        with torch.no_grad():
            for part, old in zip(weights, begin, strict=True):
                part.copy_(old)
        mine.forget()
        for step, rate in enumerate(rates):
            mine.rate.fill_(rate)
            for part, grad in zip(weights, gradients(step, shapes), strict=True):
                part.grad = grad
            mine.step()
    for k in range(MODELS):
        own = [torch.nn.Parameter(part[k].clone()) for part in begin]
        groups = [
            {"params": [part], "weight_decay": decay}
            for part, decay in zip(own, decays, strict=True)
        ]
        theirs = torch.optim.AdamW(groups)
        for step, rate in enumerate(rates):
            for group in theirs.param_groups:
                group["lr"] = rate
            for part, grad in zip(own, gradients(step, shapes), strict=True):
                part.grad = grad[k].clone()
            torch.nn.utils.clip_grad_norm_(own, 1.0)
            theirs.step()
        for part, alone in zip(weights, own, strict=True):
            # A step rounds a weight twice, and before that the numbers that make its
            # move: the length of 16 gradients, two moments, their roots and shares.
            atol = rounding(2 * len(rates), float(alone.detach().abs().max()))
            atol += rounding(30 * len(rates), max(rates))
            torch.testing.assert_close(part[k], alone, rtol=0.0, atol=atol)


def test_a_copy_in_half_precision_follows_weights_in_single():
    weight = torch.nn.Parameter(torch.ones(MODELS, 4))
    half = torch.nn.Parameter(weight.detach().bfloat16())
    mine = StackedAdamW([weight], [half], [0.0], 1.0)
    mine.rate.fill_(1e-4)
    for _ in range(100):
        half.grad = torch.ones_like(half)
        mine.step()
    # A step is too small for half precision, in which nothing would ever move.
    assert weight.detach().mean() == pytest.approx(0.99, abs=1e-4)
    assert torch.equal(half, weight.bfloat16())


def test_what_is_built_for_a_gpu_can_be_traced_whole_and_moves_the_same():
    """Traced, not built: what no GPU is needed for."""

    def parts():
        made = [numbers(MODELS, 8, seed=n, kind=torch.float32) for n in range(4)]
        weight, grad, first, second = made
        copy = weight.bfloat16()
        return weight, copy, grad.bfloat16(), (first, second.abs())

    given = (torch.full((MODELS, 1), 0.5), *torch.tensor([1e-3, 0.9, 0.999]))
    plain, traced = parts(), parts()
    adamw_step(*plain, *given)
    whole = torch.compile(adamw_step, dynamic=True, fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        whole(*traced, *given)
    for one, other in zip(plain, traced, strict=True):
        torch.testing.assert_close(one, other)


class Body(torch.nn.Module):
    """A body and a head, as models of transformers have them."""

    base_model_prefix = "body"

    def __init__(self, classes):
        super().__init__()
        self.body = torch.nn.Linear(2, 2)
        self.head = torch.nn.Linear(2, classes)

    @property
    def base_model(self):
        return self.body

    def set_attn_implementation(self, name):
        pass


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_bodies_go_from_one_stack_to_places_in_another(kind):
    source, target = Stack(Body(3), 2, kind), Stack(Body(5), MODELS, kind)
    for k in range(2):
        source.put(k, {"body.weight": torch.full((2, 2), k + 1.0)})
    before = target.weights(1)["body.weight"].clone()
    target.put_bodies([2, 0], source)
    assert (target.weights(2)["body.weight"] == 1).all()
    assert (target.weights(0)["body.weight"] == 2).all()
    assert torch.equal(target.weights(1)["body.weight"], before)
    for part, copy in zip(target.stacked, target.working, strict=True):
        assert torch.equal(part.to(kind), copy)
