"""Gradients: how much each token of an item moves a class.

Both methods look at the map from token embeddings to a class, before temperature, in
single precision. Saliency is the norm of the gradient of its posterior (softmax) at the
item (Saxon et al. 2023, eq. 9). With m the class's score less the log of the summed
exponentials of the others', the posterior is p = 1 / (1 + exp(-m)) and its gradient is
p (1 - p) times that of m: so it is taken, since a posterior that rounds to 1 has no
gradient. Integrated gradients (Sundararajan et al. 2017, eq. 1) of the class's score,
before softmax, add up along the straight line from a baseline to the item; the baseline
is the same sequence with a pad token for every token that is not the tokenizer's own,
and the gradient is taken at the midpoints of `steps` equal parts of that line.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.reader import Attribution
from measurand.models.sequences import (
    TokenSequences,
    batch_equal_lengths,
    input_tensors,
)
from measurand.models.training import Batch

STEPS = 64  # points on the line from the baseline to the item
AT_ONCE = {"cuda": 65_536, "cpu": 4_096}  # tokens whose gradient is taken at once


def saliency(model: Any, batch: Batch, targets: torch.Tensor) -> torch.Tensor:
    """The norm of the posterior's gradient at each token: items × tokens."""
    points = _token_embeddings(model, batch["input_ids"])
    points = points.detach().requires_grad_()
    margins = _target_margins(model, points, batch, targets)
    # Items do not see each other, so the gradient of the sum is each one's own.
    (slopes,) = torch.autograd.grad(margins.sum(), points)
    steepness = (margins.sigmoid() * (-margins).sigmoid()).detach()
    return slopes.square().sum(dim=-1).sqrt() * steepness[:, None]


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
    embeddings = _token_embeddings(model, batch["input_ids"])
    start = _token_embeddings(model, baseline)
    total = torch.zeros_like(embeddings)
    # Several points of the line at once: a GPU waits for launches, not for sums.
    chunk = max(
        1,
        _tokens_at_once(embeddings.device)
        // max(1, targets.numel() * embeddings.shape[1]),
    )
    points = (torch.arange(steps, device=embeddings.device) + 0.5) / steps
    for first in range(0, steps, chunk):
        shares = points[first : first + chunk]
        k = len(shares)
        line = shares[:, None, None, None] * (embeddings - start) + start
        copies = {name: part.repeat(k, 1) for name, part in batch.items()}
        slopes = _score_gradient(model, line.flatten(0, 1), copies, targets.repeat(k))[
            0
        ]
        total += slopes.view(k, *embeddings.shape).sum(dim=0)
    added = ((embeddings - start) * total / steps).sum(dim=-1)
    gained = _detached_scores(model, embeddings, batch, targets) - _detached_scores(
        model, start, batch, targets
    )
    # A score that does not move has no share: then the gap is what is left over.
    size = torch.where(gained == 0, torch.ones_like(gained), gained.abs())
    return added, (added.sum(dim=1) - gained).abs() / size


def _tokens_at_once(device: torch.device) -> int:
    """The tokens whose gradient is taken at once."""
    return AT_ONCE.get(device.type, AT_ONCE["cpu"])


def _token_embeddings(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """The token embeddings, apart from whatever made them."""
    with torch.no_grad():
        return torch.as_tensor(model.get_input_embeddings()(ids)).float()


def _detached_scores(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> torch.Tensor:
    """The score of each item's class, without gradients."""
    with torch.no_grad():
        return _target_scores(model, points, batch, targets)


def _target_scores(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> torch.Tensor:
    """The score of each item's class."""
    logits = _class_scores(model, points, batch)
    return logits.gather(1, targets[:, None])[:, 0]


def _target_margins(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> torch.Tensor:
    """The log odds of each item's class."""
    logits = _class_scores(model, points, batch)
    target_logits = logits.gather(1, targets[:, None])[:, 0]
    others = logits.scatter(1, targets[:, None], -torch.inf)
    return target_logits - others.logsumexp(dim=1)


def _class_scores(model: Any, points: torch.Tensor, batch: Batch) -> torch.Tensor:
    """The score of each class: items × classes."""
    rest = {name: part for name, part in batch.items() if name != "input_ids"}
    logits: torch.Tensor = model(inputs_embeds=points, **rest).logits
    return logits.float()


def _score_gradient(
    model: Any, points: torch.Tensor, batch: Batch, targets: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """The gradient of each item's score at its point; no weight gathers any."""
    points = points.detach().requires_grad_()
    # Items do not see each other, so the gradient of the sum is each one's own.
    total = _target_scores(model, points, batch, targets).sum()
    return torch.autograd.grad(total, points)


def attributions(
    model: Any,
    tokenizer: Any,
    data: TokenSequences,
    fields: Sequence[str],
    targets: Ints,
    steps: int = 0,
) -> list[Attribution]:
    """One attribution an item: integrated gradients of so many steps; 0 is saliency."""
    device = next(model.parameters()).device
    by_row: dict[int, Attribution] = {}
    for rows in batch_equal_lengths(data, _tokens_at_once(device)):
        batch = input_tensors(data, rows, int(data.lengths[rows[0]]), device)
        del batch["attention_mask"]  # nothing is padded, so nothing is masked
        ids, wanted = batch["input_ids"], torch.from_numpy(targets[rows]).to(device)
        origin = np.stack([_token_fields(data, row) for row in rows])
        if steps:
            is_special = torch.from_numpy(origin < 0).to(device)
            baseline = torch.where(
                is_special, ids, torch.full_like(ids, data.joint.pad)
            )
            scores, gaps = integrated_gradients(model, batch, wanted, baseline, steps)
        else:
            scores = saliency(model, batch, wanted)
            gaps = torch.zeros(len(rows))
        # Fetched whole: asking for each row would wait for the GPU each time.
        ids, scores, gaps = ids.cpu(), scores.cpu(), gaps.cpu()
        for position, row in enumerate(rows):
            by_row[int(row)] = Attribution(
                tuple(tokenizer.convert_ids_to_tokens(ids[position].tolist())),
                tuple(scores[position].tolist()),
                tuple((origin[position] < 0).tolist()),
                tuple("" if f < 0 else fields[f] for f in origin[position]),
                float(gaps[position]),
            )
    return [by_row[row] for row in range(len(by_row))]


def _token_fields(items: TokenSequences, row: int) -> Ints:
    """The number of the field that each token of an item is from; -1 where special."""
    numbers: list[int] = []
    for number, piece in enumerate(items.joint.pieces):
        numbers += [-1] * len(piece)
        if number < len(items.parts):
            numbers += [number] * int(items.sizes[number, row])
    return np.array(numbers, np.int64)
