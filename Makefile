# Run `make help` for what each target does. Everything runs from `.venv`, which `make setup` creates.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MEMBERS := libs/schema libs/core libs/runtime libs/edge libs/sdk services/embedder services/gateway services/api \
           services/worker services/cimd migrations libs/cli evals
SOURCES := libs services migrations evals images tests charts/generate.py requirements/lock.py
ARGS ?=

.PHONY: help
help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{split($$1, t, " "); printf "  %-16s %s\n", t[1], $$2}'

$(VENV)/.installed: requirements/dev.lock requirements/bootstrap.lock pyproject.toml $(MEMBERS:=/pyproject.toml)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --offline $(addprefix -e ,$(MEMBERS))
	touch $@

.PHONY: setup
setup: $(VENV)/.installed  ## Create .venv from the hashed locks, packages editable

.PHONY: up
up: setup  ## Run everything on this machine: PostgreSQL, Valkey, services, a first user and token (ARGS="--data-dir DIR")
	$(BIN)/threengram up $(ARGS)

.PHONY: demo
demo: setup  ## Let the official MCP client use the running stack, in both protocol eras
	$(BIN)/threengram demo $(ARGS)

.PHONY: test
test: setup  ## Run the suite against real PostgreSQL and Valkey from the wheels
	$(BIN)/python -m pytest -n 2 --dist loadgroup --ignore=tests/system --ignore=tests/chaos --ignore=tests/images $(ARGS)

.PHONY: test-system
test-system: setup  ## Tests that need Debian packages or Node: pooler, conformance, official clients, browser, chaos, two images
	VENV=../../$(VENV) tests/system/install.sh
	$(BIN)/python -m pytest tests/system $(ARGS)

.PHONY: chaos
chaos: setup  ## Long runs of background work: twenty kills of every kind, five thousand tenants, a simulated day (30 minutes)
	$(BIN)/python -m pytest -s -o faulthandler_timeout=0 tests/chaos $(ARGS)

.PHONY: images
images: setup  ## Build every image, run each as in a cluster, and the whole product with Compose
	images/install.sh compose
	$(BIN)/python -m images.build
	$(BIN)/python -m pytest -o faulthandler_timeout=0 tests/images $(ARGS)
	$(BIN)/python -m pytest -o faulthandler_timeout=0 tests/system/images $(ARGS)

.PHONY: bench
bench: setup  ## Measure everything on this machine and write docs/benchmarks.md (ARGS="--quick" or "--full")
	$(BIN)/python -m threengram.evals.bench --document docs/benchmarks.md $(ARGS)

.PHONY: lint
lint: setup  ## Formatting, lint rules, types, import contracts
	$(BIN)/ruff format --check --quiet $(SOURCES)
	$(BIN)/ruff check --quiet $(SOURCES)
	$(BIN)/mypy $(SOURCES)
	mkdir -p build
	PYTHONPATH=. $(BIN)/lint-imports --no-cache > build/import-contracts.txt || { cat build/import-contracts.txt; exit 1; }

.PHONY: format
format: setup  ## Format and mend what can be mended
	$(BIN)/ruff format --quiet $(SOURCES)
	$(BIN)/ruff check --quiet --fix $(SOURCES)

.PHONY: eval
eval: setup  ## Judge retrieval, tool selection and consolidation against their floors; reports in build/eval
	$(BIN)/python -m threengram.evals $(ARGS)
	$(BIN)/python -m threengram.evals.surface $(ARGS)
	$(BIN)/python -m threengram.evals.pairs $(ARGS)

.PHONY: lock
lock: setup  ## Resolve requirements/*.lock again (hashes, no download addresses)
	$(BIN)/python requirements/lock.py $(ARGS)

.PHONY: docs-reference
docs-reference: setup  ## Generate docs/reference from settings classes and tool records
	$(BIN)/python -m threengram.cli.reference docs/reference
	$(BIN)/python charts/generate.py

.PHONY: dashboards
dashboards: setup  ## Write Grafana's dashboards from charts/dashboards (ARGS="--pictures docs/operate/img" proves and draws each panel)
	$(BIN)/python -m threengram.evals.dashboards $(ARGS)
