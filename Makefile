PYTHON ?= python3
BIN := .venv/bin
DOCS = .venv-docs$(if $(OLDEST),-oldest)
# Quick statements of every paper; the cases of the first two once depended on where the package was installed.
SAMPLE := MWKTV-C2.6 MWKTV-L9.1 \
  MWKTV-D1.1 MWKTV-E4 MWKTV-E10 MWKTV-E11 MWKTV-L8.4 MWKTV-R2.3a MWKTV-T2.4S JXZ-D5 JXZ-L2 JXZ-L4 JXZ-T1 \
  HP-C3.4 HP-E3 HP-L4.14 HP-LA.4 HR-C4.5 HR-D5.1 HR-L5.2 HR-T4.7 DPS-CONTRACTION DPS-EPROCESS DPS-GTKERNEL DPS-NOTEST
OLD_PYTHON := dpspectra needs Python 3.11 or newer: make PYTHON=python3.12 (or where yours is)
NEW_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo '$(OLD_PYTHON)' >&2; exit 1; }
IN_ROOM = $(if $(ROOM),$(or $(wildcard tests/$(ROOM)),tests/$(dir $(ROOM))test_$(notdir $(ROOM)).py))

# The chapters with changes since BASE, on other cases for each commit: the seed is its name, read as a number.
BASE = HEAD~1

.PHONY: browser demo verify changed test slow oldest together clusters wheel dist coverage deep seeds mutants bench lint notes names prove docs clean
demo: export PYTHONDONTWRITEBYTECODE =
demo: .venv-demo/.ready ; .venv-demo/bin/dpspectra demo
# Reports that hold are kept in .judgements until what they depend on changes, and `make docs` reads them too.
verify docs: export DPSPECTRA_JUDGEMENTS = $(CURDIR)/.judgements
verify: .venv/.ready ; $(BIN)/dpspectra verify --jobs 2
changed: .venv/.ready
	chapters=$$(git diff --name-only --diff-filter=d $(BASE) | sed -n 's|^reference/dpspectra/lemmas/\([^/]*\)/.*|\1|p' | sort -u); \
	test -z "$$chapters" || $(BIN)/dpspectra verify --jobs 2 --challenge --examples 200 \
	  --seed $(or $(SEED),$$((0x$$(git rev-parse HEAD | cut -c1-8)))) $$chapters
# make test ROOM=audit runs the tests of one room, make test ROOM=audit/betting/wealth those of one module.
# A worker for each core leaves no core for a second thread; who is done takes tests over from the other.
# What one interpreter compiles another one reads, also where the environment forbids it.
# Slow tests are left out; SLOW=1 runs all, SLOW=only the slow ones, make slow times all and lists them anew.
PYTEST = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 SLOW=$(SLOW) $(BIN)/python -m pytest -n auto --dist worksteal
test: .venv/.ready ; $(PYTEST) $(IN_ROOM)
slow: export SLOW_TIMES = 1
slow: SLOW = 1
slow: .venv/.ready ; $(PYTEST)
oldest: .venv-oldest/.ready ; SLOW=1 .venv-oldest/bin/python -m pytest -n auto --dist worksteal
# What data scientists have, the newest of each in a fresh environment: the README, a sample, and tests that need these.
# Torch without CUDA comes first, as from its own index: make together TORCH="torch==2.13.0" takes another one.
TORCH = torch --index-url https://download.pytorch.org/whl/cpu
BESIDE = torch opacus sympy scikit-learn pandas polars pyarrow matplotlib
together:
	$(PYTHON) -m venv --clear .venv-together
	.venv-together/bin/python -m pip install --quiet $(TORCH)
	.venv-together/bin/python -m pip install --quiet . $(BESIDE) pytest
	.venv-together/bin/python -m pip check
	.venv-together/bin/python -m pip freeze
	env -u PYTHONPATH .venv-together/bin/dpspectra verify --jobs 2 $(SAMPLE)
	.venv-together/bin/python -m pytest -q -p no:cacheprovider tests/whole/test_readme.py tests/whole/test_together.py \
	  tests/contents/test_foreign.py tests/symbolic/test_untraced_extensions.py tests/symbolic/test_canonical_output.py tests/symbolic/test_torch_*.py
# The recipes for Spark and Ray, against one pass; Spark needs Java 17 or newer.
clusters: .venv-clusters/.ready
	.venv-clusters/bin/python -m examples.clusters.spark_parts
	.venv-clusters/bin/python -m examples.clusters.ray_parts
# Verifies from an installed wheel, in an empty folder, in which nothing may be left; make wheel CHECKED= verifies everything.
CHECKED = $(SAMPLE)
wheel: .venv-wheel/.ready
	rm -rf dist .venv-wheel/empty
	.venv-wheel/bin/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	.venv-wheel/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	mkdir .venv-wheel/empty
	cd .venv-wheel/empty && env -u PYTHONPATH ../bin/dpspectra verify --jobs 2 $(CHECKED)
	rmdir .venv-wheel/empty
