"""Stories -> `resources/topics`: `python -m training.detector.topics FOLDER [--words lemmas]`.

``stems``: topics.npz and affinity.npz, quick to use on any text (`scenarist corpus rank`); ``lemmas``: topics-lemmas.npz and prevalence.npz, the
paper's words, for its rows and its Table 9. ``--keep`` takes the topics that lie in FOLDER and makes the second file only.

200 topics over the content words of MCScript and ROCStories (train splits), as the paper takes MCScript and all personal stories;
and a logistic regression from the topics of MCScript's stories to their scenarios, by which texts are ranked.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.learning.affinity import features
from scenarist.learning.topics import Topics
from scenarist.reading.content_words import content_words
from scenarist.registry import make


def regression(shares: np.ndarray, labels: Sequence[str], steps: int = 600) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Multinomial logistic regression by Adam, with a light penalty."""
    names = sorted(set(labels))
    wanted = np.zeros((len(labels), len(names)))
    wanted[np.arange(len(labels)), [names.index(one) for one in labels]] = 1
    weights, bias = np.zeros((shares.shape[1], len(names))), np.zeros(len(names))
    one = [np.zeros_like(weights), np.zeros_like(bias)]
    two = [np.zeros_like(weights), np.zeros_like(bias)]
    for step in range(1, steps + 1):
        scores = shares @ weights + bias
        chance = np.exp(scores - scores.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        error = (chance - wanted) / len(labels)
        for at, (value, slope) in enumerate(((weights, shares.T @ error + 1e-6 * weights), (bias, error.sum(axis=0)))):
            one[at] = 0.9 * one[at] + 0.1 * slope
            two[at] = 0.999 * two[at] + 0.001 * slope * slope
            value -= 0.1 * (one[at] / (1 - 0.9**step)) / (np.sqrt(two[at] / (1 - 0.999**step)) + 1e-9)
    print("regression: share of training stories right", float((chance.argmax(axis=1) == wanted.argmax(axis=1)).mean()))
    return names, weights, bias


def packed(text: str) -> np.ndarray:
    """Text as bytes, for an array file."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def main() -> None:
    """Learn and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", choices=("lemmas", "stems"), default="lemmas")
    parser.add_argument("--free", type=int, default=4_000, help="at most so many ROCStories")
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if options.smoke:
        options.free, options.passes = 100, 1
    stories = list(make("corpus", "mcscript", split="train"))[: 200 if options.smoke else None]
    told = [[s.text[one.start : one.stop] for one in sentences(s.text)] for s in stories]
    ending = "" if options.words == "stems" else f"-{options.words}"
    path = options.folder / f"topics{ending}.npz"
    free = [[s.of(one) for one in s.sentences] for s in make("corpus", "rocstories", split="train")][: options.free]
    texts = told if options.keep else told + free
    content_words([line for lines in texts for line in lines], options.words)
    documents = [[word for words in content_words(lines, options.words) for word in words] for lines in texts]
    if options.keep:
        topics = Topics.load(path)
    else:
        topics = Topics(passes=options.passes, least=5).fit(documents)
        topics.save(path)
    for number in range(0, 200, 10):
        print(number, " ".join(topics.top(number)))
    shares = np.array([topics.infer(one) for one in documents[: len(told)]])
    scenarios = [find(story.scenario).name for story in stories]
    if options.words == "stems":
        names, weights, bias = regression(features(shares), scenarios)
        np.savez_compressed(
            options.folder / "affinity.npz",
            labels=packed("\n".join(names)), words=packed(options.words), weights=weights.astype(np.float16), bias=bias.astype(np.float16),
        )  # fmt: skip
    else:
        names = sorted(set(scenarios))
        prevalent = np.array([shares[[one == name for one in scenarios]].mean(axis=0) for name in names])
        np.savez_compressed(
            options.folder / "prevalence.npz", labels=packed("\n".join(names)), shares=prevalent.astype(np.float16)
        )
    print(len(documents), "documents,", len(topics.words_), "words")


if __name__ == "__main__":
    main()
