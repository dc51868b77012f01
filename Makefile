# `make demo` and `make test` do all their own set-up on a machine with Python 3.11+.
PYTHON ?= python3
LIGHT := .venv-demo
VENV := .venv
BIN := $(VENV)/bin
# The second run of pytest reads what the first made of the tests, and so do its workers.
unexport PYTHONDONTWRITEBYTECODE
# Two tests run at once: threads of one that wait for a core of the other took up to
# twice the time.
test test-all: export OMP_NUM_THREADS = 1

.PHONY: demo test test-all check lint lock audit wheel bench docs site clean

demo: $(LIGHT)/ready
	$(LIGHT)/bin/measurand demo --out demo-report

# What a change is tried with again and again: minutes, no simulations, no cluster.
test: $(VENV)/ready
	$(BIN)/pytest -n 2 --dist loadscope -m "not ray and not slow"

# What CI runs beside it. Ray's tests run alone, and once more where Ray has ended their
# process, as it does when it takes a busy machine for lost.
test-all: test
	$(BIN)/pytest tests -n 2 --dist worksteal -m "slow and not ray"
	$(BIN)/pytest $$(grep -rl --include='test_*.py' mark.ray tests) -m ray -n 1 --reruns 2

lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test-all

bench: $(VENV)/ready
	$(BIN)/python -m bench

docs: $(VENV)/ready
	$(BIN)/python -m docs

# The pages as a site in site/; a link that leads nowhere is an error.
site: $(VENV)/ready
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

# After a change of pyproject.toml or constraints.txt. torch is left out, as it comes first;
# rfc3987-syntax (and its lark), as every process that imports altair would spend two
# seconds on its grammar: nobody needs it, and no user's install has it.
lock:
	echo 'torch; sys_platform == "none"' > $(VENV)/no-torch.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra all --extra dev --constraint constraints.txt --override $(VENV)/no-torch.txt \
	  --no-emit-package torch --no-emit-package rfc3987-syntax --no-emit-package lark \
	  --no-header --no-annotate --output-file requirements.lock pyproject.toml

# Known holes in what is locked; needs the registry's list of them.
audit: $(VENV)/ready
	$(BIN)/pip-audit --no-deps --require-hashes --requirement requirements.lock

# The wheel, tried in fresh environments, and the list of its parts (dist/sbom.json).
wheel: $(VENV)/ready
	.ci/wheel

clean:
	rm -rf $(VENV) $(LIGHT) demo-report build dist site
