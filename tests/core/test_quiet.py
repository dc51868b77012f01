"""The hub's own words: none of tries and waits, and its level is given back."""

import logging

from measurand.core.quiet import quiet_hub

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
