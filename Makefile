# wopsite: everything a person or CI does with the project. `make` alone lists it.
#
# Obeyed by every target: PORT, DATABASE_URL, CELERY_BROKER_URL, WOP_DATA_DIR (and the other WOP_… settings).

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test check examples lint format types layers migrations openapi bench audit lock

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXAMPLES_VENV := .venv-examples
# Tests that share an installation stay together, so it is started once.
PYTEST_ARGS ?= -n 2 --dist loadgroup
SOURCES := interrupts approvals wopsite tests bench manage.py

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.run $(BIN)/wop  ## Make .venv with what the product runs on, and the command .venv/bin/wop

setup-dev: $(VENV)/.dev  ## Add what building and testing needs

run: setup  ## Start web, worker and beat together (Ctrl-C stops them)
	@exec $(BIN)/python -m wopsite.serve

test: setup-dev  ## Run the tests (on SQLite, or on the database of DATABASE_URL)
	@# Tests start many processes: with their bytecode kept, none has to compile the sources again.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(PYTEST_ARGS)

check: lint types layers migrations test  ## All that must hold before a change goes in

examples: $(EXAMPLES_VENV)/.all  ## Run the examples with the libraries they show (in a .venv-examples of their own)
	EXAMPLES_PYTHON=$(CURDIR)/$(EXAMPLES_VENV)/bin/python $(BIN)/python -m pytest tests/examples

lint: setup-dev  ## Style of Python and templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/djlint --check --quiet templates

format: setup-dev  ## Put Python and templates into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint --reformat --quiet templates

types: setup-dev  ## Types, strictly
	$(BIN)/mypy

layers: setup-dev  ## Who may import whom
	$(BIN)/lint-imports

migrations: setup-dev  ## Django's own checks, and models without a migration
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run

openapi: setup-dev  ## Write docs/openapi.json anew from the code
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --format openapi-json --file docs/openapi.json

bench: setup-dev  ## Measure on PostgreSQL (needs DATABASE_URL)
	$(BIN)/python -m bench

audit: setup-dev  ## Known weaknesses of the pinned packages
	$(BIN)/pip-audit -r requirements.txt

lock: setup-dev  ## Pin again what requirements*.in ask for
	$(BIN)/uv pip compile -q --no-header --no-emit-index-url --no-emit-find-links --annotation-style line \
		--python-version 3.11 requirements.in -o requirements.txt
	$(BIN)/uv pip compile -q --no-header --no-emit-index-url --no-emit-find-links --annotation-style line \
		--python-version 3.11 requirements-dev.in -o requirements-dev.txt
	$(BIN)/uv pip compile -q --no-header --no-emit-index-url --no-emit-find-links --annotation-style line \
		--python-version 3.11 examples/requirements.in -o examples/requirements.txt

# The stamps are newer than the pins they installed, so a second `make` installs nothing.
$(VENV)/.venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "wopsite needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(BIN)/wop: | $(VENV)/.venv
	@ln -sf ../../bin/wop $@

$(VENV)/.run: requirements.txt | $(VENV)/.venv
	@echo "Installing what wopsite runs on (a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt | $(VENV)/.venv
	@echo "Installing what running, building and testing need (a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--requirement requirements.txt --requirement requirements-dev.txt
	@touch $(VENV)/.run $@

# These libraries weigh a few hundred MB and want other versions than the product: they get a place of their own.
$(EXAMPLES_VENV)/.all: examples/requirements.txt | $(VENV)/.dev
	@echo "Installing the libraries of the examples (a minute, once)"
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(EXAMPLES_VENV)
	@$(BIN)/uv pip sync --quiet --python $(EXAMPLES_VENV)/bin/python examples/requirements.txt
	@touch $@
