# Run `make help` for what each target does. Everything runs from `.venv`.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MEMBERS := libs/schema libs/core libs/runtime services/embedder services/gateway services/api services/worker services/cimd migrations libs/cli evals

.PHONY: help
help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

$(VENV)/.installed: requirements/dev.lock requirements/bootstrap.lock $(wildcard libs/*/pyproject.toml services/*/pyproject.toml migrations/pyproject.toml evals/pyproject.toml)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --offline $(addprefix -e ,$(MEMBERS))
	touch $@

.PHONY: setup
setup: $(VENV)/.installed  ## Create .venv from the hashed locks, packages editable

.PHONY: lock
lock: setup  ## Resolve requirements/*.lock again (hashes, no download addresses)
	$(BIN)/python requirements/lock.py
