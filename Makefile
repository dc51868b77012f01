# `make demo` and `make test` do all their own set-up on a machine with Python 3.11+.
PYTHON ?= python3
LIGHT := .venv-demo
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all check lint bench docs site clean

demo: $(LIGHT)/ready
	$(LIGHT)/bin/measurand demo --out demo-report

# What a change is tried with again and again: minutes, no simulations, no cluster.
test: $(VENV)/ready
	$(BIN)/pytest -n 2 --dist loadscope -m "not ray and not slow"

# What CI runs beside it. Ray's tests run alone, and once more where Ray has ended their
# process, as it does when it takes a busy machine for lost.
test-all: test
	$(BIN)/pytest -n 2 --dist load -m "slow and not ray"
	$(BIN)/pytest -m ray -n 1 --reruns 2

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
$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[all,dev]'
	touch $@

clean:
	rm -rf $(VENV) $(LIGHT) demo-report build dist site
