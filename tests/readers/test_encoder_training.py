"""A stack learns what transformers' Trainer learns from the same batches."""

import copy

import numpy as np
import pytest
import torch
import transformers
from scipy.special import softmax

from measurand.core.reader import TrainingJob
from measurand.models import masked
from measurand.models.sequences import input_tensors
from measurand.readers.encoder import EncoderReader
from measurand.readers.stacking import encoder
from tests.conftest import small_items
from tests.models import tiny_families
from tests.models.rounding import path_terms, rounding

TEXTS = tuple(f"claim about thing{i % 7} is good" for i in range(37))
TRAIN, TEST = small_items(42), small_items(60).rows(np.arange(42, 60))
RATES = {"adapt": 3e-3, "learn": 5e-3}
EPOCHS = 8

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def reader(tmp_path):
    """An encoder without dropout, and without a language-model head."""
    place = tiny_families.save(tmp_path, "bert")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # a pooler is new
        transformers.AutoModel.from_pretrained(place).save_pretrained(place)
    return EncoderReader(
        place,
        **{"epochs": EPOCHS, "batch": 16, "length": 32, "held": 0.0, "warmup": 0.0},
        **{"rate": RATES["learn"], "adapt_rate": RATES["adapt"]},
    )


@pytest.fixture
def seen(monkeypatch):
    """What the stack draws, by the name of what draws it."""
    found = {"align_batches": [], "hide_tokens": [], "new_head": []}

    def spy(name):
        real = getattr(encoder, name)

        def told(*given):
            found[name].append((given, real(*given)))
            return found[name][-1][1]

        monkeypatch.setattr(encoder, name, told)

    for name in found:
        spy(name)
    return found


def trained(model, batches, rate, decay, folder):
    """The model after Trainer was given these batches in this order."""
    args = transformers.TrainingArguments(
        str(folder),
        **{"num_train_epochs": 1, "per_device_train_batch_size": 1},
        **{"learning_rate": rate, "weight_decay": decay, "use_cpu": True},
        **{"lr_scheduler_type": "linear", "max_grad_norm": 1.0, "report_to": []},
        **{"save_strategy": "no", "logging_strategy": "no", "disable_tqdm": True},
        remove_unused_columns=False,
    )

    class InOrder(transformers.Trainer):
        def _get_train_sampler(self, *given):
            return torch.utils.data.SequentialSampler(batches)

    def one(rows):
        return dict(rows[0])

    InOrder(model=model, args=args, train_dataset=batches, data_collator=one).train()
    return model.eval()


def read_texts(reader, seen, folder):
    """The body of an encoder that Trainer adapted as the stack was."""
    model = copy.deepcopy(masked.load_masked_model(reader.model)[0])
    ((_, head),) = seen["new_head"]
    assert [*head] == ["cls.predictions.transform.dense.weight"]
    model.load_state_dict(head, strict=False)
    batches = []
    steps = reader.adapt_epochs * -(-len(TEXTS) // reader.adapt_batch)
    for (_, data, rows, _, width, _), (ids, labels) in seen["hide_tokens"][:steps]:
        made = input_tensors(data, rows, width, torch.device("cpu"))
        made["input_ids"], made["labels"] = map(torch.from_numpy, (ids, labels))
        batches.append(made)
    return trained(model, batches, RATES["adapt"], 0.0, folder).base_model


def classified(reader, seen, job, body, folder):
    """What a classifier answers that Trainer trained as the stack was."""
    stack = encoder.EncoderStack(reader, 1)
    fitted = stack.reader_for(job, None)
    stack.classes = len(job.train.classes)
    kind = transformers.AutoModelForSequenceClassification
    model = kind.from_pretrained(reader.model, num_labels=2, dtype=torch.float32)
    model.base_model.load_state_dict(body.state_dict(), strict=False)
    rng = np.random.default_rng(3)
    head = stack.head(
        encoder.EncoderSeeds.of(TrainingJob(reader, TRAIN, TEST, rng)).head, 2
    )
    model.load_state_dict({k: v[:2] for k, v in head.items()}, strict=False)
    data, gold = stack.read(fitted, TRAIN), torch.from_numpy(TRAIN.gold(TRAIN.classes))
    where = torch.device("cpu")
    with_pools = [plan for given, plan in seen["align_batches"] if len(given) == 5]
    batches = [
        input_tensors(data, rows[0], width, where) | {"labels": gold[rows[0]]}
        for plan in with_pools
        for rows, width in plan
    ]
    assert [len(batch["labels"]) for batch in batches] == [16, 16, 10] * EPOCHS
    trained(model, batches, RATES["learn"], 0.01, folder)
    asked = stack.read(fitted, TEST)
    made = input_tensors(asked, np.arange(len(TEST)), int(asked.lengths.max()), where)
    with torch.no_grad():
        return softmax(model(**made).logits.double().numpy(), axis=1)


@pytest.mark.parametrize("texts", [(), TEXTS], ids=["base", "adapted"])
@pytest.mark.slow
def test_a_stack_answers_as_the_trainer_does(reader, seen, texts, tmp_path):
    """Head, order and masks given, the two differ in nothing but rounding."""
    job = TrainingJob(reader.adapt(texts), TRAIN, TEST, np.random.default_rng(3))
    (said,) = reader.predict_jointly([job], 1)
    first = masked.load_masked_model(reader.model)[0].base_model
    body = read_texts(reader, seen, tmp_path / "lm") if texts else first
    found = classified(reader, seen, job, body, tmp_path / "classes")
    assert np.ptp(said.probabilities[:, 0]) > 0.04  # there is something to tell apart
    steps = 3 * EPOCHS + (3 * reader.adapt_epochs if texts else 0)
    terms = path_terms(transformers.AutoConfig.from_pretrained(reader.model), 32, steps)
    atol = rounding(terms, np.ptp(found))
    np.testing.assert_allclose(said.probabilities, found, rtol=0, atol=atol)
