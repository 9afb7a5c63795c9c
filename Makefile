# Two commands do everything: `make demo` and `make test`. Both create .venv on first use.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# Programs of others that the tests audit; their dependencies do not go together with ours.
FOREIGN := .foreign

.DEFAULT_GOAL := help
.PHONY: help demo foreign test test-slow check format bench bench-publishers clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 20

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(FOREIGN)/.ready: pyproject.toml
	$(PYTHON) -m venv --clear $(FOREIGN)
	$(FOREIGN)/bin/python -m pip install --quiet --upgrade pip
	$(FOREIGN)/bin/python -m pip install --quiet --group foreign
	@touch $@

foreign: $(FOREIGN)/.ready ## install the programs of others that the tests audit

demo: $(READY) ## publish the bundled UCI Adult table and say where the files are
	$(BIN)/openveil demo

test: $(READY) ## run the tests (slow enumerations excluded)
	$(BIN)/python -m pytest -m "not slow" -n auto

test-slow: $(READY) ## run the slow enumerations
	$(BIN)/python -m pytest -m slow -n auto

check: $(READY) ## lint, formatting, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## run the benchmarks of searching (prints ratios)
	$(BIN)/python benchmarks/lattice.py
	$(BIN)/python benchmarks/attacks.py

bench-publishers: $(READY) ## run the benchmarks of partitioning (prints ratios)
	$(BIN)/python benchmarks/publishers.py

clean: ## remove the environment and caches
	rm -rf $(VENV) $(FOREIGN) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
