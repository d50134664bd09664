"""The words of the library's scripts -> resources/scripts/index.npz: `python -m training.library.index`.

How often a word stands in everyday stories is counted in ROCStories' train stories on SCENARIST_DATA; with ``--keep`` the counts of the file
that is carried are taken instead (after a change of a script). Only counts are kept.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from scenarist.corpora.library import Library
from scenarist.learning.library.meaning import word_roots
from scenarist.learning.library.scenario_words import FILE, ScenarioWords, carried_words, read_settings, script_words
from scenarist.registry import make

FOLDER = Path("src/scenarist/resources/scripts")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--keep", action="store_true")
    args = options.parse_args()
    often: Counter[str] = Counter()
    if args.keep:
        old = carried_words()
        often.update({word: int(old.often[row]) for word, row in old.row.items()})
        total = old.total
    else:
        for story in make("corpus", "rocstories", split="train"):
            often.update(word_roots(story.text))
        total = float(sum(often.values()))
    settings = read_settings(FOLDER / "settings.txt")
    lines = (json.loads(line) for line in (FOLDER / "steps.jsonl").read_text(encoding="utf-8").splitlines())
    steps = {line["scenario"]: line["steps"] for line in lines}
    words = {
        script.scenario: script_words(script, settings.get(script.scenario, ()), steps.get(script.scenario, ()))
        for script in Library()
    }
    path = Path("src/scenarist/resources") / FILE
    ScenarioWords.learn(words, often, total).save(path)
    print(f"{path}: {len(words)} scripts, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
