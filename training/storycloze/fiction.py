"""Fiction -> fiction.npz: the sentences of novels and short works as word ids, for skip-thoughts. Runs on a CPU (minutes).

python -m training.storycloze.fiction out/storycloze
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

from scenarist.corpora.fiction import Novels, ShortFiction
from scenarist.models.endings import words
from scenarist.models.skip_thoughts import LONGEST, told
from scenarist.models.thought_network import FIRST, UNKNOWN

VOCABULARY = 12_000
SENTENCES = 220_000
SHARE = 1_500
"""Sentences of one work at most, so that many works are heard."""


def main(out: Path) -> None:
    """Write fiction.npz: ids, sentence lengths, sentences a work, and the words."""
    works: list[list[list[str]]] = []
    count = 0
    for corpus in (ShortFiction("train"), Novels("train")):
        for story in corpus:
            told_ = [found for sentence in told(story)[200 : 200 + 2 * SHARE] if 2 < len(found := words(sentence)) <= LONGEST][:SHARE]
            if len(told_) > 50:
                works.append(told_)
                count += len(told_)
            if count >= SENTENCES:
                break
    counts = Counter(word for work in works for sentence in work for word in sentence)
    spelled = [word for word, _ in counts.most_common(VOCABULARY)]
    known = {word: at for at, word in enumerate(spelled, start=FIRST)}
    sentences = [[known.get(word, UNKNOWN) for word in sentence] for work in works for sentence in work]
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out / "fiction.npz",
        ids=np.array([word for sentence in sentences for word in sentence], dtype=np.uint16),
        lengths=np.array([len(sentence) for sentence in sentences], dtype=np.uint8),
        works=np.array([len(work) for work in works], dtype=np.int32),
        vocabulary=np.frombuffer("\n".join(spelled).encode(), dtype=np.uint8),
    )
    print(f"{len(works)} works, {len(sentences)} sentences, {sum(map(len, sentences))} words in {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/storycloze"))
