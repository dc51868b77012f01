"""No address and no key but those that a test names."""

import pytest

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("MEASURAND_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEASURAND_API_KEY", KEY)
