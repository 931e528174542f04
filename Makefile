# The two commands a newcomer needs are `make demo` and `make test`; both create .venv on first use.
PYTHON ?= python3
BIN := .venv/bin
# Kernels compile once per checkout, not once per process.
export NUMBA_CACHE_DIR ?= $(CURDIR)/.venv/numba

.PHONY: demo test lint types check bench judge studies clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --disable-pip-version-check --editable . --group dev
	touch $@

demo: .venv/installed
	@$(BIN)/python demo/run.py

test: lint types check

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

check: .venv/installed
	$(BIN)/pytest -n 2

bench: .venv/installed
	@status=0; for one in measures masking evaluation; do \
	  if [ -f benchmarks/$$one.py ]; then $(BIN)/python benchmarks/$$one.py || status=1; fi; \
	done; exit $$status

judge: .venv/installed
	@$(BIN)/python benchmarks/judge.py

studies: .venv/installed
	@for study in studies/[a-z]*.py; do $(BIN)/python $$study || exit 1; done

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist out
