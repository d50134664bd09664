"""Whole stories -> `resources/detector/segments.npz`: `python -m training.detector.segment_labels FOLDER OUT`.

Logistic regression (scikit-learn, C 20) on tf.idf of stems and pairs, trained on whole stories of MCScript (train split), on stretches and
sentences of them at lower weights, and on stretches of text without scenarios; then the phrases with the heaviest weights, reduced by SVD, as int8.
FOLDER is what `prepare.py` wrote; the network, whose phrases are used, lies beside OUT.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from scenarist.models.scenarios.phrase_network import PhraseNetwork
from scenarist.reading.stems import phrases, stems
from training.detector.documents import NONE_TRAIN, Store, pick, stretch


def train(
    store: Store, strength: float, rounds: int, seed: int = 1
) -> tuple[np.ndarray, np.ndarray, dict[str, int], np.ndarray]:
    """Weights (V, C), bias (C), vocabulary and idf."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    told = store.texts["told-train"]
    draw = random.Random(seed)
    counts: Counter[str] = Counter()
    for text in told:
        counts.update({one for at in range(text.start, text.stop) for one in phrases(stems(store.sentences[at]))})
    place = {word: at for at, word in enumerate(word for word, count in counts.items() if count > 1)}
    idf = np.array([np.log((1 + len(told)) / (1 + counts[word])) + 1 for word in place])
    documents: list[Iterable[int]] = []
    labels: list[int] = []
    weights_of: list[float] = []

    def add(document: Iterable[int], label: int, weight: float) -> None:
        documents.append(document)
        labels.append(label)
        weights_of.append(weight)

    for text in told:
        add(range(text.start, text.stop), text.label, 1.0)
        for size in (2, 3, 5):
            add(stretch(text, draw, size, size), text.label, 0.6)
        for at in range(text.start, text.stop):
            add([at], text.label, 0.15)
    for _ in range(7000):
        add(store.run(pick(NONE_TRAIN[:3], draw), draw, 1, 5), 0, 0.3)
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for document in documents:
        found = Counter(place[one] for at in document for one in phrases(stems(store.sentences[at])) if one in place)
        numbers = list(found)
        row = (1 + np.log(np.array([found[at] for at in numbers]))) * idf[numbers]
        columns += numbers
        values += list(row / max(np.linalg.norm(row), 1e-9))
        ends.append(len(columns))
    matrix = csr_matrix((values, columns, ends), shape=(len(documents), len(place)), dtype=np.float32)
    model = LogisticRegression(C=strength, max_iter=rounds).fit(matrix, labels, sample_weight=weights_of)
    weights = np.zeros((len(place), len(store.labels)))
    bias = np.full(len(store.labels), -12.0)
    weights[:, model.classes_] = model.coef_.T
    bias[model.classes_] = model.intercept_
    return weights, bias, place, idf


def reduce(
    network: PhraseNetwork,
    weights: np.ndarray,
    bias: np.ndarray,
    words: Sequence[str],
    idf: np.ndarray,
    keep: int,
    width: int,
) -> dict[str, np.ndarray]:
    """The heaviest phrases the network knows, their weights in ``width`` dimensions."""
    there = np.array([at for at, word in enumerate(words) if word in network.place])
    heavy = there[np.argsort(-(np.linalg.norm(weights[there], axis=1) * idf[there]))[:keep]]
    chosen = weights[heavy]
    values, vectors = np.linalg.eigh(chosen.T @ chosen)
    basis = vectors[:, np.argsort(-values)[:width]]  # (C, D)
    rows = chosen @ basis
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127
    return {
        "places": np.array([network.place[words[at]] for at in heavy], dtype=np.int32),
        "rows": np.round(rows / scales[:, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "idf": idf[heavy].astype(np.float32),
        "direct": basis.T.astype(np.float16),
        "bias": bias.astype(np.float16),
    }


def moved(old: Path, network: PhraseNetwork) -> dict[str, np.ndarray]:
    """The weights beside another network, for the phrases that this one knows too."""
    names = list(PhraseNetwork(old).place)
    with np.load(old / "segments.npz", allow_pickle=False) as file:
        arrays = dict(file)
    kept = [at for at, place in enumerate(arrays["places"]) if names[place] in network.place]
    found = {name: value if name in ("direct", "bias") else value[kept] for name, value in arrays.items()}
    found["places"] = np.array([network.place[names[place]] for place in found["places"]], dtype=np.int32)
    return found


def main() -> None:
    """Train, reduce, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, help="the file to write, beside the network's weights")
    parser.add_argument("--strength", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--keep", type=int, default=16_000)
    parser.add_argument("--width", type=int, default=200)
    parser.add_argument(
        "--like", type=Path, help="take the weights from this folder (another network's) instead of training"
    )
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if options.like:
        found = moved(options.like, PhraseNetwork(options.out.parent))
        np.savez_compressed(options.out, **found)
        print(len(found["places"]), "phrases,", options.out.stat().st_size, "bytes")
        return
    store = Store(options.folder / "sentences.jsonl.gz", 40 if options.smoke else 0)
    weights, bias, place, idf = train(store, options.strength, options.rounds)
    network = PhraseNetwork(options.out.parent)
    np.savez_compressed(options.out, **reduce(network, weights, bias, list(place), idf, options.keep, options.width))
    print(options.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
