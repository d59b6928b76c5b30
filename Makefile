PYTHON ?= python3
BIN := .venv/bin
OLD_PYTHON := dpspectra needs Python 3.11 or newer: make PYTHON=python3.12 (or where yours is)
IS_NEW := import sys; sys.exit(sys.version_info < (3, 11))

.PHONY: demo verify test oldest coverage deep mutants bench lint notes prove docs clean
demo: .venv/.ready ; $(BIN)/dpspectra demo
verify: .venv/.ready ; $(BIN)/dpspectra verify --jobs 2
# A worker for each core leaves no core for a second thread; who is done takes tests over from the other.
test: .venv/.ready ; OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal
oldest: .venv-oldest/.ready ; .venv-oldest/bin/python -m pytest -n auto --dist worksteal
# make deep SEED=7 draws other cases than the usual ones; the seed is printed with the command.
deep: .venv/.ready ; $(BIN)/dpspectra verify --examples 2000 --challenge --jobs 2 $(if $(SEED),--seed $(SEED))
bench: .venv/.ready ; $(BIN)/python -m pytest bench --benchmark-only
mutants: .venv/.ready
	$(BIN)/dpspectra mutate --number 400 --jobs 2 $(if $(SEED),--seed $(SEED))
	$(BIN)/dpspectra mutate --rooms mechanisms sampling certified audit ledger --number 200 --jobs 2 $(if $(SEED),--seed $(SEED))
coverage: .venv/.ready
	$(BIN)/coverage run -m pytest -n auto --dist worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
notes: .venv/.ready ; $(BIN)/python -m dpspectra.ledger.views .
# Writes proofs_notes/coq/stamps.json, by which the ledger tells what the kernel of Coq has checked; does not install Coq.
prove: .venv/.ready ; $(BIN)/python -m dpspectra.ledger.prove proofs_notes/coq/stamps.json
# make docs QUICK=1 leaves out the run of all checks, whose results the pages show; it takes minutes.
docs: .venv-docs/.ready
	PYTHONPATH=proofs_notes/site .venv-docs/bin/python -m atlas .site $(if $(QUICK),--quick)
	rm -rf .site/html
	.venv-docs/bin/sphinx-build -W --keep-going -q -j 2 -c proofs_notes/site -d .site/doctrees .site/pages .site/html
	PYTHONPATH=proofs_notes/site .venv-docs/bin/python -m atlas.check .site/html
	rm -rf site && cp -r .site/html site

# The stamp is written last: an interrupted set-up is simply run again.
.venv/.ready: pyproject.toml
	@$(PYTHON) -c '$(IS_NEW)' || { echo '$(OLD_PYTHON)' >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	touch $@

# Python 3.11: newer ones have no wheels of versions this old.
.venv-oldest/.ready: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint .ci/oldest.txt --editable '.[test,lint]'
	touch $@

.venv-docs/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv .venv-oldest .venv-docs .site site .hypothesis .pytest_cache .mypy_cache .ruff_cache .benchmarks .import_linter_cache .coverage .coverage.* report dist
