"""The hub's own words: none of tries and waits, and its level is given back."""

import logging

import pytest
from huggingface_hub import constants

from measurand.models import quiet
from measurand.models.quiet import has_address, quiet_hub

TRIES = logging.getLogger("huggingface_hub.utils._http")


def test_tries_are_not_told(caplog, monkeypatch):
    hub = logging.getLogger("huggingface_hub")
    monkeypatch.setattr(hub, "propagate", True)
    level = hub.level
    with quiet_hub():
        TRIES.warning("Retrying in 1s [Retry 1/5].")
    assert caplog.records == []
    assert hub.level == level
    TRIES.error("told")
    assert caplog.messages == ["told"]


@pytest.fixture
def alone(monkeypatch):
    """Neither a proxy nor a wait."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr(quiet, "WAITS", (0.0, 0.0))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


@pytest.mark.usefixtures("alone")
def test_a_hub_whose_name_leads_nowhere_is_not_asked(monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "https://nowhere.invalid")
    with quiet_hub():
        assert constants.is_offline_mode()
    assert not constants.is_offline_mode()
    with quiet_hub(asks=False):
        assert not constants.is_offline_mode()
    monkeypatch.setattr(constants, "ENDPOINT", "http://localhost:1")
    with quiet_hub():  # its name is known: whoever is slow is waited for
        assert not constants.is_offline_mode()


@pytest.mark.usefixtures("alone")
def test_behind_a_proxy_only_the_proxy_knows_names(monkeypatch):
    assert not has_address("https://nowhere.invalid")
    monkeypatch.setenv("https_proxy", "http://localhost:1")
    assert has_address("https://nowhere.invalid")


@pytest.mark.usefixtures("alone")
def test_a_name_that_comes_back_is_found(monkeypatch):
    tries = iter([OSError("not now"), None])

    def look(host, port):
        if fault := next(tries):
            raise fault

    monkeypatch.setattr("socket.getaddrinfo", look)
    assert has_address("https://hub.example")
