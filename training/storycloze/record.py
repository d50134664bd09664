"""predictions.npz of a training run and the corpora -> release/storycloze/recorded.npz: what was answered, questions as hashes.

python -m training.storycloze.record out/storycloze/predictions.npz ...     # several files: later ones replace rows of earlier ones

Endings are kept as margins (second minus first), orders as the best order and its ln P. What the file held already and no run replaces stays.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from scenarist.corpora.rocstories import ROCStories
from scenarist.corpora.storycloze import StoryCloze2016, StoryCloze2018
from scenarist.exams.ordering import OrderingExam
from scenarist.models.recorded import fingerprint
from scenarist.question import Order

RELEASE = Path("release/storycloze/recorded.npz")


def hashes(prints: list[str]) -> np.ndarray:
    """Fingerprints as rows of bytes."""
    return np.array([list(bytes.fromhex(one)) for one in prints], dtype=np.uint8)


def main(files: list[Path]) -> None:
    """Merge the runs into the release file."""
    kept = dict(np.load(RELEASE)) if RELEASE.is_file() else {}
    asked = [
        fingerprint(story.context, story.endings)
        for corpus in (StoryCloze2016, StoryCloze2018)
        for story in corpus("dev")
    ]
    first = {one: at for at, one in reversed(list(enumerate(asked)))}  # 2018 at hand repeats 2016
    places = {bytes(row).hex(): at for at, row in enumerate(kept["questions"])} if "questions" in kept else {}
    for path in files:
        for name, values in np.load(path).items():
            if name.startswith("order-"):
                kept[name] = values
            elif not places:
                kept["questions"], kept[name] = (
                    hashes(list(first)),
                    (values[:, 1] - values[:, 0])[list(first.values())].astype(np.float16),
                )
            else:
                margins = values[:, 1] - values[:, 0]
                kept[name] = np.array([margins[first[one]] for one in places], dtype=np.float16)
    if any(name.startswith("order-") for name in kept):
        items = OrderingExam().set(ROCStories("dev", cased=True))
        kept["order-questions"] = hashes(
            [fingerprint(item.question.sentences) for item in items if isinstance(item.question, Order)]
        )
        assert all(
            len(values) == len(kept["order-questions"]) for name, values in kept.items() if name.startswith("order-")
        )
    np.savez_compressed(RELEASE, **kept)
    print(f"{RELEASE}: {', '.join(f'{name} {values.shape}' for name, values in sorted(kept.items()))}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
