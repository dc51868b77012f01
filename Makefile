# `make demo` and `make test` do all their own set-up on a machine with Python 3.11+.
PYTHON ?= python3
LIGHT := .venv-demo
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check lint bench docs clean

demo: $(LIGHT)/ready
	$(LIGHT)/bin/measurand demo --out demo-report

# Ray's tests run first and alone, and once more where Ray has ended their process, as it
# does when it takes a busy machine for lost.
test: $(VENV)/ready
	$(BIN)/pytest -m ray -n 1 --reruns 2
	$(BIN)/pytest -n 2 --dist loadscope -m "not ray"

lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

bench: $(VENV)/ready
	$(BIN)/python -m bench

docs: $(VENV)/ready
	$(BIN)/python -m docs

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
	rm -rf $(VENV) $(LIGHT) demo-report build dist
