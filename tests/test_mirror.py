"""The tests stand where the code stands, so that either is found from the other."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "measurand"
# What is tried across modules, by the folder it is tried in.
ACROSS = {
    ".": {
        "contracts",
        "examples",
        "mirror",
        "moved",
        "notebook",
        "structure",
        "truth",
        "truth_designs",
        "truth_fresh",
        "truth_fresh2",
        "truth_hostile",
        "truth_meaning",
        "truth_rationales",
    },
    "audits": {"budget", "fifth_audit", "names", "real_benchmarks"},
    "audits/evidence": {"climb", "coverage", "errors", "planted_suite", "strong_only"},
    "cli": {
        "bad_input",
        "engines",
        "full_disk",
        "fuzz",
        "hostile",
        "hostile_folders",
        "hostile_servers",
        "killed",
        "reproducible",
        "surroundings",
        "users_files",
    },
    "cues": {"contracts"},
    "compare": {"headlines", "verdicts"},
    "explainers": {"contracts", "suite"},
    "models/server": {"hostile_answers", "key_forms"},
    "logs": {"round_trip"},
    "report": {"signed_zero"},
    "audits/exposure/statistics": {"parts", "published"},
}
FILES = [
    path
    for path in sorted(TESTS.rglob("test_*.py"))
    if "docs" not in path.relative_to(TESTS).parts
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_test_file_is_named_for_what_it_tries(path):
    folder, name = path.parent.relative_to(TESTS), path.stem.removeprefix("test_")
    modules = {source.stem for source in (SOURCE / folder).glob("*.py")}
    packages = {child.name for child in (SOURCE / folder).iterdir() if child.is_dir()}
    assert (SOURCE / folder).is_dir()
    assert name in ACROSS.get(folder.as_posix(), ()) or any(
        name == module or name.startswith(f"{module}_") for module in modules | packages
    )
