# Everything a fresh machine needs: Python 3.11+, make and a network. `make tour` and `make test` do the rest.
# uv is used from the PATH, or put into the private environment .uv when there is none.

SYSTEM_UV := $(shell command -v uv 2>/dev/null)
UV := $(if $(SYSTEM_UV),$(SYSTEM_UV),.uv/bin/uv)
# A machine that offers local wheels to pip offers them to uv too; elsewhere this is empty and changes nothing.
export UV_FIND_LINKS := $(shell python3 -m pip config get global.find-links 2>/dev/null || true)
RUN := $(UV) run --no-sync
# Hundreds of processes of the tests import the same modules: their bytecode is kept, whatever the machine's habit.
unexport PYTHONDONTWRITEBYTECODE
# A process more than cores: a test often waits, for a browser, a signal, a worker.
PYTEST := $(RUN) pytest -n $(shell python3 -c "import os; print(1 + (os.cpu_count() or 1))") --dist worksteal

.PHONY: tour warm test test-plain test-long lint check bench docs release clean chromium
.DEFAULT_GOAL := help

.PHONY: help
help:
	@echo "make tour        set up, then a small, real piece of everything, with a report: tour/report.html"
	@echo "make extra-NAME  an extra, such as learn: README lists them; what is installed stays"
	@echo "make warm        set up, then compile everything, so that no command has to wait"
	@echo "make test        set up, then the tests"
	@echo "make test-plain  small cases of the tests once more, with kernels as plain Python"
	@echo "make lint        ruff, mypy, import-linter and oxlint: what pre-commit runs"
	@echo "make check       all of these and the site: what CI runs"
	@echo "make test-long   the tests that take minutes or a fresh environment"
	@echo "make docs        the docs as a site: site/index.html"
	@echo "make release     dist/: wheel, source, their SHA-256 and an SBOM (CycloneDX)"
	@echo "make bench       every figure of docs/benchmarks.md, measured on this machine"

.uv/bin/uv:
	python3 -m venv .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check uv

# The package with what everybody meets, the web lab and pictures; whatever else is installed already stays.
SYNC := sync --quiet --no-dev --inexact
.venv/.tour: pyproject.toml $(if $(SYSTEM_UV),,.uv/bin/uv)
	@echo "installing what gridlab, its web lab and its plots need: about 120 MB to fetch"
	@$(UV) $(SYNC) --extra web --extra plots
	@touch $@

.venv/.all: pyproject.toml $(if $(SYSTEM_UV),,.uv/bin/uv)
	@echo "installing what the tests need"
	@$(UV) sync --quiet --all-extras
	@touch $@ .venv/.tour

tour: .venv/.tour
	@$(RUN) gridlab tour

# make extra-learn, make extra-gym, …
extra-%: .venv/.tour
	@echo "installing the extra $*"
	@$(UV) $(SYNC) --extra $*

warm: .venv/.tour
	@$(RUN) gridlab warm

# The browser tests need a Chromium; a machine that has none and cannot get one skips them, and says so.
chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
	  [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing chromium for the browser tests" && \
	  apt-get update -qq >/dev/null && apt-get install -y -qq chromium >/dev/null 2>&1; } || \
	  echo "there is no chromium, and it cannot be installed: the browser tests are skipped"

test: .venv/.all chromium
	$(RUN) gridlab warm
	$(PYTEST)

# Where there are kernels, small cases run once more as plain Python: they mean the same without the compiler.
KERNELS := $(addprefix tests/,core/test_bits.py core/test_text.py games inarow game2048 environments)
test-plain: .venv/.all
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not compiled and not long" $(KERNELS)

test-long: .venv/.all chromium
	$(RUN) pytest -m long

lint: .venv/.all
	$(RUN) ruff check --quiet --output-format concise
	$(RUN) ruff format --quiet --check
	$(RUN) mypy
	$(RUN) lint-imports
	$(RUN) oxlint --quiet --deny-warnings src/gridlab/web/static

check: lint test-plain
	$(MAKE) --no-print-directory -j2 docs test

# A broken link, a picture that is missing, a name that is not there: each fails.
docs: .venv/.all
	$(RUN) sphinx-build --quiet --fail-on-warning --keep-going docs site

# What is published: the same bytes for the same commit, and what they depend on, with checksums.
release: $(if $(SYSTEM_UV),,.uv/bin/uv)
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(UV) build --quiet --out-dir dist
	$(UV) export --quiet --format cyclonedx1.5 --all-extras --no-dev --output-file dist/gridlab.cdx.json >/dev/null
	rm -f dist/.gitignore
	cd dist && sha256sum * > SHA256SUMS && cat SHA256SUMS

# Packages that others have made, measured beside ours, in an environment of their own.
.bench/.peers: pyproject.toml benchmarks/peers.txt $(if $(SYSTEM_UV),,.uv/bin/uv)
	@echo "installing what is measured beside gridlab"
	@$(UV) venv --quiet --allow-existing .bench
	@$(UV) pip install --quiet --python .bench/bin/python --editable '.[cluster,export,gym,learn,web]' -r benchmarks/peers.txt
	@touch $@

bench: .bench/.peers
	.bench/bin/python benchmarks/page.py

clean:
	rm -rf .venv .uv .bench uv.lock dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
