"""spaCy components for training: one softmax layer over the shared vectors for each kind of word label.

spaCy's tagger always reads and writes `tag`. The reader has three such layers (part of speech, entity type, realis), so the
two others read their truth from another attribute of the reference; after training they are saved as plain taggers, and the
package reads their scores without writing anything into the text (`scenarist.reading.parse`).
"""

from __future__ import annotations

import numpy as np
from spacy.language import Language
from spacy.pipeline.tagger import Tagger
from spacy.training import Example

ATTRIBUTE = {"tagger": "TAG", "etype": "ENT_TYPE", "realis": "LEMMA"}


class Head(Tagger):
    """A tagger whose truth is the attribute ATTRIBUTE[name]; an empty string is *unknown* and costs nothing."""

    def get_loss(self, examples: list[Example], scores: list[np.ndarray]) -> tuple[float, list[np.ndarray]]:
        index = {label: place for place, label in enumerate(self.labels)}
        loss, gradients = 0.0, []
        for example, score in zip(examples, scores, strict=True):
            truth = example.get_aligned(ATTRIBUTE[self.name], as_string=True)
            rows = np.array([index.get(label or "", -1) for label in truth], dtype=int)
            seen = rows >= 0
            gradient = np.zeros_like(score)  # [words, labels]
            gradient[seen] = score[seen]
            gradient[seen, rows[seen]] -= 1.0
            loss += float((gradient**2).sum())
            gradients.append(gradient)
        return loss, gradients

    def initialize(self, get_examples, *, nlp=None, labels=None):  # type: ignore[no-untyped-def]
        for label in labels:
            self.add_label(label)
        docs = [example.x for example, _ in zip(get_examples(), range(10), strict=False)]
        samples = [np.zeros((len(doc), len(self.labels)), dtype="float32") for doc in docs]
        self.model.initialize(X=docs, Y=samples)


@Language.factory("scenarist_head")
def make_head(nlp: Language, name: str, model) -> Head:  # type: ignore[no-untyped-def]
    return Head(nlp.vocab, model, name=name, label_smoothing=0.0)
