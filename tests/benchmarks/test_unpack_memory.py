"""The memory that is free: no more than any limit leaves."""

import subprocess
import sys

from measurand.benchmarks import unpack

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from measurand.benchmarks.unpack import available_memory
print(available_memory())
"""


def test_the_smallest_limit_counts(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  4000 kB\n")
    monkeypatch.setattr(unpack, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(unpack, "GROUP", tmp_path)
    assert unpack.available_memory() == 4_096_000
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert unpack.available_memory() == 2000
    (tmp_path / "memory.current").write_text("5000\n")
    assert unpack.available_memory() == 0
    (tmp_path / "memory.max").write_text("max\n")
    assert unpack.available_memory() == 4_096_000


def test_a_limited_process_knows_its_limit():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) < 2**30


def test_without_a_word_of_the_system_there_is_some(monkeypatch, tmp_path):
    monkeypatch.setattr(unpack, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(unpack, "GROUP", tmp_path)
    assert unpack.available_memory() > 0
