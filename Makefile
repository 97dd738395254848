# swapregret: `make` lists the targets. Everything lives in .venv; nothing outside the folder is touched.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

# One BLAS thread per process: the matrices are small and the workers many.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
# Python keeps its bytecode: tests start some 150 processes that import the package.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

.PHONY: help run setup test lint types tests test-browser test-serve browser-ready postgres-ready test-crash test-fuzz test-numerics test-numba coverage docs release-check image-check format bench bench-oracles bench-speed clean

help:  ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  make %-14s %s\n", $$1, $$2}'

run: $(VENV)/.run  ## set up what is needed, then show the main job: swapregret demo
	@$(BIN)/swapregret demo

setup: $(VENV)/.dev  ## build .venv with everything, development tools included

test: lint types browser-ready postgres-ready  ## set up, lint, type-check and run all tests (BROWSER=skip, POSTGRES=skip leave some out)
	$(SPREAD) -m "(serve or not serve)$(LEFT_OUT)"

lint: $(VENV)/.dev  ## ruff, rules and format
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .

types: $(VENV)/.dev  ## mypy --strict
	$(BIN)/mypy --strict

# Each file on one process: two that need the same code at the same time would both compile it. tests/conftest.py has the order.
SPREAD = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
LEFT_OUT := $(if $(filter skip,$(BROWSER)), and not browser)$(if $(filter skip,$(POSTGRES)), and not postgres)

tests: $(VENV)/.dev  ## the tests that need neither a browser nor the service, on WORKERS=2 processes
	$(SPREAD)

test-browser: browser-ready  ## open reports in a headless Chromium, installed if it is missing (BROWSER=skip leaves this out)
ifneq ($(BROWSER),skip)
	$(BIN)/python -m pytest -m browser tests/browser
endif

test-serve: browser-ready postgres-ready  ## the decision service: killed, without disk, in a browser, with PostgreSQL (installed if missing)
	$(SPREAD) -m "serve$(LEFT_OUT)" tests/serve

browser-ready: $(VENV)/.dev
ifeq ($(BROWSER),skip)
	@echo "Nothing is tested in a browser: BROWSER=skip."
else
	@.ci/install-browser
endif

postgres-ready: $(VENV)/.dev
ifeq ($(POSTGRES),skip)
	@echo "The service is NOT tested with PostgreSQL: POSTGRES=skip."
else
	@.ci/install-postgres
endif

test-crash: $(VENV)/.dev  ## kill a playing process 200 times, and find nothing lost (a minute)
	SWAPREGRET_CRASHES=200 $(BIN)/python -m pytest tests/sessions/test_crash.py

test-fuzz: $(VENV)/.dev  ## 100,000 calls with hostile values, 5,000 over HTTP, spoilt files, an exception at every line; others with SEED=7 (minutes)
	SWAPREGRET_FUZZ_CALLS=100000 SEED=$(or $(SEED),0) $(BIN)/python -m pytest tests/fuzz tests/sessions/test_interrupts.py
	SWAPREGRET_FUZZ_CALLS=5000 SEED=$(or $(SEED),0) $(BIN)/python -m pytest -m serve tests/serve/test_schema.py

test-numerics: $(VENV)/.dev  ## a million rounds of rewards made to break arithmetic (half an hour on WORKERS=2)
	SWAPREGRET_ROUNDS=1000000 $(BIN)/python -m pytest -n $(WORKERS) tests/test_numerics.py

coverage: $(VENV)/.dev  ## which lines of Python the tests run, kernels left out, and what is below 90 % (half an hour)
	rm -f .coverage .coverage.*
	$(SPREAD:$(BIN)/python%=$(BIN)/python -m coverage run%) -m "not browser and not postgres" ; $(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --format=total | sed 's/^/Covered, in percent: /'
	$(BIN)/python -m coverage report | awk 'NR < 3 || $$NF + 0 < 90'

# The versions pyproject.toml allows. Each has an environment of its own, with all else as constraints.txt has it.
NUMBAS := 0.66 0.67 0.68
test-numba: $(BIN)/python  ## the compiled layer and play with each version of Numba that is supported (some minutes, in .venv-numba)
	@mkdir -p .venv-numba && grep -vE '^(numba|llvmlite)==' constraints.txt > .venv-numba/constraints.txt
	@set -e; export PIP_CONSTRAINT=$(CURDIR)/.venv-numba/constraints.txt; for each in $(NUMBAS); do \
	  env=.venv-numba/$$each; test -d $$env || $(BIN)/python -m venv $$env || $(BIN)/python -m virtualenv -q $$env; \
	  $$env/bin/python -m pip install --quiet --editable . "numba==$$each.*" pytest hypothesis; \
	  $$env/bin/python -c 'import numba; print("Numba", numba.__version__)'; \
	  $$env/bin/python -m pytest -p no:cacheprovider tests/compiled tests/playing/test_blocks.py tests/playing/test_workers.py; \
	done

docs: $(VENV)/.docs  ## build the documentation site into site/, without the network
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --doctree-dir $(VENV)/doctrees docs site
	@echo "Open site/index.html in a browser; it needs no server."

release-check: $(BIN)/python  ## build wheel and source distribution into dist/, install each in an empty environment, run the ten lines
	$(BIN)/python .ci/release-check

image-check:  ## the steps of the Dockerfile without Docker: install, compile, serve, decide (some minutes)
	.ci/try-image

format: $(VENV)/.dev  ## rewrite the code in the house format
	$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet .

bench: $(VENV)/.dev  ## the quality table: swap regret of every player on every sequence (minutes)
	$(BIN)/python benchmarks/quality.py

bench-oracles: $(VENV)/.dev  ## every operation of every set: ours, plain NumPy/SciPy, CVXPY, growth (a minute or two)
	$(BIN)/python benchmarks/oracles.py

bench-speed: $(VENV)/.dev  ## what a round costs, where people come in, in blocks of days, and beside peers (some minutes; QUICK=1: one or two)
	$(BIN)/python benchmarks/bench_speed.py $(if $(QUICK),--quick)

clean:  ## remove .venv and all caches
	rm -rf $(VENV) .venv-numba .mypy_cache .ruff_cache .pytest_cache .hypothesis site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "swapregret needs Python 3.11 or newer: $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 run"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv -q $(VENV) || { \
	  echo "swapregret needs Python's venv module: it is missing. Install the package python3-venv, then try again."; rm -rf $(VENV); exit 1; }

# What pip says it has installed is compared with hashes.txt; where a file is another one, the environment is not used.
install = @$(BIN)/python -m pip install --quiet --report $(VENV)/installed.json --editable '$(1)' \
  && { $(BIN)/python .ci/check-hashes $(VENV)/installed.json || { rm -rf $(VENV); exit 1; }; }

$(VENV)/.run: pyproject.toml constraints.txt hashes.txt | $(BIN)/python
	@echo "Setting up .venv (first time only, about half a minute) ..."
	$(call install,.[experiments])
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.docs: pyproject.toml constraints.txt hashes.txt | $(BIN)/python
	@echo "Setting up .venv for the documentation (first time only, about half a minute) ..."
	$(call install,.[docs])
	@touch $@ $(VENV)/.run

$(VENV)/.dev: pyproject.toml constraints.txt hashes.txt | $(BIN)/python
	@echo "Setting up .venv with the development tools (first time only, about a minute) ..."
	$(call install,.[dev])
	@$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/.docs $(VENV)/.run
