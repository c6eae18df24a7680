# `make run` does the main job, `make test` passes the tests; both need only python3 (3.11 or newer).
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
VAULT  ?=
SHELL  := /bin/sh

# What failed beside others on a crowded machine is run once more, alone; failing again is failing.
AGAIN  := $(BIN)/coverage run -m pytest -n 0 -m "not soak" --last-failed --last-failed-no-failures none

.PHONY: run test quality interop docs picture soak bench clean help

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

run: $(VENV)/.run ## watch VAULT (default: a copy of examples/vault in var/vault) in the foreground
ifeq ($(VAULT),)
	@test -d var/vault || { mkdir -p var && cp -R examples/vault var/vault; }
	@echo "The vault is var/vault. Edit a note there from another terminal; Ctrl-C stops."
	@ATOMICD_STATE_DIR="$(CURDIR)/var/state" ATOMICD_LOG_DIR="$(CURDIR)/var/log" $(BIN)/atomicd run --vault var/vault
else
	@$(BIN)/atomicd run --vault "$(VAULT)"
endif

test: $(VENV)/.test ## run the tests with coverage
	@rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -n 4 -m "not soak" $(TESTS) || $(AGAIN)
	@$(BIN)/coverage combine -q
	$(BIN)/coverage report

quality: $(VENV)/.test ## ruff, mypy, the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

interop: $(VENV)/.test ## a client of another implementation writes 200 notes beside the daemon
	PYTHONPATH=tests $(BIN)/python -m interop.run

docs: $(VENV)/.run ## write the parts of docs/ that the program knows best
	$(BIN)/python docs/generate.py

picture: $(VENV)/.test ## take the picture of the README from a real session
	PYTHONPATH=tests $(BIN)/python -m pages.record

soak: $(VENV)/.test ## the long runs
	HYPOTHESIS_PROFILE=soak $(BIN)/pytest -m soak --timeout 3600

bench: $(VENV)/.test ## the figures of docs/performance.md
	$(BIN)/python benchmarks/run.py

clean: ## remove what the targets made
	rm -rf $(VENV) .venv-* var dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "atomicd needs Python 3.11 or newer; name one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/.run: $(VENV)/bin/python pyproject.toml
	@echo "Installing atomicd into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml
	@echo "Installing atomicd and what its tests need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,quality]'
	@touch $@ $(VENV)/.run
