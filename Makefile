# A newcomer's two commands are `make run` and `make test`; both make the environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP  := $(VENV)/.installed
DATA   ?= ../shared/bench
# The folder data/search of Jun-jie-Huang/CoCLR; without it CoSQA is left out.
COSQA  ?=
# The tour keeps its memories in this folder, so that it leaves your own store alone.
TOUR   := LOREMAP_HOME="$(CURDIR)/.loremap" $(BIN)/lore

.PHONY: setup model run check test test-faults test-mutants test-agents test-browser lint bench bench-code sbom docs lock

setup: $(STAMP)

$(STAMP): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Loremap needs Python 3.11 or newer: make PYTHON=python3.12 setup" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked dependencies into $(VENV) (about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

model: setup
	@$(TOUR) model fetch

run: model
	@$(TOUR) init --no-encrypt --keep all
	@$(TOUR) remember --kind convention --file src/loremap/model/decay.py "A rule is a pure function of values and a now: it reads no clock."
	@$(TOUR) remember --kind procedure --name "check a change" --step "make test" --step "make lint" --step "make test-faults"
	@$(TOUR) remember --kind decision --file src/loremap/storage/sqlite/connect.py "Every write begins with BEGIN IMMEDIATE, so that no transaction fails half-way for want of the lock."
	@$(TOUR) remember --kind warning --trigger "push --force" --on command "Never force-push to main: others build on it."
	@$(TOUR) remember --kind gotcha --file src/loremap/storage/sqlite/text_index.py "FTS5 does not split identifiers: index the words of model/words.py instead."
	@echo; echo 'An agent that is asked "how do I check my change before pushing?" is given:'
	@$(TOUR) recall "how do I check my change before pushing?"
	@echo; echo 'One about to run "git push --force origin main" is told:'
	@$(TOUR) check --command "git push --force origin main"
	@echo; echo 'And "thanks, looks good!" is given:'
	@$(TOUR) recall "thanks, looks good!"
	@echo; echo 'Before "backups are not encrypted when the key was changed" an agent is briefed:'
	@$(TOUR) brief --tokens 700 "backups are not encrypted when the key was changed"
	@echo; echo "Next: put $(BIN) on your PATH, cd into a repository of yours, and run: lore init, then lore connect --all"

# Some at once, a file in one process: they wait half of the time, so that a third keeps two cores
# at work. Then one by one those that compare times. What fails beside another is run once more by
# itself: a fault fails again.
WORKERS ?= 3
QUICK  := not faults and not agents and not browser
AGAIN  := --last-failed --last-failed-no-failures none

test: model
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "$(QUICK) and not alone" || $(BIN)/python -m pytest $(AGAIN)
	@$(BIN)/python -m pytest -m "$(QUICK) and alone"

# What a developer runs before each commit: no resident, no other client, no browser is started.
CHECKED := $(addprefix tests/,model safety storage embedding clients clients_settings code memory_admission memory_recall memory_graph memory_brief agent metrics app docs)

check: model lint
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "$(QUICK) and not alone" -k "not postgres" $(CHECKED)

test-faults: model
	@$(BIN)/python -m pytest -n $(WORKERS) -m faults

# One fault after another is put into a copy of the tree: do the tests notice? Goes on where it was
# stopped; JOBS says how many faults are tried at a time.
JOBS   ?= 2

test-mutants: model
	@$(BIN)/python tests/mutants/run.py --jobs $(JOBS)

# The real agents, in pinned versions, are fetched into a cache once (LOREMAP_AGENTS_CACHE). A hook
# waits a fifth of a second: what fails where two agents share a slow machine is run again alone.
test-agents: model
	@$(BIN)/python tests/real_clients/install.py
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m agents || $(BIN)/python -m pytest -m agents $(AGAIN)

# A pinned Chromium is fetched into a cache once (LOREMAP_BROWSER_CACHE; LOREMAP_BROWSER names another).
test-browser: model
	@$(BIN)/python tests/browser/chromium.py
	@$(BIN)/python -m pytest -m browser tests/browser

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: model bench-code
	@$(BIN)/python -m bench.retrieval.run --data "$(DATA)" $(if $(COSQA),--cosqa "$(COSQA)")
	@$(BIN)/python -m bench.coding.run --data "$(DATA)" --distractors 10000
	@$(BIN)/python -m bench.coding.run --data "$(DATA)" --ablation
	@$(BIN)/python -m bench.living.cluster --data "$(DATA)"
	@$(BIN)/python -m bench.pairs.run --data "$(DATA)"
	@$(BIN)/python -m bench.decisions.run --data "$(DATA)"
	@$(BIN)/python -m bench.sessions.learning --data "$(DATA)"
	@$(BIN)/python -m bench.sessions.learning --data "$(DATA)" --own second --shipped --stored
	@$(BIN)/python -m bench.sessions.patterns --data "$(DATA)"
	@$(BIN)/python -m bench.sessions.learning_speed
	@$(BIN)/python -m bench.speed.recall
	@$(BIN)/python -m bench.speed.peers
	@$(BIN)/python -m bench.speed.check
	@$(BIN)/python -m bench.speed.hooks
	@$(BIN)/python -m bench.speed.cli
	@$(BIN)/python -m bench.speed.episodes
	@$(BIN)/python -m bench.unasked.run $(if $(REPOS),--repos "$(REPOS)")
	@$(BIN)/python -m bench.sessions.learning --data "$(DATA)" --own blind --shipped --stored

# Clones of the repositories that the issues of SWE-bench Lite, PyCG's snippets, the definitions and
# the calls are taken from, each in a folder of its name; without it the code graph is left out.
REPOS  ?=

bench-code: model
ifneq ($(REPOS),)
	@$(BIN)/python -m bench.code.localisation --data "$(DATA)" --repos "$(REPOS)"
	@$(BIN)/python -m bench.code.pycg --snippets "$(REPOS)/PyCG/micro-benchmark/snippets"
	@$(BIN)/python -m bench.code.definitions --repos "$(REPOS)"
	@$(BIN)/python -m bench.code.oracles --repos "$(REPOS)"
	@$(BIN)/python -m bench.code.scan --repo "$(REPOS)/django" --million
	@$(BIN)/python -m bench.sessions.decisions --data "$(DATA)" --host "$(REPOS)/boltons"
endif
	@$(BIN)/python -m bench.code.anchors

# What an installed Loremap is made of, with every licence: a CycloneDX bill of materials.
SBOM   := build/sbom

sbom:
	@rm -rf $(SBOM) && mkdir -p $(SBOM)
	@$(PYTHON) -m venv $(SBOM)/installed && $(PYTHON) -m venv $(SBOM)/tool
	@$(SBOM)/installed/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(SBOM)/installed/bin/python -m pip install --quiet --disable-pip-version-check --no-deps .
	@$(SBOM)/installed/bin/python -m pip uninstall --quiet --yes pip setuptools
	@$(SBOM)/tool/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0
	@$(SBOM)/tool/bin/cyclonedx-py environment $(SBOM)/installed --pyproject pyproject.toml --mc-type application --gather-license-texts --output-reproducible -o $(SBOM)/loremap.cdx.json
	@echo "Written: $(SBOM)/loremap.cdx.json"

docs: setup
	@$(BIN)/python -m docs.generate

lock:
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml --group dev -o requirements-dev.lock
