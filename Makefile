PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
# Half as many again as the cores that CI has: tests of sites and sandboxes wait a third of their time.
PROCESSES ?= 3
export PYTHONPATH := $(CURDIR)/platform:$(CURDIR)
# Tests start hundreds of processes: what they import is compiled once.
unexport PYTHONDONTWRITEBYTECODE
LOCK := $(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url --quiet

.PHONY: help run test nightly check lint types imports migrations pages calibrate lock clean root wheel audit translations

help: ## list the commands
	@grep -hE '^[a-z]+:.* ## ' $(MAKEFILE_LIST) | sed 's/:.* ## /\t/' | expand -t 10

run: .venv/run ## start the site and its worker on http://localhost:8000
	@.ci/system-packages bubblewrap
	@$(BIN)/python -m headnode.launcher --port $(PORT)

test: $(if $(T),$(BIN)/pytest,.venv/dev) ## every behaviour, in some twenty minutes on two cores (T=path::name: that alone, at once)
	@$(if $(T),,.ci/system-packages chromium gcc prometheus libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0)
	@$(BIN)/pytest --durations=15 $(or $(T),-n $(PROCESSES) --dist loadscope --no-loadscope-reorder)

nightly: ## every test on every seed, engine and database, on other variants each day (needs root)
	@HEADNODE_NIGHTLY=1 HEADNODE_TEST_SEED=$${HEADNODE_TEST_SEED:-$$(date +%Y%m%d)} .ci/run

check: .venv/dev ## lint, types, import rules, missing migrations, scripts and pages, side by side
	@$(MAKE) --no-print-directory --jobs 3 --output-sync types pages lint imports migrations

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

imports:
	$(BIN)/lint-imports

migrations:
	$(BIN)/python manage.py makemigrations --check --dry-run

# Scripts, styles and templates. The tools are pinned beside their settings and installed once.
TOOLS := platform/headnode/frontend/node_modules/.bin
pages: export PATH := $(CURDIR)/$(BIN):$(PATH)
pages: platform/headnode/frontend/node_modules/.package-lock.json platform/headnode/vendor/node_modules/.package-lock.json
	$(TOOLS)/biome check --config-path=platform/headnode/frontend/biome-rules.json --error-on-warnings platform
	$(TOOLS)/stylelint --config platform/headnode/frontend/stylelint.config.mjs 'platform/*/static/**/*.css' '!**/vendor/**'
	$(TOOLS)/tsc --project platform/headnode/frontend
	node platform/headnode/frontend/house.mjs
	djlint --lint --quiet platform
	platform/headnode/vendor/build.sh --check

%/node_modules/.package-lock.json: %/package-lock.json
	cd $* && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

calibrate: .venv/dev ## play every golden over ten seeds (long; goes on where it stopped)
	$(BIN)/python -m benchmarks.calibrate
	$(BIN)/python -m sandbox --state $(or $(SANDBOX_STATE),$(or $(HEADNODE_DATA),data)/sandbox) build-root torch
	$(BIN)/python -m graders.gpu.calibration

translations: .venv/dev ## bring the files of translation up to date with the sources, and compile them
	@$(BIN)/python manage.py translations

wheel: .venv/dev ## build the wheel into dist/, and beside it the list of all that it is made of (SBOM)
	@.ci/wheel

audit: .venv/dev ## look the locked packages up in a source of advisories
	@.ci/audit requirements.txt

lock: .venv/dev ## rewrite the lock files
	$(LOCK) --output-file requirements.txt
	$(LOCK) --group dev --constraint requirements.txt --output-file requirements-dev.txt

clean: ## forget the environment and what tools have kept; data/ stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache platform/headnode/*/node_modules
	find conftest.py benchmarks graders platform sandbox scenarios -name __pycache__ -prune -exec rm -rf {} +

# The sandbox's programs and its root folder: quick where they are there already.
root: .venv/run
	@.ci/system-packages bubblewrap
	@echo "The sandbox's root folder, unless it is there."
	@$(BIN)/python -m sandbox --state $(or $(SANDBOX_STATE),$(or $(HEADNODE_DATA),data)/sandbox) build-root

.venv/run: requirements.txt
	@echo "Python's environment, once."
	@.ci/virtual-environment $(PYTHON)
	@echo "Python packages, once: a third of the first start."
	@.ci/packages requirements.txt
	@touch $@

$(BIN)/pytest:
	@echo "Tests are not installed here yet: run make test once without T." >&2; exit 1

.venv/dev: .venv/run requirements-dev.txt
	@.ci/packages requirements-dev.txt
# Commands are run by hand as well, where PYTHONDONTWRITEBYTECODE would have each compile a fifth of a second again.
	@$(BIN)/python -m compileall -q -x /tests/ graders platform sandbox scenarios
	@$(MAKE) --no-print-directory root || echo "The sandbox is not ready; programs cannot be run here yet."
	@touch $@
