# The two commands a newcomer needs are `make demo` and `make test`; both create .venv on first use.
PYTHON ?= python3
BIN := .venv/bin
# Kernels compile once per checkout, not once per process.
export NUMBA_CACHE_DIR ?= $(CURDIR)/.venv/numba
# So does Python's own code: the tests start it a hundred times, and pytest rewrites every test module.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint types check hostile fuzz bench quality scale judge studies clean

PIP := $(BIN)/pip install --quiet --disable-pip-version-check
.venv/pip:
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade 'pip>=25.1'
	touch $@

# What users install; and what developers need, which is more, in one go.
.venv/installed: pyproject.toml | .venv/pip
	$(PIP) --editable .
	touch $@

.venv/for-developers: pyproject.toml | .venv/pip
	$(PIP) --editable . --group dev
	touch .venv/installed $@

# Half a gigabyte, which pip packs before it unpacks it: apart, for only the tests wait for it, and not compressed.
.venv/for-spark: .venv/for-developers
	$(PIP) 'pyspark[sql]>=4.1' --config-settings=--build-option=--compression=stored
	touch $@

# The loops that take longest to compile, once and on two cores; two processes of tests would both begin with
# them.
COMPILE = $(BIN)/python -c "import sys; from ontomask.warmup import mask_a_toy; [*map(mask_a_toy, sys.argv[1:])]"
.venv/compiled: .venv/for-developers
	$(COMPILE) annealing & $(COMPILE) s-mdav t-first recoding; wait
	touch $@

demo: .venv/installed
	@$(BIN)/python demo/run.py

test: lint types check

lint: .venv/for-developers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/for-developers
	$(BIN)/mypy

check: .venv/for-spark .venv/compiled
	$(BIN)/pytest -n 2

# Some twenty minutes; `make test` runs a quick part of it.
hostile: .venv/for-developers
	$(BIN)/python -m tests.hostile

# Beside these: benchmarks/many_words.py (20,000 words, some minutes) and those of single rooms.
bench: .venv/for-developers
	@status=0; for one in measures masking evaluation hierarchies truthful closeness linking; do \
	  if [ -f benchmarks/$$one.py ]; then $(BIN)/python benchmarks/$$one.py || status=1; fi; \
	done; exit $$status

# How near to the best possible release, and how large a table: some minutes each.
quality scale: .venv/for-developers
	@$(BIN)/python benchmarks/$@.py

judge: .venv/for-developers
	@$(BIN)/python benchmarks/judge.py

studies: .venv/for-developers
	@for study in $(filter-out studies/common.py %_data.py, $(wildcard studies/*.py)); do $(BIN)/python $$study || exit 1; done

# Every reader for some minutes under a coverage-guided fuzzer; one table, findings in fuzzing/found.
MINUTES ?= 10
.venv/for-fuzzing: .venv/for-developers
	$(PIP) --group fuzz
	touch $@

fuzz: .venv/for-fuzzing
	@cd tests && ../$(BIN)/python -m hostile.fuzz --minutes $(MINUTES) --folder ../fuzzing

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist out fuzzing
