"""Learn what the package knows of everyday scenarios: `python -m training.knowledge [--jobs 2]`.

From the train splits of MCScript, InScript, DeScript and ROCStories on SCENARIST_DATA, through our own reader; writes scripts,
count tables and the small networks to resources/knowledge (the network of labels, which no verb uses, to release/untold), and prints dev figures. Nothing of dev or test is learned from (stories that two
corpora share are taken out of train where the other has them in dev); no sentence is kept. The small network of verbs is taught by the deep reader of
gaps: what that one said of stories it had not seen lies in release/untold (`training/knowledge/deep.py` makes it, on a GPU).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from scenarist.learning import scripts as knowledge
from scenarist.learning.scripts import script
from scenarist.story import Story
from training.knowledge import labels, network, rows, student
from training.knowledge.meaning import labelled, type_labels
from training.knowledge.reading import gold_tellings

ROOT = Path(__file__).parents[2]
HERE = ROOT / "src" / "scenarist" / "resources" / "knowledge"
TEACHERS = [ROOT / "release" / "untold" / name for name in ("teacher.npz", "teacher-wide.npz")]
LABELS = ROOT / "release" / "untold" / "labels.npz"
EVIDENCE = "MCScript train, InScript train, DeScript (event sequence descriptions)"
SCRIPTED = ("mcscript", "inscript", "descript")
SENTENCES = network.Settings(2, 2, 8000, 64, 128, 0.5, 0.1, 4, restrict=True)
"""The network of InScript's labels where one sentence is taken out (`unit=sentence`)."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--limit", type=int, default=None, help="stories a corpus, for a try")
    options.add_argument(
        "--rows", type=Path, default=None, help="where to put (or find) the intermediate file; it holds sentences"
    )
    options.add_argument("--only", default="scripts,verbs,labels,events", help="what to make")
    options.add_argument("--out", type=Path, default=HERE)
    options.add_argument("--labels", type=Path, default=LABELS, help="where the network of labels goes (a row uses it)")
    args = options.parse_args()
    begun = time.time()

    def log(text: str) -> None:
        print(f"[{time.time() - begun:6.0f} s] {text}", flush=True)

    wanted = args.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        path = args.rows or Path(folder) / "rows.jsonl.gz"
        if "scripts" in wanted or ("verbs" in wanted and not path.exists()):
            by_scenario: dict[str, list[Story]] = defaultdict(list)

            def keep(story: Story, corpus: str, split: str) -> None:
                if split == "train" and corpus in SCRIPTED:
                    by_scenario[story.scenario].append(labelled(story, corpus, split))

            rows.write(path, args.jobs, args.limit, log, keep)
            if "scripts" in wanted:
                scripts = [script(name, stories, EVIDENCE, most=50) for name, stories in sorted(by_scenario.items())]
                knowledge.write(args.out / "scripts.jsonl.gz", scripts, EVIDENCE)
                named = {one.scenario: type_labels(one, by_scenario[one.scenario]) for one in scripts}
                meant = {scenario: labels for scenario, labels in named.items() if labels}
                (args.out / "meanings.json").write_text(
                    json.dumps(meant, indent=1, sort_keys=True) + "\n", encoding="utf-8"
                )
                log(f"{len(scripts)} scripts written, {len(meant)} of them with annotators' labels")
        if "verbs" in wanted:
            student.learn(
                path, [one for one in TEACHERS if one.exists()], args.out / "verbs.npz", student.CHOSEN, 13, log
            )
    if "labels" in wanted:
        own, held = (
            [
                network.Story([s.label for s in t.steps], [s.words for s in t.steps], t.scenario)
                for t in gold_tellings(split)
            ]
            for split in ("train", "dev")
        )
        arrays, table, _ = network.train(own, sorted({story.scenario for story in own}), SENTENCES, 13, log, held)
        np.savez_compressed(args.labels, **arrays, **student.sparse(table))
    if "events" in wanted:
        np.savez_compressed(args.out / "events.npz", **labels.learn(log))
    log("done")


if __name__ == "__main__":
    main()
