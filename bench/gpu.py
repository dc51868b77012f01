"""Encoders on a GPU: replications of two papers, and speed against plain loops.

    python -m bench.gpu speed DATA WEIGHTS OUT
    python -m bench.gpu replicate DATA WEIGHTS OUT [MPNET] [NAME ...]
    python -m bench.gpu larger DATA MPNET OUT NAME ...
    python -m bench.gpu leakage DATA WEIGHTS OUT [NAME ...]

DATA holds the benchmarks as gzipped JSON lines; WEIGHTS is a directory with MiniLM,
MPNET one with mpnet. Every figure is written to OUT as soon as it is there. All ratios
come from one run on one machine.
"""

import gzip
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from bench.real import figures_only, pairs
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.load import load_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Report
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.readers.encoder import EncoderReader, FittedEncoder
from measurand.report.saved import document, dumps

SHUFFLES = 20
DOSED = ("snli", "fever")  # whose recovery is told dose by dose
PLAIN = 3  # shuffles that the plain loop is timed on; its time is scaled to all


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that work takes on the GPU, and its result."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    result = work()
    torch.cuda.synchronize()
    return time.perf_counter() - start, result


def matrix_rate() -> float:
    """What the chip does in bf16 products of large matrices, in FLOP a second."""
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    for _ in range(3):
        a @ a
    seconds, _ = timed(lambda: [a @ a for _ in range(20)])
    return 20 * 2 * 8192**3 / seconds


def plain_loop(reader: FittedEncoder, items: Items) -> np.ndarray:
    """What everybody writes: batches of 32, padded to the longest, in fp32."""
    words = transformers.AutoTokenizer.from_pretrained(reader.name)
    model = reader.model.float()
    first, second = (items.column(field).tolist() for field in reader.fields)
    said = []
    with torch.no_grad():
        for start in range(0, len(items), 32):
            rows = slice(start, start + 32)
            made = words(
                first[rows],
                second[rows],
                padding="longest",
                truncation=True,
                max_length=reader.length,
                return_tensors="pt",
            ).to("cuda")
            said.append(model(**made).logits.argmax(dim=1).cpu().numpy())
    return np.concatenate(said)


def inference(
    reader: FittedEncoder, benchmark: Benchmark, rate: float
) -> dict[str, Any]:
    """K shuffles of the test items: ours, and the plain loop."""
    test, shuffle = benchmark.test, Shuffle(str(benchmark.evidence))
    orders = [shuffle.order(test, np.random.default_rng(k)) for k in range(SHUFFLES)]
    texts = test.column(shuffle.field).to_numpy(object)
    changed = [
        test.with_field(shuffle.field, texts[o].tolist()) for o in orders[:PLAIN]
    ]
    reader.predict(test)  # warm

    def ours() -> list[np.ndarray]:
        reading = reader.read(test)
        return list(
            reader.predict_rearranged(
                reading, shuffle.field, np.array(orders, np.int32)
            )
        )

    seconds, said = timed(ours)
    plain_loop(reader, test.rows(np.arange(320)))  # warm
    slow, plain = timed(lambda: [plain_loop(reader, items) for items in changed])
    agree = np.mean(
        [(s.argmax(axis=1) == p).mean() for s, p in zip(said, plain, strict=False)]
    )
    used = int(reader.read(test).joined.lengths.sum()) * SHUFFLES
    weights = sum(
        p.numel() for n, p in reader.model.named_parameters() if "embeddings" not in n
    )
    return {
        "seconds": seconds,
        "plain_seconds_scaled": slow / PLAIN * SHUFFLES,
        "ratio": slow / PLAIN * SHUFFLES / seconds,
        "agreement": float(agree),
        "useful_tokens_a_second": used / seconds,
        "share_of_matrix_rate": 2 * weights * used / seconds / rate,
    }


def trainer(weights: str, benchmark: Benchmark, batch: int) -> tuple[float, float]:
    """Seconds and test accuracy of one epoch of transformers' Trainer in bf16."""
    words = transformers.AutoTokenizer.from_pretrained(weights)
    classes = benchmark.classes
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        weights, num_labels=len(classes), dtype=torch.float32
    )
    fields = (benchmark.query, str(benchmark.evidence))

    def rows(items: Items) -> list[dict[str, Any]]:
        made = words(
            *(items.column(f).tolist() for f in fields), truncation=True, max_length=128
        )
        gold = items.gold(classes)
        return [
            {k: made[k][i] for k in made} | {"labels": int(gold[i])}
            for i in range(len(items))
        ]

    train, test = rows(benchmark.train), rows(benchmark.test)
    settings = transformers.TrainingArguments(
        "trainer",
        per_device_train_batch_size=batch,
        per_device_eval_batch_size=256,
        num_train_epochs=1,
        learning_rate=1e-4,
        warmup_steps=88,
        weight_decay=0.01,
        bf16=True,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        dataloader_num_workers=0,
        seed=0,
    )
    loop = transformers.Trainer(
        model=model,
        args=settings,
        train_dataset=train,
        data_collator=transformers.DataCollatorWithPadding(words),
    )
    seconds, _ = timed(loop.train)
    said = loop.predict(test)
    return seconds, float((said.predictions.argmax(axis=1) == said.label_ids).mean())


