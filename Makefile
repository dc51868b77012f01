# `make demo` and `make test` do all their own set-up on a machine with Python 3.11+.
.DEFAULT_GOAL := help
PYTHON ?= python3
# How many tests run at once, and which: all, or `make test TESTS=tests/readers`.
WORKERS ?= 2
TESTS ?=
LIGHT := .venv-demo
VENV := .venv
BIN := $(VENV)/bin
HARNESS := .venv-harness
# The second run of pytest reads what the first made of the tests, and so do its workers.
unexport PYTHONDONTWRITEBYTECODE
# Two tests run at once: threads of one that wait for a core of the other took up to
# twice the time.
test test-slow test-ray test-all coverage: export OMP_NUM_THREADS = 1
PYTEST := $(BIN)/pytest --durations=20

.PHONY: help demo test test-slow test-ray test-all coverage check lint lock audit wheel
.PHONY: bench docs site harness clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
	  awk -F'|' '{ printf "  make %-10s %s\n", $$1, $$2 }'

demo: $(LIGHT)/ready ## planted faults, found by the light install: no network, no GPU
	$(LIGHT)/bin/measurand demo --out demo-report

test: $(VENV)/ready ## what a change is tried with: minutes, no simulations, no cluster
	$(PYTEST) $(TESTS) -n $(WORKERS) --dist loadscope -m "not ray and not slow"

test-slow: $(VENV)/ready ## simulations, kills, trainings
	$(PYTEST) $(or $(TESTS),tests) -n $(WORKERS) --dist worksteal -m "slow and not ray"

# Ray's tests run alone, and once more where Ray has ended their process, as it does when it
# takes a busy machine for lost.
test-ray: $(VENV)/ready ## what starts a cluster
	$(PYTEST) $$(grep -rl --include='test_*.py' mark.ray tests) -m ray -n 1 --reruns 2

test-all: test ## all three
	$(MAKE) test-slow
	$(MAKE) test-ray

coverage: $(VENV)/ready ## lines that `make test` runs; each folder has a floor
	$(PYTEST) $(TESTS) -n $(WORKERS) --dist loadscope -m "not ray and not slow" \
	  --cov --cov-report=json:build/coverage.json --cov-report=
	$(BIN)/python .ci/coverage build/coverage.json

harness: $(HARNESS)/ready ## lm-eval and Inspect, which the round trips of tests/logs run

# Beside the packages of the other environment, torch among them, which stay as they are.
$(HARNESS)/ready: $(VENV)/ready
	$(PYTHON) -m venv --without-pip $(HARNESS)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  > $$(echo $(HARNESS)/lib/python*/site-packages)/shared.pth
	$(BIN)/python -m pip --python $(HARNESS)/bin/python install --quiet \
	  lm_eval==0.4.13 inspect_ai==0.3.285 || { rm -rf $(HARNESS); false; }
	touch $@

lint: $(VENV)/ready ## format, rules, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test-all ## lint and all tests

bench: $(VENV)/ready ## what is measured, written to bench/results
	$(BIN)/python -m bench

docs: $(VENV)/ready ## the generated parts of the pages, written anew
	$(BIN)/python -m docs

# A link that leads nowhere is an error.
site: $(VENV)/ready ## the pages as a site in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The light install: what a stranger gets from `pip install measurand`.
$(LIGHT)/ready: pyproject.toml
	$(PYTHON) -m venv $(LIGHT)
	$(LIGHT)/bin/pip install --quiet --editable .
	touch $@

# torch comes first and alone, so that no other package asks for another build of it.
# All else is what requirements.lock names, byte for byte: a package that was changed
# since under the same version is refused.
$(VENV)/ready: pyproject.toml constraints.txt requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --no-deps --require-hashes --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@

# torch is left out, as it comes first;
# rfc3987-syntax (and its lark), as every process that imports altair would spend two
# seconds on its grammar: nobody needs it, and no user's install has it.
lock: ## requirements.lock, after a change of pyproject.toml or constraints.txt
	echo 'torch; sys_platform == "none"' > $(VENV)/no-torch.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra all --extra dev --constraint constraints.txt --override $(VENV)/no-torch.txt \
	  --no-emit-package torch --no-emit-package rfc3987-syntax --no-emit-package lark \
	  --no-header --no-annotate --output-file requirements.lock pyproject.toml

# Needs the registry's list of them.
audit: $(VENV)/ready ## known holes in what is locked
	$(BIN)/pip-audit --no-deps --require-hashes --requirement requirements.lock

# The list of its parts is dist/sbom.json.
wheel: $(VENV)/ready ## the wheel, tried in fresh environments, and its SBOM
	.ci/wheel

clean: ## remove environments and what was built
	rm -rf $(VENV) $(LIGHT) $(HARNESS) demo-report build dist site
