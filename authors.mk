# What authors and engineers need. A released copy is made without this file.
DEVELOPER := $(VENV)/.developer
MUTATOR := $(VENV)/.mutator

.PHONY: test build check browser-test lint sound regrade golden release-test mutants bench bench-peers

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
	@WORKBOOK_RELEASE_TEST=1 $(BIN)/python -m pytest -n auto --maxprocesses=4 --dist=worksteal tests/author/release/test_release_corpus.py

mutants: $(MUTATOR)  ## grade small changes of each solution, or of one with N=1, and show those that no check fails
	@$(BIN)/python -m workbook.author.mutation.run $(N)

bench: $(DEVELOPER)  ## print the timings that docs/design.md gives budgets for
	@$(BIN)/python benchmarks/bench.py

bench-peers: $(DEVELOPER)  ## time grading beside three other tools, each in an environment of its own in .venv-peers
	@$(BIN)/python benchmarks/peers.py

$(DEVELOPER): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(LEARNER) $@

$(MUTATOR): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what making mutants needs ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[mutants]'
	@touch $(LEARNER) $@
