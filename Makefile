# Two commands do everything: `make run` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run serve docs sources test check thorough random portability browser proxy node lint golden crashes reproduce benchmark speed speed-against release help clean

help:  ## Show what there is
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "budgeted needs Python 3.11 or newer; say which one with: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); \
	    echo "python3 cannot make virtual environments; on Debian: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

run: $(READY)  ## Set up, then watch the default and the paper's policies spend the same money, and a real study
	$(BIN)/budgeted demo

serve: $(READY)  ## Set up, then open the page with a sample study, until Ctrl-C
	$(BIN)/budgeted serve --db budgeted-sample.db --example --open

docs: $(READY)  ## Build the documentation as a site, into site/, and follow its links
	$(BIN)/python tools/build_site.py

sources: $(READY)  ## Write again what commands make of docs/: the reference, the pictures, the table of optima
	$(BIN)/python tools/write_cli_reference.py
	$(BIN)/python tools/write_optimal.py
	$(BIN)/python tools/write_notebooks.py
	$(BIN)/budgeted demo --figure docs/demo.svg
	$(BIN)/python -m research.pictures docs/demo.svg
	$(BIN)/python tools/take_screenshots.py

lint: $(READY)  ## Check style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(READY) lint  ## Set up, then lints, types, layers and all tests
	@test -z "$$CI" || $(BIN)/python -m tests.system_packages || true  # what is missing fails below
	$(BIN)/pytest

check: $(READY) lint  ## In some four minutes: all that needs no browser, no server and no patience
	$(BIN)/pytest -m 'not (browser or postgres or slow)'

thorough: $(READY)  ## All tests, with the long versions of those that make test runs in small
	BUDGETED_THOROUGH=1 $(BIN)/pytest

random: $(READY)  ## All tests in a random order (SEED=7: in that one again)
	BUDGETED_TEST_ORDER=$${SEED:-$$(date +%s)} $(BIN)/pytest

golden: $(READY)  ## Write again what tests/test_golden.py compares: decisions, numbers, histories
	$(BIN)/python -m tests.golden

crashes: $(READY)  ## Kill, drop, cut and flip what studies depend on; is anything lost? (STORY=kills TIMES=1000)
	$(BIN)/python -W ignore -m tests.crashes $(STORY) $(if $(TIMES),--times $(TIMES))

portability: $(READY)  ## The numeric tests as other processors would run them
	$(BIN)/python tools/portability.py

browser: $(READY)  ## Install Chromium for the tests of the pages (as root, or Playwright's)
	$(BIN)/python -m tests.system_packages chromium

proxy: $(READY)  ## Install nginx for the tests of the server behind a proxy (as root)
	$(BIN)/python -m tests.system_packages nginx

node: $(READY)  ## Install Node for the tests of the page of a model (as root)
	$(BIN)/python -m tests.system_packages nodejs

RUNS ?= 50
reproduce: $(READY)  ## Run every experiment of the paper and write docs/reproduction.md (RUNS=5: a look)
	$(BIN)/python tools/fetch_diabetes.py
	$(BIN)/python -m research.paper --runs $(RUNS)

PAPER := round-robin whole-cases uniform-expenditure biased-robin greedy sfl
benchmark: $(READY)  ## Compare the default with all other policies and write docs/benchmark.md
	$(BIN)/python tools/fetch_diabetes.py
	$(BIN)/python -m research.quality.zoo play --seed confirmation
	$(BIN)/python -m research.quality.zoo judge --seed confirmation
	$(BIN)/python -m research.quality.zoo play --seed tables auto $(PAPER)
	$(BIN)/python -m research.quality.zoo judge --seed tables auto $(PAPER)
	$(BIN)/python -m research.quality.fixed
	$(BIN)/python -m research.quality.report --keep results/zoo

speed: $(READY)  ## Fifty people at once on one study: do they wait, and is anything lost?
	$(BIN)/python -m research.speed.web

speed-against: $(READY)  ## Is anything slower than in an earlier revision? (BEFORE=a commit)
	$(BIN)/python -m research.speed.against $(if $(BEFORE),--before $(BEFORE))

release: $(READY)  ## Build wheel and source archive, check both, and run the tutorials with the installed wheel
	$(BIN)/python tools/check_release.py

clean:  ## Remove the virtual environment
	rm -rf $(VENV)
