"""Train the KidsCook word models and save them: pairs -> `release/kidscook/NAME[-VARIANT]-SEED.safetensors` (or --out).

    python -m training.kidscook.train lstm-lm seq2seq seq2seq-attention transducer transducer-param --seeds 1 2 3 --set dropout=0.2 hard=false
    python -m training.kidscook.train transducer seq2seq-attention --seeds 1 2 3 --variant both --set dropout=0.2 hard=false both=true
    python -m training.kidscook.train lstm-lm seq2seq seq2seq-attention transducer transducer-param --variant code
    python -m training.kidscook.train word-head pretrained-transducer causal-lm-tuned --device cuda

`hard=false` keeps the transducers to the marginal likelihood; without it Viterbi EM follows after ten epochs (`transducer-em-1` was made so).
`--variant` is a name for the files; `code` also brings the settings of the paper's code (CODE below; --set goes before them).
After each model the quick measure of models/word_queries.py (match, top-5, surprisal; oracle and greedy; spans) is printed on dev, so
that a run on a machine without the bench still says what it made. What the runs printed that made the released in-domain files is in
results/kidscook-in-domain-dev.json.

Each file says in its header how it was made. A file that was made with the same settings is not made again (its measures are printed as they
are), so that an interrupted run goes on; `--again` makes it anew. A file that the clock cut short (`--seconds`) does not count.
The one-way files of the release are older than such headers: what made them is read from results/kidscook-in-domain-dev.json. They are not made
again either, though two of the fifteen had 40 epochs for 50 and one was cut short after 42.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scenarist.corpora.kidscook import KidsCook
from scenarist.learning.alignments import shape
from scenarist.models import word_checkpoint
from scenarist.models.word_model import rows_of
from scenarist.models.word_queries import quick
from scenarist.models.wordcloze_training import STOPPED
from scenarist.registry import make
from scenarist.story import Pair

ROOT = Path(__file__).parents[2]
OUT, RECORD = ROOT / "release" / "kidscook", ROOT / "results" / "kidscook-in-domain-dev.json"
CODE: dict[str, Any] = {"dropout": 0.5, "dropped": "words", "frozen": False, "layer": "relu", "course": "code"}
"""The paper's code (docs/why/transducer.md): dropout on the hidden layer of the words only, vectors trained, and the way through the data."""
CODE_WALK: dict[str, Any] = {"start": "free", "shift": 0.5, "emission": "mlp"}
"""The same for its transducers."""


def settings_of(name: str, variant: str, given: dict[str, Any]) -> dict[str, Any]:
    """What a model is made with."""
    usual: dict[str, Any] = {}
    if variant == "code":
        usual = {**CODE, **(CODE_WALK if name.startswith("transducer") else {})}
    return {**usual, **given}


def measured(model: Any, dev: Sequence[Pair]) -> dict[str, float]:
    """The quick measures of a trained model."""
    found = quick(model.network(), rows_of(dev), model.admissible("kidscook"))
    if hasattr(model, "align"):
        found["span/viterbi"] = shape(model.align(dev), {}).span
    return found


def made_already(path: Path, what: dict[str, Any]) -> dict[str, Any]:
    """The note of a file that was made in this way and to the end; else nothing."""
    note = word_checkpoint.note(path) or recorded(path, what)
    return note if not note.get("stopped") and {key: note.get(key) for key in what} == what else {}


def recorded(path: Path, what: dict[str, Any]) -> dict[str, Any]:
    """The same for a released file that is older than notes: its run in RECORD, if its settings are these but for the number of epochs."""
    if path.resolve().parent != OUT or not path.is_file() or not RECORD.is_file():
        return {}
    others = {"epochs"} if what["model"].startswith("transducer") else {"epochs", "hard"}  # `hard` says nothing to the others

    def telling(settings: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in settings.items() if key not in others}

    for run in json.loads(RECORD.read_text(encoding="utf-8"))["runs"]:
        if run["released_as"] == path.stem and telling(run["set"]) == telling(what["set"]):
            return {**run, **what, "made_with": run["set"]}
    return {}


def make_one(
    name: str, seed: int, variant: str, settings: dict[str, Any], given: argparse.Namespace, train: Sequence[Pair], dev: Sequence[Pair]
) -> dict[str, Any]:
    """Train, save, measure; or only what of it is missing."""
    path = given.out / f"{'-'.join(filter(None, (name, variant, str(seed))))}.safetensors"
    what = {"model": name, "seed": seed, "variant": variant, "set": settings, "limit": given.limit}
    note = {} if given.again else made_already(path, what)
    if note:
        print(f"{path.name}: made already with {json.dumps(note.get('made_with', settings))} (--again makes it anew)", flush=True)
        if "scores" in note:
            return note
        model = make("model", name, weights=str(path), seed=seed, device=given.device).fit(())
    else:
        print(f"{path.name}: {json.dumps(settings)}", flush=True)
        began, worked, lines = time.monotonic(), time.process_time(), list[str]()

        def log(line: str) -> None:
            lines.append(line)
            print("  ", line, flush=True)

        limit = {"seconds": given.seconds} if given.seconds else {}
        model = make("model", name, seed=seed, device=given.device, log=log, **settings, **limit)
        model.fit(train)
        model.save(path)
        note = {
            **what, "epochs": sum(line.startswith("epoch") for line in lines), "stopped": any(line.startswith(STOPPED) for line in lines),
            "device": model.device, "seconds": round(time.monotonic() - began), "cpu_seconds": round(time.process_time() - worked),
        }  # fmt: skip
        word_checkpoint.add_note(path, note)
    note["scores"] = {key: round(value, 4) for key, value in measured(model, dev).items()}
    word_checkpoint.add_note(path, note)
    return note


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--variant", default="", help="a name for the files, e.g. both; code brings the settings of the paper's code")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--set", nargs="*", default=[], help="settings as name=value, e.g. epochs=3 rate=0.0005")
    parser.add_argument("--limit", type=int, default=None, help="learn from the first pairs only (to try things out)")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop training a model after this time; the best epoch so far is kept")
    parser.add_argument("--again", action="store_true", help="train what was trained already, too")
    given = parser.parse_args(words)
    asked = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given.set)}
    train = list(KidsCook(split="train"))[: given.limit]
    dev = list(KidsCook(split="dev"))[: given.limit]
    todo = [(name, seed) for seed in given.seeds for name in given.models]
    try:
        for at, (name, seed) in enumerate(todo):
            print(f"{at + 1} of {len(todo)}", end=" ", flush=True)
            print(json.dumps(make_one(name, seed, given.variant, settings_of(name, given.variant, asked), given, train, dev)), flush=True)
    except KeyboardInterrupt:
        print("\nstopped: the same command goes on with what is missing", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
