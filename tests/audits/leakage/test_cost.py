"""What asking a server about choices would cost is known before it is asked."""

from dataclasses import replace

import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.cost import leakage_cost
from measurand.benchmarks.synthetic_choices import LEAKING, plant_choice_benchmark
from measurand.experiment.experiment import open_experiment
from measurand.readers.endpoint import endpoint_reader
from tests.models.fake_server import serving

SIZES = {"train": 30, "test": 60}
BENCHMARK = plant_choice_benchmark("planted", LEAKING, sizes=SIZES)
USUAL = LeakageSettings(calibrate=False)


def test_a_plan_counts_calls_tokens_and_money_and_sends_nothing():
    reader = endpoint_reader("small", price_in=1.0, price_out=10.0, cap_money=1e-6)
    planned = leakage_cost(reader, BENCHMARK, USUAL)
    assert planned.calls == 2 * 60
    assert planned.use.received == 2 * 60 * reader.endpoint.max_tokens
    money = (planned.use.sent + 10 * planned.use.received) / 1e6
    assert planned.money == pytest.approx(money)
    assert not planned.fits
    assert str(planned).startswith("at most 120 calls, about ")
    assert str(planned).endswith("that there is none; this passes the spend cap")
    assert "60 items can see 0.157 over chance" in str(planned)
    turned = leakage_cost(replace(reader, orders=3, answers=2), BENCHMARK, USUAL)
    assert turned.calls == 6 * planned.calls


@pytest.mark.slow
@pytest.mark.parametrize("shots", [0, 2])
@pytest.mark.parametrize("cut", [False, True])
def test_no_audit_asks_more_than_its_plan(shots, cut):
    settings = replace(USUAL, tsne=False, controls="full", check_inference=True)
    benchmark = BENCHMARK
    if cut:
        benchmark = replace(BENCHMARK, drawn_by=(BENCHMARK.query,))
    with serving(lambda prompt: "A") as server, open_experiment(benchmark) as running:
        reader = endpoint_reader("small", server.url, retries=1, shots=shots)
        planned = leakage_cost(reader, benchmark, settings)
        assert server.asked.total() == 0
        audit(running, {"llm": reader}, settings)
        asked = server.asked
    scored = 90 if cut else 60
    assert 2 * scored < asked.total() <= planned.calls
    assert sum(len(text) * n for text, n in asked.items()) <= 4 * planned.use.sent + 4
