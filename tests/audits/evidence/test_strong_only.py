"""What the evidence audit does where only strong or saved readers are asked."""

import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.readers.encoder import EncoderReader
from tests.conftest import small_items
from tests.models import tiny_encoder

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.slow
def test_a_strong_reader_alone_is_not_trained_for_the_consequences(tmp_path):
    given = small_items(80)
    told = [f"{text} number{i}" for i, text in enumerate(given.column("proof"))]
    table = given.with_field("proof", told).table
    items = Items(table, given.fields, "label", given.metadata)
    benchmark = Benchmark("b", items, items, "claim", "proof")
    place = tiny_encoder.save(tmp_path)
    reader = EncoderReader(place, epochs=1, batch=16, rate=3e-3, length=24)
    with open_experiment(benchmark) as running:
        report = audit(
            running,
            {"tiny": reader},
            EvidenceSettings(shuffles=2, calibrate=False, seeds=2),
        )
    assert "add 'tfidf' to `readers`" in report.not_run["ood_gap"]
    assert report.settings["remarks"]["tiny"]["truncated"] == 0.0
    assert {"accuracy", "query_only", "delta_evi"} <= {
        f.statistic for f in report.findings
    }
