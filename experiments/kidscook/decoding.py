"""Does it matter how blanks are filled? The table `kidscook-decoding` (Bisk et al. 2019, section 3, footnote 3, and appendix A.4).

Match per blank for greedy, beam and best-of-five-samples filling, clean; and what the released code does (five samples at
temperature 0.5, all counted, the last word of a blank not fed on, texts cut at 50 words), to account for differences
from Table 4 by measuring them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from scenarist import __version__
from scenarist.bench.analyses.kidscook_fills import ROWS
from scenarist.bench.fill_texts import FilledText, fill
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.sit import data_hash
from scenarist.corpora.kidscook import KidsCook
from scenarist.errors import Missing
from scenarist.exams.wordcloze import WordCloze
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.story import Pair

PAIRS = 250
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"way": "greedy"},
    "beam-5": {"way": "beam", "width": 5},
    "best-of-5-samples": {"way": "best-of-samples", "width": 5, "temperature": 0.1},
    "as-published": {"way": "samples", "width": 5, "temperature": 0.5, "feed": "but-last"},
}


def matches(pairs: list[Pair], found: list[list[FilledText]]) -> tuple[float, int]:
    """Blanks filled exactly right (a mean over the texts of a pair), and blanks."""
    right, blanks = 0.0, 0
    for pair, texts in zip(pairs, found, strict=True):
        for start, stop in pair.blanks:
            blanks += 1
            right += sum(
                all(one.words[place] == pair.concrete[place] for place in range(start, stop)) for one in texts
            ) / len(texts)
    return right, blanks


def cut(pair: Pair, size: int = 50) -> Pair:
    """A pair with the blanks that lie wholly in its first words."""
    return msgspec.structs.replace(pair, blanks=tuple((a, b) for a, b in pair.blanks if b <= size))


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Rows of models, columns of ways."""
    every = list(KidsCook(split=split))
    pairs = every[:: max(1, len(every) // (limit or PAIRS))][: limit or PAIRS]
    rows = []
    for label, (name, settings) in ROWS.items():
        row = FigureRow(label, "ours", {}, {})
        try:
            model = make("model", name, weights="kidscook", seed=1, **settings).fit(())
            for way, settings in WAYS.items():
                chosen = [one for pair in pairs if (one := cut(pair)).blanks] if way == "as-published" else pairs
                right, blanks = matches(chosen, fill(model, chosen, seed=seed, **settings))
                row.scores[f"match/{way}"] = Figure(right / blanks, n=blanks)
        except Missing as error:
            row.more["problem"] = str(error)
        rows.append(row)
    what = {
        "exam": "wordcloze",
        "data": f"kidscook#{data_hash(WordCloze().set(pairs))}",
        "split": split,
        "seed": seed,
        "v": __version__,
    }
    return Analysis(rows, sign("kidscook-decoding", what))
