"""Blocks -> a trained spaCy pipeline: one shared convolution, and on it sentence ends, tags, types, realis and the tree."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vectors import Vectors
from thinc.api import Adam

from training.reader import heads
from training.reader.augment import augment
from training.reader.treebank import Block

assert heads  # registers the factory

RARE = 30
"""a subtype of a dependency label seen less often is written without it"""


def blank(vectors: Path | None, width: int, depth: int, hidden: int, extra: bool, rows: int) -> Language:
    """An untrained pipeline."""
    nlp = spacy.blank("en")
    if vectors is not None:
        load_vectors(nlp, vectors)
    attributes = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
    nlp.add_pipe("tok2vec", config={"model": {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {"@architectures": "spacy.MultiHashEmbed.v2", "width": width, "attrs": attributes,
                  "rows": [rows, rows // 5, rows // 2, rows // 2], "include_static_vectors": vectors is not None},
        "encode": {"@architectures": "spacy.MaxoutWindowEncoder.v2", "width": width, "depth": depth, "window_size": 1, "maxout_pieces": 3},
    }})  # fmt: skip
    listen = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "tok2vec"}
    nlp.add_pipe(
        "senter", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listen}, "overwrite": True}
    )
    for name in ("tagger", "etype", "realis"):
        nlp.add_pipe(
            "scenarist_head", name=name, config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listen}}
        )
    nlp.add_pipe("parser", config={"min_action_freq": RARE, "learn_tokens": False, "model": {
        "@architectures": "spacy.TransitionBasedParser.v2", "state_type": "parser", "extra_state_tokens": extra,
        "hidden_width": hidden, "maxout_pieces": 2, "use_upper": True, "tok2vec": listen,
    }})  # fmt: skip
    return nlp


def load_vectors(nlp: Language, path: Path) -> None:
    """The carried rows -> spaCy's vector table, looked up by lower-cased word."""
    with np.load(path) as arrays:
        words = str(arrays["words"]).split("\n")
        data = arrays["rows"].astype("float32") * arrays["scale"][:, None]  # [n, 100]
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=words, name="reader", attr="LOWER")


def common_labels(blocks: list[Block]) -> Counter[str]:
    return Counter(word.dep for block in blocks for sentence in block.sentences for word in sentence if word.dep)


def reference(nlp: Language, block: Block, labels: Counter[str]) -> Doc:
    """A Block -> a Doc that holds every truth we have; TAG is `UPOS/XPOS`, LEMMA carries realis (see heads)."""
    words = [word for sentence in block.sentences for word in sentence]
    starts, heads_, base = [], [], 0
    for sentence in block.sentences:
        starts += [True] + [False] * (len(sentence) - 1)
        heads_ += [base + word.head for word in sentence]
        base += len(sentence)
    known = all(word.head >= 0 for word in words)
    deps = [word.dep if labels[word.dep] >= RARE else word.dep.split(":")[0] for word in words]
    doc = Doc(
        nlp.vocab, words=[word.form for word in words], spaces=[word.space for word in words],
        tags=[f"{word.upos}/{word.xpos}" if word.upos else "" for word in words],
        heads=heads_ if known else None, deps=["ROOT" if dep == "root" else dep for dep in deps] if known else None,
        sent_starts=None if known else starts, lemmas=[word.realis for word in words],
    )  # fmt: skip
    for token, word in zip(doc, words, strict=True):
        token.ent_type_ = word.etype
    return doc


def example(nlp: Language, block: Block, labels: Counter[str], raw: bool, ends: bool) -> Example:
    """`raw`: tokens as our tokenizer cuts them, else as given; `ends`: the parser is told the sentence ends."""
    truth = reference(nlp, block, labels)
    doc = (
        nlp.make_doc(truth.text)
        if raw
        else Doc(nlp.vocab, words=[t.text for t in truth], spaces=[bool(t.whitespace_) for t in truth])
    )
    pair = Example(doc, truth)
    if ends:
        given = pair.get_aligned_sent_starts()
        for token, start in zip(doc, given, strict=True):
            if token.i and start is not None:
                token.is_sent_start = bool(start == 1)
    return pair


