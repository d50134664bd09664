"""Story Cloze x narrative chains -> where they fail, by the kind of the right ending (Mostafazadeh et al. 2016, section 5, models 7 and 8).

A chain model can only weigh an ending whose event it has seen beside the story's: a copular ending ("She was happy"), a light verb ("He had
fun") or a verb with a preposition says little by its verb alone. For each kind: accuracy, its share of the questions, and how often no
entity was shared, so that the answer was drawn.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from scenarist import __version__
from scenarist.bench import sit as runner
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.models.endings.narrative_chains import NarrativeChains, kind_of
from scenarist.question import Choice
from scenarist.registry import make
from scenarist.signature import sign

KINDS = ("copular", "light verb", "verb + preposition", "verb", "none")
TRAINED_ON: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("narrative-chains-news", "nyt-chains", {}),
    ("narrative-chains-fiction", "fairytales", {}),
    ("narrative-chains-stories", "rocstories", {"cased": True}),
)


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """The table `storycloze-chains`; ``limit`` cuts the questions and, tenfold, the training texts."""
    items = runner.items_of(make("exam", "storycloze"), make("corpus", "storycloze-2016", split=split), limit)
    questions = [item.question for item in items if isinstance(item.question, Choice)]
    right = [one.choices[int(str(item.key))] for item, one in zip(items, questions, strict=True)]
    kinds = [kind_of(story) for story in make("reader", "default")(right)]
    rows, read = [], NarrativeChains().read(questions)
    for name, corpus, settings in TRAINED_ON:
        model = NarrativeChains(seed=seed, limit=limit and 10 * limit).fit(
            make("corpus", corpus, split="train", **settings)
        )
        marks: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
        for item, kind, answer in zip(items, kinds, model.answer_many(questions, read), strict=True):
            mark = (answer.best == item.key, bool(answer.note))
            marks[kind].append(mark)
            marks["all"].append(mark)
        rows.append(FigureRow(name, "baseline", figures(marks)))
    data = f"storycloze-2016#{runner.data_hash(items)}"
    return Analysis(rows, sign("storycloze-chains", {"data": data, "split": split, "seed": seed, "v": __version__}))


def figures(marks: dict[str, list[tuple[bool, bool]]]) -> dict[str, Figure]:
    """Accuracy, share and share drawn, by kind.

    >>> figures({"all": [(True, False), (False, True)], "verb": [(True, False)]})["accuracy/verb"].value
    1.0
    """
    total = len(marks["all"])
    scores: dict[str, Figure] = {}
    for kind in ("all", *KINDS):
        found = marks.get(kind) or []
        if not found:
            continue
        counts = {
            "accuracy": [mark[0] for mark in found],
            "share": [True] * len(found) + [False] * (total - len(found)),
            "drawn": [mark[1] for mark in found],
        }
        for name, values in counts.items():
            scores[f"{name}/{kind}"] = ratio(Tally(value, 1, (str(at),)) for at, value in enumerate(values))
    return scores
