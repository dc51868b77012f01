"""What a settings file may set, and what only the user may."""

import socket
from pathlib import Path

import pytest

from measurand.cli.app import USERS_ALONE
from measurand.core.setting import declarations
from measurand.settings.evidence import EvidenceSettings
from measurand.settings.running import Run, Server
from measurand.settings.source import Source
from tests.cli.commands import QUICK
from tests.models.fake_server import serving

HARMLESS = {"config", "roles", "data", "budget", "strongest"}
# The options that take a path or have a variable of the environment.
CHOSEN = {
    name.replace("_", "-")
    for group in (Source, Run, Server, EvidenceSettings)
    for name, declaration in declarations(group).items()
    if declaration.part is Path or declaration.setting.env
}


@pytest.mark.parametrize("option", USERS_ALONE)
def test_what_only_the_user_may_say_is_refused_in_one_line(file, run, tmp_path, option):
    (tmp_path / "a.toml").write_text(f'{option} = "ray"')
    outcome = run("evidence", file, *QUICK, "--config", tmp_path / "a.toml")
    assert outcome.code == 1
    assert outcome.err.startswith(f"measurand: --config a.toml sets '{option}'; a file")
    assert outcome.err.endswith(f"give --{option} on the command line\n")


@pytest.mark.parametrize("option", sorted(CHOSEN))
def test_every_path_and_variable_is_the_users_or_only_read(option):
    """A new option of that kind has to be thought about, and named in one place."""
    assert (option in USERS_ALONE) != (option in HARMLESS)


def test_an_address_in_a_file_is_never_called(file, run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        text = f'engine = "ray"\naddress = "{address}"\n'
        (tmp_path / "a.toml").write_text(text)
        outcome = run("evidence", file, *QUICK, "--config", tmp_path / "a.toml")
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert "a file may not say which code is run" in outcome.last


@pytest.mark.parametrize(
    "line", ['paraphraser = "causal:llm:x"', 'model = "causal:llm:z"']
)
def test_no_name_in_a_file_sends_texts_to_the_users_server(
    line, file, run, tmp_path, monkeypatch
):
    (tmp_path / "a.toml").write_text(line)
    words = ("--query", "claim", "--label", "label", "--rationale", "evidence")
    words += ("--reader", "tfidf", "--explainer", "drift", "--workers", "1")
    with serving() as server:
        monkeypatch.setenv("MEASURAND_ENDPOINT", server.url)
        words += ("--config", tmp_path / "a.toml", "--no-calibrate", "--items", "20")
        outcome = run("explanations", file, *words)
        assert not server.asked
    assert outcome.code == 1
    assert "llm:" in outcome.last


@pytest.mark.parametrize(
    "line", ['reader = "endpoint:x"', 'paraphraser = "llm:x"', 'model = "llm:x"']
)
def test_a_file_may_not_name_a_model_behind_a_server(line, file, run, tmp_path):
    (tmp_path / "a.toml").write_text(line)
    outcome = run("explanations", file, "--config", tmp_path / "a.toml")
    assert "a file may not say what is sent where" in outcome.last
