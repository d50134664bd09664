"""skip-thoughts.safetensors, one or more -> how often their cosine finds the right ending, and the told ending of a held-out story. A CPU, a minute each.

python -m training.storycloze.thoughts_check out/storycloze/texts.json.xz release/storycloze/skip-thoughts.safetensors out/storycloze/skip-thoughts.safetensors

The told ending stands against the ending of any other held-out story, and against that of the most similar one. Both are about *topics*, as the encoder is.
"""

from __future__ import annotations

import json
import lzma
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.torch import load_file

from scenarist.learning.wrong_endings import Negatives
from scenarist.models.endings.skip_thoughts import SkipThoughts, unpacked

LIMIT = 1200
Asked = Sequence[tuple[Sequence[str], Sequence[str]]]


class Encoder(SkipThoughts):
    """The model of the row, with the encoder of any file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.known_, self.encoder_ = unpacked(load_file(path))


def firsts(model: SkipThoughts, asked: Asked) -> np.ndarray:
    """Which questions have the first ending nearer to the story than the second."""
    size = 128
    vectors = np.concatenate([
        model.encode([text for context, endings in asked[at : at + size] for text in (*context, *endings)]) for at in range(0, len(asked), size)
    ]).reshape(len(asked), 6, -1)  # fmt: skip
    story, endings = vectors[:, :4].mean(1)[:, None], vectors[:, 4:]
    cosines = (story * endings).sum(-1) / np.linalg.norm(
        endings, axis=-1
    )  # the story's own length is the same for both
    return np.asarray(cosines[:, 0] > cosines[:, 1])


def main(texts: Path, files: Sequence[Path]) -> None:
    """One line a file."""
    with lzma.open(texts, "rt", encoding="utf-8") as file:
        given = json.load(file)
    held = [story for story, dev in zip(given["stories"], given["dev"], strict=True) if dev][:LIMIT]
    maker, dice = Negatives(seed=13).fit(held), random.Random(5)
    other = [(story[:4], [story[4], held[dice.randrange(len(held))][4]]) for story in held]
    near = [(story[:4], [story[4], made.text]) for story in held if (made := maker.make(story, "nearest", 1))]
    items = given["items"]
    answers = np.array([item["answer"] for item in items])
    for path in files:
        model = Encoder(path)
        cloze = firsts(model, [(item["context"], item["endings"]) for item in items]) == (answers == 0)
        against = {name: 100 * firsts(model, asked).mean() for name, asked in (("other", other), ("similar", near))}
        found = ", ".join(
            f"the told ending against that of {name} stories {value:.1f}" for name, value in against.items()
        )
        print(f"{path.name} ({path.stat().st_size / 1e6:.1f} MB): Story Cloze {100 * cloze.mean():.1f}; {found}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
