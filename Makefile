# Every target sets up .venv by itself and reuses it; only python3, venv and make are needed beforehand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LEARNER := $(VENV)/.learner
# for authors: begin
DEVELOPER := $(VENV)/.developer
MUTATOR := $(VENV)/.mutator
# for authors: end
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := grade
.PHONY: grade clean
# for authors: begin (what lies between these marks is left out of a released copy)
.PHONY: test build check browser-test lint sound regrade golden release-test mutants bench bench-peers
# for authors: end

grade: $(LEARNER)  ## grade all exercises, or one: make grade N=1
	@$(BIN)/workbook grade $(N) --exit-zero

# for authors: begin
test: $(DEVELOPER)  ## test the engine and the content; a learner's edits never turn these red
	@$(BIN)/python -m pytest -n auto --maxprocesses=4 --dist=worksteal --durations=15

browser-test: $(DEVELOPER)  ## work in a notebook in a real JupyterLab and Chromium; SCREENSHOTS=folder keeps pictures of all
	@$(BIN)/python -m pytest tests/browser $(if $(SCREENSHOTS),--screenshots=$(SCREENSHOTS))

build: $(DEVELOPER)  ## make stubs, notebooks and the README's reports from their sources
	@$(BIN)/workbook build

lint: $(DEVELOPER)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint  ## what CI runs: lint, types, freshness of built files, soundness of problems, tests
	$(BIN)/workbook build --check
	$(MAKE) --no-print-directory -j2 -Otarget sound test

sound: $(DEVELOPER)  ## prove every problem sound, graders included
	@$(BIN)/workbook check

regrade: $(DEVELOPER)  ## regrade the saved corpus and show every score and message that changed
	@$(BIN)/python -m workbook.author.regrade $(N)

golden: $(DEVELOPER)  ## keep the corpus's results as they are now
	@$(BIN)/python -m workbook.author.regrade --update $(N)

release-test: $(DEVELOPER)  ## grade the whole saved corpus and every known mistake in a released copy: some minutes
	@WORKBOOK_RELEASE_TEST=1 $(BIN)/python -m pytest -n auto --maxprocesses=4 --dist=worksteal tests/test_release_corpus.py

mutants: $(MUTATOR)  ## grade small changes of each solution, or of one with N=1, and show those that no check fails
	@$(BIN)/python -m workbook.author.mutants $(N)

bench: $(DEVELOPER)  ## print the timings that docs/design.md gives budgets for
	@$(BIN)/python benchmarks/bench.py

bench-peers: $(DEVELOPER)  ## time grading beside three other tools, each in an environment of its own in .venv-peers
	@$(BIN)/python benchmarks/peers.py
# for authors: end

clean:
	rm -rf $(VENV) .venv-peers

$(VENV)/bin/python:
	@$(PYTHON) -c "import sys; sys.exit('Python 3.11 or newer is needed; this is ' + sys.version.split()[0] + '. Try: make PYTHON=python3.11') if sys.version_info < (3, 11) else None"
	@echo "Setting up $(VENV), once. This takes a minute or two ..."
	@$(PYTHON) -m venv $(VENV)

$(LEARNER): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what grading needs ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

# for authors: begin
$(DEVELOPER): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(LEARNER) $@

$(MUTATOR): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what making mutants needs ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[mutants]'
	@touch $(LEARNER) $@
# for authors: end
