# Every target sets up .venv by itself and reuses it; only python3, venv and make are needed beforehand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LEARNER := $(VENV)/.learner
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := grade
.PHONY: grade clean

grade: $(LEARNER)  ## grade all exercises, or one: make grade N=1
	@$(BIN)/workbook grade $(N) --exit-zero

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

-include authors.mk
