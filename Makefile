PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo verify test oldest deep bench lint notes clean
demo: .venv/.ready ; $(BIN)/dpspectra demo
verify: .venv/.ready ; $(BIN)/dpspectra verify --jobs 2
test: .venv/.ready ; $(BIN)/python -m pytest -n auto
oldest: .venv-oldest/.ready ; .venv-oldest/bin/python -m pytest -n auto
deep: .venv/.ready ; $(BIN)/dpspectra verify --examples 2000 --challenge --jobs 2
bench: .venv/.ready ; $(BIN)/python -m pytest bench --benchmark-only
lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
notes: .venv/.ready ; $(BIN)/python -m dpspectra.ledger.views .

# The stamp is written last: an interrupted set-up is simply run again.
.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

# Python 3.11: newer ones have no wheels of versions this old.
.venv-oldest/.ready: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint .ci/oldest.txt --editable '.[test]'
	touch $@

clean: ; rm -rf .venv .venv-oldest .hypothesis .pytest_cache .mypy_cache .ruff_cache .benchmarks .import_linter_cache report dist
