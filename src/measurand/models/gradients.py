"""Gradients: how much each token of an item moves the score of a class.

Both methods look at the map from token embeddings to a class's score, before softmax
and temperature, in single precision. Saliency is the norm of the gradient at the item
(Simonyan et al. 2014). Integrated gradients (Sundararajan et al. 2017, eq. 1) add up
along the straight line from a baseline to the item; the baseline is the same sequence
with a pad token for every token that is not the tokenizer's own, and the gradient is
taken at the midpoints of `steps` equal parts of that line.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from measurand.core.reader import Attribution
from measurand.models.encoder import Ints, Joined, equal_lengths, inputs

Batch = Mapping[str, torch.Tensor]
STEPS = 64  # points on the line from the baseline to the item
AT_ONCE = {"cuda": 65_536, "cpu": 4_096}  # tokens whose gradient is taken at once


def saliency(model: Any, batch: Batch, targets: torch.Tensor) -> torch.Tensor:
    """The norm of the gradient of each token's embedding: items × tokens.

    Args:
        model: Takes `inputs_embeds` for `input_ids`, and gives `logits`.
        batch: What the model takes, without padding.
        targets: The class of each item.
    """
    points = embedded(model, batch["input_ids"])
    steep = gradient(model, points, batch, targets)[0]
    return steep.square().sum(dim=-1).sqrt()


def integrated_gradients(
    model: Any,
    batch: Batch,
    targets: torch.Tensor,
    baseline: torch.Tensor,
    steps: int = STEPS,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What each token adds to the score (items × tokens), and each item's gap.

    Args:
        model: Takes `inputs_embeds` for `input_ids`, and gives `logits`.
        batch: What the model takes, without padding.
        targets: The class of each item.
        baseline: The token ids that the line starts from.
        steps: How many points of the line are looked at.
    """
    here = embedded(model, batch["input_ids"])
    start = embedded(model, baseline)
    total = torch.zeros_like(here)
    # Several points of the line at once: a GPU waits for launches, not for sums.
    some = max(1, at_once(here.device) // max(1, targets.numel() * here.shape[1]))
    points = (torch.arange(steps, device=here.device) + 0.5) / steps
    for first in range(0, steps, some):
        shares = points[first : first + some]
        k = len(shares)
        line = shares[:, None, None, None] * (here - start) + start
        many = {name: part.repeat(k, 1) for name, part in batch.items()}
        found = gradient(model, line.flatten(0, 1), many, targets.repeat(k))[0]
        total += found.view(k, *here.shape).sum(dim=0)
    added = ((here - start) * total / steps).sum(dim=-1)
    gained = score(model, here, batch, targets) - score(model, start, batch, targets)
    # A score that does not move has no share: then the gap is what is left over.
    size = torch.where(gained == 0, torch.ones_like(gained), gained.abs())
    return added, (added.sum(dim=1) - gained).abs() / size


def at_once(where: torch.device) -> int:
    """The tokens whose gradient is taken at once."""
    return AT_ONCE.get(where.type, AT_ONCE["cpu"])


def embedded(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """The token embeddings, apart from whatever made them."""
    with torch.no_grad():
        return torch.as_tensor(model.get_input_embeddings()(ids)).float()


def score(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> torch.Tensor:
    """The score of each item's class, without gradients."""
    with torch.no_grad():
        return scored(model, points, batch, targets)


def scored(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> torch.Tensor:
    """The score of each item's class."""
    rest = {name: part for name, part in batch.items() if name != "input_ids"}
    logits: torch.Tensor = model(inputs_embeds=points, **rest).logits
    return logits.float().gather(1, targets[:, None])[:, 0]


def gradient(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """The gradient of each item's score at its point; no weight gathers any."""
    points = points.detach().requires_grad_()
    # Items do not see each other, so the gradient of the sum is each one's own.
    total = scored(model, points, batch, targets).sum()
    return torch.autograd.grad(total, points)


def attributions(
    model: Any,
    words: Any,
    data: Joined,
    fields: Sequence[str],
    classes: Sequence[str],
    targets: Ints,
    steps: int = 0,
) -> list[Attribution]:
    """One attribution an item: integrated gradients of so many steps; 0 is saliency."""
    where = next(model.parameters()).device
    found: dict[int, Attribution] = {}
    for rows in equal_lengths(data, at_once(where)):
        made = inputs(data, rows, int(data.lengths[rows[0]]), where)
        del made["attention_mask"]  # nothing is padded, so nothing is masked
        ids, wanted = made["input_ids"], torch.from_numpy(targets[rows]).to(where)
        origin = np.stack([origins(data, row) for row in rows])
        if steps:
            own = torch.from_numpy(origin < 0).to(where)
            baseline = torch.where(own, ids, torch.full_like(ids, data.joint.pad))
            scores, gaps = integrated_gradients(model, made, wanted, baseline, steps)
        else:
            scores = saliency(model, made, wanted)
            gaps = torch.zeros(len(rows))
        # Fetched whole: asking for each row would wait for the GPU each time.
        ids, scores, gaps = ids.cpu(), scores.cpu(), gaps.cpu()
        for place, row in enumerate(rows):
            found[int(row)] = Attribution(
                classes[targets[row]],
                tuple(words.convert_ids_to_tokens(ids[place].tolist())),
                tuple(scores[place].tolist()),
                tuple((origin[place] < 0).tolist()),
                tuple("" if f < 0 else fields[f] for f in origin[place]),
                float(gaps[place]),
            )
    return [found[row] for row in range(len(found))]


def origins(items: Joined, row: int) -> Ints:
    """The number of the field that each token of an item is from; -1 where special."""
    found: list[int] = []
    for number, piece in enumerate(items.joint.pieces):
        found += [-1] * len(piece)
        if number < len(items.parts):
            found += [number] * int(items.sizes[number, row])
    return np.array(found, np.int64)
