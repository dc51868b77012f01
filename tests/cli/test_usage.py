"""Words that the parser cannot make sense of: one line, and exit code 1."""

import pytest

from measurand.cli.app import VERBS

USAGE = {
    "evidence": "evidence needs SOURCE: a file (JSON lines,",
    "fit minilm a.csv": "fit needs --save: a folder for the fitted reader; see",
    "audits": "no verb called 'audits'; did you mean 'audit'?",
    "frobnicate": "no verb called 'frobnicate'; try demo, evidence, leakage,",
    "evidence a --shufles 3": "evidence has no option '--shufles'; did you mean "
    "--shuffles? see measurand evidence --help",
    "evidence a --colour": "evidence has no option '--colour'; see measurand evidence",
    "evidence a -z": "evidence has no option '-z'; see measurand evidence --help",
    "audit a --k 3": "audit has no option '--k'; leakage has it; see",
    "fit a --verbose": "fit has no option '--verbose'; evidence,",
    "--hlep": "before a verb there is no option '--hlep'; did you mean --help? see",
    "--verbose audit a": "before a verb there is no option '--verbose'; evidence,",
    "evidence a more": "got unexpected extra argument (more); evidence takes SOURCE",
    "demo more": "got unexpected extra argument (more); demo takes no argument",
    "evidence a --seed": "--seed is given without a value; write --seed VALUE; see",
    "evidence a --brief=3": "--brief takes no value, and '--brief=3' gives one;",
    "evidence a --shuffles many": "--shuffles is 'many'; allowed is a whole number;",
    "evidence a --workers 0": "--workers is 0; allowed are 1 to ",
    "evidence a --gpu-share 2": "--gpu-share is 2.0; allowed are 0 to 1",
    "evidence a --margin big": "--margin is 'big'; allowed is a number; see",
}


@pytest.mark.parametrize("args", USAGE)
def test_wrong_usage_is_one_line(run, args):
    outcome = run(*args.split())
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"measurand: {USAGE[args]}")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_names_its_help(run, verb):
    outcome = run(verb, "--colour\x1b[31m")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.endswith(f"; see measurand {verb} --help\n")
    assert outcome.err[:-1].isprintable()


def test_a_value_of_a_config_is_refused_alike(run, tmp_path):
    (tmp_path / "a.toml").write_text("shuffles = 3.5")
    outcome = run("evidence", "a", "--config", tmp_path / "a.toml")
    line = "measurand: --shuffles is '3.5'; allowed is a whole number; see"
    assert outcome.err.startswith(line)


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_help_is_no_error(run, args):
    outcome = run(*args)
    assert (outcome.code, outcome.err) == (0, "")
    assert "[COMMAND] [ARGS]" in outcome.out