def both(data: Path) -> Benchmark:
    """SNLI with all 93,453 training pairs."""
    joined = data / "snli_train_93k.jsonl"
    with open(joined, "wb") as out:
        for name in ("snli_train_18k", "snli_train_75k"):
            with gzip.open(data / f"{name}.jsonl.gz") as rows:
                out.write(rows.read().rstrip() + b"\n")
    return load_benchmark(str(joined), test=str(data / "esnli_test.jsonl.gz"))


def speed(data: Path, weights: str, out: Path) -> None:
    """Ratios against plain loops."""
    found: dict[str, Any] = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
    }
    rate = matrix_rate()
    found["matrix_rate_tflops"] = rate / 1e12
    benchmark = both(data)
    few = EncoderReader(weights, epochs=1, held=0.0)
    few.fit(benchmark.train.rows(np.arange(4096)), np.random.default_rng(0))  # warm
    seconds, reader = timed(lambda: few.fit(benchmark.train, np.random.default_rng(0)))
    right = reader.predict(benchmark.test).argmax(axis=1) == benchmark.test.gold(
        reader.classes
    )
    found["training"] = {
        "pairs": len(benchmark.train),
        "epochs": 1,
        "batch": 64,
        "seconds": seconds,
        "accuracy": float(right.mean()),
    }
    write(out, "speed", found)
    found["inference_minilm"] = inference(reader, benchmark, rate)
    write(out, "speed", found)
    large = Path("bert-base")
    transformers.BertForSequenceClassification(
        transformers.BertConfig(num_labels=3)
    ).save_pretrained(large)
    transformers.AutoTokenizer.from_pretrained(weights).save_pretrained(large)
    model = (
        transformers.BertForSequenceClassification.from_pretrained(large).cuda().eval()
    )
    base = FittedEncoder(reader.classes, reader.fields, str(large), 128, model, 1.0)
    found["inference_bert_base"] = inference(base, benchmark, rate)
    write(out, "speed", found)
    slow, accuracy = trainer(weights, benchmark, 64)
    found["training"] |= {
        "trainer_seconds": slow,
        "trainer_accuracy": accuracy,
        "ratio": slow / seconds,
    }
    write(out, "speed", found)


def write(out: Path, name: str, found: dict[str, Any]) -> None:
    """Keep what is known so far."""
    (out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    print(name, json.dumps(found), flush=True)


def replicate(data: Path, weights: str, out: Path, *names: str) -> None:
    """The evidence audit with tfidf, cross, MiniLM and mpnet on real benchmarks.

    With all doses of the controls where recovery is told dose by dose, else with one.
    """
    larger = [name for name in names if Path(name).is_dir()]
    # mpnet at 256 tokens needs 34 GiB a process.
    workers = 2 if larger else 6
    for name in [n for n in names if n not in larger] or ("snli", "fever", "hotpotqa"):
        start = time.perf_counter()
        benchmark, how = pairs(data, name)
        readers = {n: READERS.load(n) for n in ("tfidf", "cross")}
        readers["minilm"] = EncoderReader(weights, **how)
        for place in larger:
            readers["mpnet"] = EncoderReader(place, rate=3e-5, **how)
        settings = EvidenceSettings()
        with open_experiment(benchmark, workers=workers, store="store") as running:
            report = audit(running, readers, settings)
        kept(out, f"evidence-{name}", report, start)


def larger(data: Path, weights: str, out: Path, *names: str) -> None:
    """The evidence audit with tfidf and one seed of mpnet, where time is short."""
    for name in names:
        start = time.perf_counter()
        benchmark, how = pairs(data, name)
        readers: dict[str, Any] = {"tfidf": READERS.load("tfidf")}
        readers["mpnet"] = EncoderReader(weights, rate=3e-5, **how)
        with open_experiment(benchmark, workers=3, store="store-larger") as running:
            report = audit(running, readers, EvidenceSettings(seeds=1))
        kept(out, f"evidence-{name}-mpnet", report, start)


def leakage(data: Path, weights: str, out: Path, *names: str) -> None:
    """The leakage audit with MiniLM on real benchmarks."""
    from measurand.audits.leakage import LeakageSettings, audit

    for name in names or ("snli", "cad", "sick", "boolq", "mnli", "fever"):
        start = time.perf_counter()
        benchmark, how = pairs(data, name)
        readers = {"minilm": EncoderReader(weights, **how)}
        with open_experiment(benchmark, workers=1, store=f"store-{name}") as running:
            settings = LeakageSettings(tsne=False)
            report = audit(running, readers, settings)
        kept(out, f"leakage-{name}", report, start)


def kept(out: Path, name: str, report: Report, start: float) -> None:
    """Write the report and print its figures."""
    (out / f"{name}.json").write_text(dumps(document(figures_only(report))))
    print(name, report.verdict, round(time.perf_counter() - start), flush=True)
    for f in report.findings:
        print(
            " ", f.statistic, f.reader, f.condition, f.estimate, f.decision, flush=True
        )


if __name__ == "__main__":
    verb, data, weights, out, *names = sys.argv[1:]
    work = {
        "speed": speed,
        "replicate": replicate,
        "larger": larger,
        "leakage": leakage,
    }[verb]
    work(Path(data), weights, Path(out), *names)
