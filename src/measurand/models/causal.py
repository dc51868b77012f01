"""Decoder language models: score, generate, encode, adapt, by one batching loop."""

import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy, log_softmax

from measurand.core.arrays import Floats
from measurand.core.errors import ReaderFailed, quote
from measurand.core.seeds import generator
from measurand.models.causal_loading import (
    accelerator,
    can_load_four_bit,
    load_decoder,
    memory_guard,
    read_decoder,
)
from measurand.models.causal_training import (
    Adaptation,
    Ids,
    Lora,
    attach_lora,
    batch_by_length,
    pad_rows,
    tokens_per_batch,
    train_decoder,
)
from measurand.models.places import SMOLLM2
from measurand.models.training import Batch

UNKNOWN_WINDOW = 2048  # tokens, where a model does not say how many it can read


@dataclass(frozen=True, eq=False)
class CausalModel:
    """A decoder language model with its tokenizer.

    Attributes:
        source: The directory, hub id or name that it was read from.
        network: The transformers model.
        tokenizer: Its tokenizer.
        tuning: What is open to training: none, full, lora or qlora.
    """

    source: str
    network: Any
    tokenizer: Any
    tuning: str = "none"

    @classmethod
    def load(cls, source: str = SMOLLM2) -> "CausalModel":
        """The fresh model, to be asked: bf16 on a CUDA device, fp32 elsewhere."""
        return cls(source, *load_decoder(source, exact=False))

    @classmethod
    def trainable(
        cls, source: str, lora: Lora | None = None, seed: int = 0
    ) -> "CausalModel":
        """A fresh copy whose weights, or new adapters, may be trained."""
        if lora is None:
            # fp32 weights, computed with in bf16 on a CUDA device: in bf16 alone,
            # small steps would be rounded away.
            network, tokenizer = load_decoder(source, exact=True)
            return cls(source, trainable_copy(network), tokenizer, "full")
        if can_load_four_bit(source):
            network, tokenizer = read_decoder(source, "nf4")
        else:
            network, tokenizer = load_decoder(source, exact=False)
            network = trainable_copy(network)
        quantised = getattr(network, "is_loaded_in_4bit", False)
        attach_lora(network, lora, int(generator(seed, "adapters").integers(2**31)))
        return cls(source, network, tokenizer, "qlora" if quantised else "lora")

    @property
    def window(self) -> int:
        """The longest input in tokens."""
        stated = getattr(self.network.config, "max_position_embeddings", None)
        return int(min(stated or UNKNOWN_WINDOW, self.tokenizer.model_max_length))

    @property
    def start(self) -> int:
        """The token that represents an empty text, and fills batches up."""
        candidates = (
            self.tokenizer.bos_token_id,
            self.tokenizer.eos_token_id,
            self.tokenizer.pad_token_id,
        )
        return next((token for token in candidates if token is not None), 0)

    def tokens(self, texts: Sequence[str], *, special: bool = True) -> list[Ids]:
        """The texts as token numbers; with `special`, none of them is empty."""
        if not texts:
            return []
        rows: list[Ids] = self.tokenizer(
            list(texts), add_special_tokens=special, verbose=False
        )["input_ids"]
        if not special:
            return rows
        end = self.tokenizer.eos_token_id
        # A closing token would tell the model that nothing follows.
        rows = [row[:-1] if len(row) > 1 and row[-1] == end else row for row in rows]
        return [row or [self.start] for row in rows]

    def text(self, tokens: Ids) -> str:
        """The text that tokens represent."""
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True))

    def log_probabilities(
        self, prompts: Sequence[str], continuations: Sequence[str]
    ) -> Floats:
        """The mean token log-probability of each continuation after each prompt.

        One row per prompt, one column per continuation. A prompt is read once for all
        of them.
        """
        rows = self.own_log_probabilities(prompts, [continuations] * len(prompts))
        means = [totals / sizes for totals, sizes in rows]
        return np.array(means).reshape(len(prompts), len(continuations))

    @torch.inference_mode()
    def own_log_probabilities(
        self, prompts: Sequence[str], continuations: Sequence[Sequence[str]]
    ) -> list[tuple[Floats, Floats]]:
        """Of each prompt's own continuations, the log-probabilities and token counts.

        A prompt is read once for all that follow it.
        """
        texts = list(dict.fromkeys(text for row in continuations for text in row))
        tokens = dict(zip(texts, self.tokens(texts, special=False), strict=True))
        if empty := [text for text, ids in tokens.items() if not ids]:
            raise ReaderFailed(
                f"the continuation {quote(empty[0])} has no tokens, so no probability"
            )
        endings = [[tokens[text] for text in row] for row in continuations]
        starts = self.fit_window(prompts, max(map(len, tokens.values()), default=0))
        scores: dict[int, Floats] = {}
        with memory_guard():
            for rows in batch_by_length(
                [len(ids) for ids in starts], tokens_per_batch()
            ):
                batch = [starts[i] for i in rows], [endings[i] for i in rows]
                scores |= zip(rows, self.score_own(*batch), strict=True)
        return [
            (scores[i], np.array([len(ending) for ending in row], float))
            for i, row in enumerate(endings)
        ]

    def score_own(
        self, starts: Sequence[Ids], endings: Sequence[Sequence[Ids]]
    ) -> list[Floats]:
        """The log-probabilities of the endings of each prompt in one batch."""
        ids, mask = pad_rows(starts, self.start)
        output = self.run(self.network, ids, mask, use_cache=True, logits_to_keep=1)
        first = log_softmax(output.logits[:, -1].float(), dim=-1)
        owner = [row for row, texts in enumerate(endings) for _ in texts]
        flat = [ending for texts in endings for ending in texts]
        totals = first[owner, [ending[0] for ending in flat]].double().cpu().numpy()
        longer = [i for i, ending in enumerate(flat) if len(ending) > 1]
        most = max(1, tokens_per_batch() // ids.shape[1])
        for start in range(0, len(longer), most):
            chosen = longer[start : start + most]
            rows = torch.tensor([owner[i] for i in chosen], device=ids.device)
            prefix = copy.deepcopy(output.past_key_values)
            prefix.batch_select_indices(rows)
            totals[chosen] += self.rest_scores(
                prefix, mask[rows], [flat[i] for i in chosen]
            )
        return np.split(totals, np.cumsum([len(texts) for texts in endings])[:-1])

    def rest_scores(self, prefix: Any, mask: Tensor, endings: Sequence[Ids]) -> Floats:
        """What the tokens after the first add to each row's continuation."""
        tails, real = pad_rows([ending[:-1] for ending in endings], self.start, "right")
        targets, _ = pad_rows([ending[1:] for ending in endings], self.start, "right")
        full_mask = torch.cat([mask, real], dim=1)
        logits = self.run(
            self.network, tails, full_mask, use_cache=True, past_key_values=prefix
        ).logits
        log_probabilities = -cross_entropy(
            logits.float().transpose(1, 2), targets, reduction="none"
        )
        return np.asarray((log_probabilities * real).sum(dim=1).double().cpu().numpy())

    @torch.inference_mode()
    def generate(self, prompts: Sequence[str], max_new_tokens: int = 32) -> list[str]:
        """What the model greedily writes after each prompt."""
        starts = self.fit_window(prompts, max_new_tokens)
        texts = [""] * len(prompts)
        lengths = [len(ids) + max_new_tokens for ids in starts]
        with memory_guard():
            for rows in batch_by_length(lengths, tokens_per_batch()):
                ids, mask = pad_rows([starts[i] for i in rows], self.start)
                with self.precision():
                    outputs = self.network.generate(
                        input_ids=ids,
                        attention_mask=mask,
                        max_new_tokens=max_new_tokens,
                        do_sample=False,
                        num_beams=1,
                        temperature=None,
                        top_p=None,
                        top_k=None,
                        pad_token_id=self.start,
                    )
                for row, tokens in zip(rows, outputs[:, ids.shape[1] :], strict=True):
                    texts[row] = self.text(tokens.tolist())
        return texts

    @torch.inference_mode()
    def hidden(self, prompts: Sequence[str]) -> NDArray[np.float32]:
        """The last hidden state of each prompt's last token."""
        starts = self.fit_window(prompts, 0)
        states: dict[int, NDArray[np.float32]] = {}
        with memory_guard():
            for rows in batch_by_length(
                [len(ids) for ids in starts], tokens_per_batch()
            ):
                batch = self.batch([starts[i] for i in rows])
                batch_states = self.states(batch).cpu().numpy()
                states.update(zip(rows, batch_states, strict=True))
        size = self.network.get_input_embeddings().weight.shape[1]
        shape = (len(prompts), next(iter(states.values())).size if states else size)
        return np.array([states[i] for i in range(len(prompts))]).reshape(shape)

    @torch.inference_mode()
    def loss(self, texts: Sequence[str], length: int = 256) -> float:
        """The mean negative log-probability of a token of `texts`."""
        rows = self.sequences(texts, length)
        total = 0.0
        with memory_guard():
            for chosen in batch_by_length(
                [len(ids) for ids in rows], tokens_per_batch() // 4
            ):
                batch = [rows[i] for i in chosen]
                total += float(self.unlikelihood(self.batch(batch))) * sum(
                    len(r) - 1 for r in batch
                )
        return total / sum(len(row) - 1 for row in rows)

    def adapt(
        self,
        texts: Sequence[str],
        settings: Adaptation = Adaptation(),  # noqa: B008 (frozen)
        lora: Lora | None = None,
        seed: int = 0,
    ) -> "CausalModel":
        """The fresh checkpoint, pretrained further on `texts`; this one stays as is."""
        model = CausalModel.trainable(self.source, lora, seed)
        model.pretrain(texts, settings, seed)
        return model.finish_training()

    def finish_training(self) -> "CausalModel":
        """This model when its training is over, with weights as `load` has them.

        So that trained and fresh models are asked with the same arithmetic.
        """
        if self.tuning == "full" and accelerator().type == "cuda":
            self.network.to(torch.bfloat16)
        return self

    def pretrain(self, texts: Sequence[str], settings: Adaptation, seed: int) -> None:
        """Train this trainable model on `texts`, in place."""
        rows = self.pack(self.sequences(texts, settings.length), settings.packed)

        def make_batch(chosen: Sequence[int]) -> Batch:
            return self.batch([rows[i] for i in chosen])

        def loss(network: Any, batch: Batch) -> Tensor:
            return self.unlikelihood(batch)

        train_decoder(
            self.network, len(rows), make_batch, loss, settings.training, seed
        )

    def sequences(self, texts: Sequence[str], length: int) -> list[Ids]:
        """The texts in which a token can be predicted, cut."""
        most = min(length, self.window)
        rows = [row[:most] for row in self.tokens(texts) if len(row) > 1]
        if not rows:
            raise ReaderFailed("no text of two tokens or more to adapt to")
        return rows

    def pack(self, rows: Sequence[Ids], size: int) -> list[Ids]:
        """So many rows in one, an end token between them, cut to the window."""
        end = self.tokenizer.eos_token_id
        separator = [] if end is None else [end]
        sequences = []
        for first in range(0, len(rows), size):
            sequence = list(rows[first])
            for row in rows[first + 1 : first + size]:
                sequence += separator + row
            sequences.append(sequence[: self.window])
        return sequences

    def batch(self, rows: Sequence[Ids]) -> Batch:
        """The rows as what is learned from."""
        # Padding on the right: on the left, its tokens would see no token at all, and
        # some kernels make that no number.
        ids, mask = pad_rows(rows, self.start, "right")
        return {"ids": ids, "mask": mask}

    def unlikelihood(self, batch: Batch) -> Tensor:
        """The mean negative log-probability of the tokens after the first."""
        ids, mask = batch["ids"], batch["mask"]
        logits = self.run(self.network, ids, mask, use_cache=False).logits
        targets = ids[:, 1:].masked_fill(mask[:, 1:] == 0, -100)
        return cross_entropy(logits[:, :-1].flatten(0, 1).float(), targets.flatten())

    def states(self, batch: Batch) -> Tensor:
        """The last hidden state of each row's last token, to be learned through."""
        ids, mask = batch["ids"], batch["mask"]
        output = self.run(self.network.base_model, ids, mask, use_cache=False)
        ends = mask.sum(dim=1) - 1
        last: Tensor = output.last_hidden_state[torch.arange(len(ends)), ends]
        return last.float()

    def fit_window(self, prompts: Sequence[str], new_tokens: int) -> list[Ids]:
        """The prompts as tokens, the last ones of more than the window leaves."""
        room = self.window - new_tokens
        if room < 1:
            raise ReaderFailed(
                f"{self.source} reads {self.window} tokens, which leaves no prompt "
                f"before {new_tokens} more; ask for fewer"
            )
        return [row[-room:] for row in self.tokens(prompts)]

    def run(self, module: Any, ids: Tensor, mask: Tensor, **options: Any) -> Any:
        """One forward pass; positions are counted without the padding."""
        accepted = inspect.signature(module.forward).parameters
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        options = {"position_ids": positions, **options}
        with self.precision():
            return module(
                input_ids=ids,
                attention_mask=mask,
                **{name: value for name, value in options.items() if name in accepted},
            )

    def precision(self) -> torch.autocast:
        """bf16 arithmetic on a CUDA device, the weights' own elsewhere."""
        cuda = accelerator().type == "cuda"
        return torch.autocast(accelerator().type, torch.bfloat16, enabled=cuda)


def trainable_copy(network: Any) -> Any:
    """A copy of the network, every weight of it open to training."""
    with memory_guard():
        return copy.deepcopy(network).requires_grad_(True)