def labels_of(blocks: list[Block], read: Callable[..., str], least: int) -> list[str]:
    counts = Counter(read(word) for block in blocks for sentence in block.sentences for word in sentence)
    counts.pop("", None)
    return sorted(label for label, count in counts.items() if count >= least)


def train(
    nlp: Language, blocks: list[Block], dev: Callable[[Language], dict[str, float]], out: Path, *, seed: int, words: int,
    rate: float, dropout: float, batch: int, every: int, ends: bool, log: Path, weights: dict[str, float] | None = None,
) -> dict[str, float]:  # fmt: skip
    """Trains for `words` words and keeps the last weights (averaged), logging dev figures every `every` words."""
    fix_random_seed(seed)
    random = Random(seed)
    labels = common_labels(blocks)
    # every label must be in the sample that initialises the parser: all blocks with trees
    sample = [example(nlp, block, labels, raw=False, ends=False) for block in blocks]
    trees = [pair for pair in sample if pair.reference.has_annotation("DEP")]
    nlp.get_pipe("tok2vec").initialize(lambda: trees[:10], nlp=nlp)
    nlp.get_pipe("senter").initialize(lambda: trees[:10], nlp=nlp)
    nlp.get_pipe("tagger").initialize(
        lambda: trees[:10], nlp=nlp, labels=labels_of(blocks, lambda w: f"{w.upos}/{w.xpos}" if w.upos else "", 3)
    )
    nlp.get_pipe("etype").initialize(lambda: trees[:10], nlp=nlp, labels=labels_of(blocks, lambda w: w.etype, 10))
    nlp.get_pipe("realis").initialize(lambda: trees[:10], nlp=nlp, labels=["E", "O"])
    nlp.get_pipe("parser").initialize(lambda: trees, nlp=nlp)
    del sample, trees
    optimizer = Adam(rate, L2=0.01, L2_is_weight_decay=True, grad_clip=1.0, use_averages=True)
    seen, step, mark, begun = 0, 0, every, time.time()
    losses: dict[str, float] = {}
    for pairs in batches(nlp, blocks, labels, random, batch, ends):
        part = seen / words
        optimizer.learn_rate = rate * min(1.0, (step + 1) / 200) * max(0.02, 1.0 - part)
        nlp.update(pairs, sgd=optimizer, drop=dropout, losses=losses)
        seen += sum(len(pair.predicted) for pair in pairs)
        step += 1
        if seen >= mark or seen >= words:
            mark += every
            with nlp.select_pipes(enable=nlp.pipe_names), nlp.use_params(optimizer.averages):
                scores = dev(nlp)
                if seen >= words:
                    nlp.to_disk(out)
            row = {
                "words": seen,
                "minutes": round((time.time() - begun) / 60, 2),
                **{k: round(v, 4) for k, v in scores.items()},
                "losses": {k: int(v) for k, v in losses.items()},
            }
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
            losses = {}
        if seen >= words:
            return scores
    raise AssertionError("batches never end")


def batches(
    nlp: Language, blocks: list[Block], labels: Counter[str], random: Random, size: int, ends: bool
) -> Iterator[list[Example]]:
    """Endless shuffled batches of about `size` words."""
    while True:
        order = list(blocks)
        random.shuffle(order)
        pairs: list[Example] = []
        count = 0
        for block in order:
            changed = augment(block, random)
            # tokens as given keep every label; our own tokens are what the reader will see
            pairs.append(example(nlp, changed, labels, raw=random.random() < 0.5, ends=ends))
            count += len(pairs[-1].predicted)
            if count >= size:
                yield pairs
                pairs, count = [], 0
