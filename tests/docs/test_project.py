"""The files around the code name targets, folders and versions that are there."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml

import docs

ROOT = docs.ROOT
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
JOBS = {
    f"{name} {job}": steps
    for name, workflow in WORKFLOWS.items()
    for job, steps in workflow["jobs"].items()
}
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")


def commands(job):
    """The lines that a job runs in a shell."""
    return [line for step in job["steps"] for line in step.get("run", "").splitlines()]


def shards(job):
    """The paths of tests in each row of a job's matrix."""
    return [row["paths"].split() for row in job["strategy"]["matrix"]["include"]]


def test_every_target_of_the_makefile_has_a_line_of_help():
    phony = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert set(" ".join(phony).split()) == TARGETS
    if shutil.which("make"):
        printed = subprocess.check_output(["make", "help"], cwd=ROOT, encoding="utf-8")
        assert set(re.findall(r"^  make ([a-z-]+) +\w", printed, re.MULTILINE)) == (
            TARGETS
        )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_only_targets_that_are_there(page):
    text = (ROOT / page).read_text("utf-8")
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= TARGETS


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_reads_only_and_runs_once_at_a_time(name):
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    assert "group" in WORKFLOWS[name]["concurrency"]


@pytest.mark.parametrize("name", JOBS)
def test_a_job_runs_what_is_there_and_ends(name):
    job = JOBS[name]
    assert "timeout-minutes" in job or name == "ci required"
    for line in commands(job):
        if line.startswith("make "):
            assert line.split()[1] in TARGETS, line
        for path in re.findall(r"(?:\.ci|tests)/[\w./]+", line):
            assert (ROOT / path).exists(), line


@pytest.mark.parametrize("name", ["ci test", "nightly slow"])
def test_the_last_shard_leaves_out_what_the_others_hold(name):
    *named, rest = shards(JOBS[name])
    held = [path for paths in named for path in paths]
    assert len({*held}) == len(held)
    assert all((ROOT / path).is_dir() for path in held)
    start = ["tests", "src"] if name == "ci test" else ["tests"]
    assert rest == [*start, *(f"--ignore={path}" for path in held)]


def test_the_required_job_waits_for_all_others_and_they_are_fast():
    jobs = WORKFLOWS["ci"]["jobs"]
    assert set(jobs["required"]["needs"]) == jobs.keys() - {"required"}
    assert all(
        jobs[name]["timeout-minutes"] <= 10 for name in jobs["required"]["needs"]
    )


def test_the_light_install_is_tried_where_it_is_promised():
    matrix = WORKFLOWS["ci"]["jobs"]["light"]["strategy"]["matrix"]
    tried = (ROOT / ".ci" / "wheel").read_text("utf-8")
    (pythons,) = re.findall(r"for version in ([\d. ]+); do", tried)
    assert matrix["python"] == pythons.split()
    assert PROJECT["project"]["requires-python"] == f">={matrix['python'][0]}"
    assert {system.partition("-")[0] for system in matrix["os"]} == {
        *("ubuntu", "macos", "windows")
    }


def test_a_release_is_published_without_a_stored_token():
    release = WORKFLOWS["release"]["jobs"]
    assert release["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    used = [step.get("uses", "") for step in release["build"]["steps"]]
    assert any(name.startswith("actions/attest-build-provenance@") for name in used)


def test_hooks_run_tools_of_the_development_install():
    listed = " ".join(PROJECT["project"]["optional-dependencies"]["dev"])
    names = {hook["id"] for repo in HOOKS["repos"] for hook in repo["hooks"]}
    assert {"ruff", "ruff-format", "mypy", "typos"} <= names
    assert {"check-added-large-files", "detect-private-key"} <= names
    for hook in HOOKS["repos"][-1]["hooks"]:
        program = hook["entry"].split()[0]
        assert program.startswith(".venv/bin/")
        assert program.removeprefix(".venv/bin/") in listed


def test_the_version_is_one_in_all_files():
    versions = runpy.run_path(str(ROOT / ".ci" / "version"))["versions"]()
    assert len(set(versions.values())) == 1, versions


def test_the_citation_names_the_papers_of_the_audits():
    assert CITATION["license"] == PROJECT["project"]["license"]
    notes = " ".join(paper["notes"] for paper in CITATION["references"])
    for audit in ("evidence", "leakage", "exposure", "explanations"):
        assert f"{audit} audit" in notes


@pytest.mark.parametrize("name", ["bug", "idea", "verdict"])
def test_an_issue_form_asks_for_something(name):
    form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text())
    assert {"name", "description", "body"} <= form.keys()
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_floors_of_coverage_are_of_folders_that_are_there():
    floors = PROJECT["tool"]["measurand"]["coverage-floors"]
    source = ROOT / "src" / "measurand"
    folders = {path.parent.relative_to(source).parts for path in source.rglob("*.py")}
    assert floors.keys() <= {"measurand", *(parts[0] for parts in folders if parts)}
    assert all(0 < floor < 100 for floor in floors.values())


def test_a_folder_below_its_floor_fails_the_coverage(tmp_path):
    floors = PROJECT["tool"]["measurand"]["coverage-floors"]

    def check(covered):
        files = {
            f"src/measurand/{'' if name == 'measurand' else f'{name}/'}x.py": {
                "summary": {"covered_lines": covered, "num_statements": 100}
            }
            for name in floors
        }
        path = tmp_path / "coverage.json"
        path.write_text(json.dumps({"files": files}), "utf-8")
        run = subprocess.run(
            [sys.executable, ROOT / ".ci" / "coverage", path],
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return run.returncode, run.stdout

    assert check(100)[0] == 0
    code, printed = check(1)
    assert code == 1
    assert printed.count("BELOW ITS FLOOR") == len(floors)