# Builds sdist and wheel, checks their metadata, and installs the sdist in an empty environment, where it verifies a sample.
dist: .venv-build/.ready
	rm -rf dist .venv-dist
	.venv-build/bin/python -m build --outdir dist .
	.venv-build/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install --quiet dist/*.tar.gz
	cd .venv-dist && env -u PYTHONPATH bin/dpspectra verify --jobs 2 MWKTV-C2.6 JXZ-T1
	.venv-dist/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	cd .venv-dist && env -u PYTHONPATH bin/dpspectra verify --jobs 2 MWKTV-C2.6 JXZ-T1
# make deep SEED=7 draws other cases than the usual ones; the seed is printed with the command.
deep: CHECKED = --examples 2000 --challenge $(if $(SEED),--seed $(SEED))
deep: wheel
# make seeds SEEDS="0 1 2": 200 cases of every statement for each seed. What held is kept in .judgements, so an interrupted
# sweep resumes; a seed under which all held adds a line to .seeds, which may be joined with those of other machines.
SEEDS = 0
seeds: export DPSPECTRA_JUDGEMENTS = $(CURDIR)/.judgements
seeds: .venv/.ready
	for seed in $(SEEDS); do \
	  $(BIN)/dpspectra verify --jobs 2 --challenge --examples 200 --seed $$seed || exit 1; \
	  echo "$$(git rev-parse --short HEAD) seed $$seed, 200 cases: all statements held" >> .seeds; \
	done
bench: .venv/.ready ; $(BIN)/python -m pytest bench --benchmark-only
# Before a release: make mutants SEED=...; make mutants LEMMAS=80 OTHERS=40 is what a night runs. Interrupted, it resumes.
LEMMAS = 400
OTHERS = 200
ROOMS = accounting advice audit ball bounds calibrate certified commands contents estimators fast formulas ground ledger \
  matrices mechanisms oracle postprocessing profile relations report sampling strategies symbolic
MUTATE = $(BIN)/python -m tools.mutation --jobs 2 $(if $(SEED),--seed $(SEED)) --results
mutants: export SLOW = 1
mutants: .venv/.ready
	$(MUTATE) .mutants-lemmas.jsonl --number $(LEMMAS); lemmas=$$?; \
	$(MUTATE) .mutants-rooms.jsonl --number $(OTHERS) --rooms $(ROOMS) && exit $$lemmas
coverage: .venv/.ready
	SLOW=1 $(BIN)/coverage run -m pytest -n auto --dist worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/lines.py
# Measures the parts that the baseline lacks, and all of the statements in AGAIN.
notes: .venv/.ready ; $(BIN)/python -m dpspectra.ledger.views . $(AGAIN)
# Writes the names of mechanisms from their catalogue into both __init__.py and the site.
names: .venv/.ready ; $(BIN)/python -m dpspectra.commands.names .
# Writes proofs_notes/coq/stamps.json, by which the ledger tells what the kernel of Coq has checked; does not install Coq.
prove: .venv-wheel/.ready ; PYTHONPATH=reference .venv-wheel/bin/python -m dpspectra.ledger.coq_check proofs_notes/coq/stamps.json .coq
# make docs QUICK=1 leaves out the run of all checks, whose results the pages show; it takes minutes.
# make docs OLDEST=1 builds it with the oldest versions that pyproject.toml allows; needs Python 3.11.
# Facts, what cells of guides printed and what Sphinx has read are kept in .site until the sources change; where no page
# has changed either, the checked site stands. After a build that failed Sphinx reads all pages again, to warn again.
# One process of Sphinx is quicker than two, which copy all to each other.
# Cells and commands of guides are many interpreters: what one compiles the others read, as for the tests.
docs: export PYTHONDONTWRITEBYTECODE =
docs: $(DOCS)/.ready
	PYTHONPATH=proofs_notes/site $(DOCS)/bin/python -m atlas .site $(if $(QUICK),--quick)
	cmp -s .site/inputs .site/checked || { \
	  test -e .site/checked || rm -rf .site/doctrees; \
	  rm -rf .site/checked .site/html && \
	  $(DOCS)/bin/sphinx-build -W --keep-going -q -c proofs_notes/site -d .site/doctrees .site/pages .site/html && \
	  PYTHONPATH=proofs_notes/site $(DOCS)/bin/python -m atlas.check .site/html && \
	  cp .site/inputs .site/checked; }
	rm -rf site && cp -r .site/html site

# Looks at every page of the site in Chromium, which is not downloaded: CHROMIUM names it where it is not on the path.
browser: export DPSPECTRA_BROWSER = 1
browser: $(DOCS)/.ready
	test -f site/index.html || $(MAKE) docs QUICK=1
	$(DOCS)/bin/python -m pip install --quiet --editable '.[docs,test,site-test]'
	$(DOCS)/bin/python -m pytest -n auto --dist worksteal tests/browser

# The stamp is written last: an interrupted set-up is simply run again.
.venv/.ready: pyproject.toml
	@$(NEW_PYTHON)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	touch $@

# What the demo needs and no more. Python compiles what is imported, which is a small part.
.venv-demo/.ready: pyproject.toml
	@$(NEW_PYTHON)
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet --no-compile --editable '.[plot,sklearn]'
	touch $@

# Python 3.11: newer ones have no wheels of versions this old.
.venv-oldest/.ready: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint .ci/oldest.txt --editable '.[test,lint]'
	touch $@

.venv-clusters/.ready: pyproject.toml .ci/clusters.txt
	$(PYTHON) -m venv .venv-clusters
	.venv-clusters/bin/python -m pip install --quiet --constraint .ci/clusters.txt --editable '.[parquet]' pyspark ray pandas
	touch $@

# What a user installs and no more.
.venv-wheel/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet .
	touch $@

.venv-build/.ready:
	$(PYTHON) -m venv .venv-build
	.venv-build/bin/python -m pip install --quiet 'build>=1.2' 'twine>=6'
	touch $@

$(DOCS)/.ready: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet $(if $(OLDEST),--constraint .ci/oldest.txt) --editable '.[docs]'
	touch $@

clean:
	rm -rf .judgements .seeds .venv .venv-oldest .venv-together .venv-clusters .venv-libraries .venv-wheel .venv-demo .venv-build .venv-dist .venv-docs .venv-docs-oldest .site site .coq .hypothesis .mutants-*.jsonl .pytest_cache .mypy_cache .ruff_cache .benchmarks .import_linter_cache .coverage .coverage.* report dist
