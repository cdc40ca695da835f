# wopsite: everything a person or CI does with the project. `make` alone lists it.
#
# Obeyed by every target: PORT, DATABASE_URL, CELERY_BROKER_URL, WOP_DATA_DIR (and the other WOP_… settings).

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test check lint format types layers migrations openapi bench audit lock

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -n 2
SOURCES := interrupts approvals wopsite tests bench manage.py

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.run $(BIN)/wop  ## Make .venv with what the product runs on, and the command .venv/bin/wop

setup-dev: $(VENV)/.dev  ## Add what building and testing needs

run: setup  ## Start web, worker and beat together (Ctrl-C stops them)
	@exec $(BIN)/python -m wopsite.serve

test: setup-dev  ## Run the tests (on SQLite, or on the database of DATABASE_URL)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: lint types layers migrations test  ## All that must hold before a change goes in

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

$(VENV)/.dev: requirements-dev.txt | $(VENV)/.run
	@echo "Installing what building and testing needs (a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch $@
