"""Text made to do harm, in every place a benchmark can hold text."""

import json
import re
import unicodedata

import pytest

from tests.cli.commands import QUICK, in_process, made, written

ATTACKS = (
    "<script>document.title='pwned'</script>",
    "</script><img src=x onerror=document.title='pwned'>",
    "{{7*7}}${7*7}",
    "\x1b]0;pwned\x07",
    "\x1b[2J\x9b31m",
    "\u202eevil\u2069\u200f",
    "new\r\nline\x85\u2028",
    "../../etc/passwd",
    "\x00\x08",
)
HUGE = "<script>document.title='pwned'</script>" + "x" * 1_000_000
NAME = "a;<script>document.title='pwned'<\x1b[31m\n\u202e.jsonl"
PARTS = ("query", "evidence", "label", "metadata", "group", "id", "rationale")
# An argument holds no NUL, so neither does a column that an option must name.
COLUMNS = {part: f"{ATTACKS[i]}{part}" for i, part in enumerate(PARTS)}
EXPECTED = re.compile(
    r"report\.json|report\.html|run\.json|items\.parquet|figures|figures/[a-z-]+\.svg"
)


def hostile(size):
    """Rows whose every text carries an attack; `size` long ones at the start."""
    rows = []
    for i, fact in enumerate(made()):
        attack = HUGE if i < size else ATTACKS[i % len(ATTACKS)]
        texts = {
            "query": fact["claim"] + attack,
            "evidence": attack + fact["evidence"],
            "label": HUGE if i < 4 * size else fact["label"] + "".join(ATTACKS),
            "metadata": attack,
            "group": f"{i % 30}{attack}",
            "id": f"{attack}{i}",
            "rationale": attack,
        }
        rows.append({COLUMNS[part]: text for part, text in texts.items()})
    return rows


# Texts of a million letters take seconds: they are for CI.
HUGE_TEXTS = pytest.param(2, id="huge", marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=[pytest.param(0, id="short"), HUGE_TEXTS])
def audited(request, tmp_path_factory):
    """What an audit of hostile text says, and the folder it writes."""
    folder = tmp_path_factory.mktemp("hostile")
    file = written(folder / NAME, hostile(request.param))
    options = [text for part in PARTS for text in (f"--{part}", COLUMNS[part])]
    command = ("evidence", file, *QUICK, *options, "--out", folder / "report")
    said = in_process(*command, MEASURAND_STORE=folder / "store")
    assert said.code == 0, said.err
    return said, folder / "report"


def harmless(text):
    """Whether a terminal would show every letter and do nothing else."""
    kinds = {unicodedata.category(letter) for letter in text if letter != "\n"}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_what_is_printed_cannot_upset_a_terminal(audited):
    said, _ = audited
    assert harmless(said.out)
    assert harmless(said.err)
    assert max(map(len, (said.out + said.err).split("\n"))) < 1000


def test_nothing_is_written_but_the_report(audited):
    _, folder = audited
    found = [str(path.relative_to(folder)) for path in folder.rglob("*")]
    assert [name for name in found if not EXPECTED.fullmatch(name)] == []
    assert {"report.json", "report.html", "run.json", "items.parquet"} <= {*found}
    assert len(found) > 8
    names = {path.name for path in folder.parent.iterdir()}
    assert names == {NAME, "report", "store"}


def test_the_report_is_json_without_loose_control_characters(audited):
    text = (audited[1] / "report.json").read_text("utf-8")
    assert harmless(text)
    name = json.loads(text)["benchmark"]["name"]
    assert harmless(name)


def test_the_page_runs_nothing_in_a_browser(audited, browser):
    browser.get((audited[1] / "report.html").as_uri())
    assert " audit of " in browser.title
    assert browser.title != "pwned"
    assert browser.get_log("browser") == []
    # Ours, which the policy names, and the items as JSON that runs nothing.
    kinds = "return [...document.scripts].map(script => script.type)"
    assert browser.execute_script(kinds) == ["application/json", ""]
    scripted = "return [...document.images].every(image => image.naturalWidth > 300)"
    assert browser.execute_script(scripted)


@pytest.mark.parametrize("verb", ["show", "render", "compare"])
def test_a_hostile_report_is_read_back_without_harm(audited, run, verb):
    reports = [audited[1]] * (2 if verb == "compare" else 1)
    outcome = run(verb, *reports)
    assert outcome.code == 0
    assert harmless(outcome.out + outcome.err)
    assert verb != "render" or "<script" not in outcome.out


def test_a_hostile_file_is_shown_without_harm(tmp_path, run):
    rows = [{**fact, "claim": fact["claim"] + ATTACKS[3]} for fact in made()]
    outcome = run("show", written(tmp_path / NAME, rows))
    assert outcome.code == 0
    assert harmless(outcome.out + outcome.err)


@pytest.mark.parametrize("option", ["--query", "--reader", "--fail-on", "--split-by"])
@pytest.mark.parametrize("attack", [*ATTACKS[:-1], HUGE[:100_000]], ids=range(9))
def test_a_hostile_option_is_refused_without_harm(file, run, option, attack):
    outcome = run("evidence", file, *QUICK, option, attack)
    assert outcome.code == 1
    assert harmless(outcome.err)
    assert len(outcome.last) < 1000
