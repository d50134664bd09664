"""skip-thoughts.safetensors -> the same with words that fiction lacks (Kiros et al. 2015, section 2.2: vocabulary expansion). A CPU, minutes.

python -m training.storycloze.expand out/storycloze          # needs fiction.npz.xz and skip-thoughts.safetensors there, and SCENARIST_DATA

Old fiction knows no laptop and no pizza. Word vectors are counted from fiction and stories together; a linear map from them to the
encoder's own vectors is fitted on the words both know, and gives every word of the training stories a vector the encoder can read.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from gensim.models import Word2Vec
from safetensors import safe_open
from safetensors.torch import save_file

from scenarist.corpora.rocstories import ROCStories
from scenarist.models.endings.base import words
from scenarist.models.endings.skip_thoughts import FIRST
from scenarist.story import sentence_texts
from training.storycloze.skip_thoughts import fiction

LEAST, SIZE, EPOCHS, SEED = 2, 200, 3, 1


def mapped(vectors: np.ndarray, own: np.ndarray, penalty: float = 1.0) -> np.ndarray:
    """The linear map (ridge regression, with a constant) from word vectors [N, d] to the encoder's [N, e]: [d + 1, e].

    >>> found = mapped(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]), 1e-9)
    >>> found.round(3).tolist()
    [[2.0], [1.0]]
    """
    given = np.concatenate([vectors, np.ones((len(vectors), 1))], 1)
    return np.linalg.solve(given.T @ given + penalty * np.eye(given.shape[1]), given.T @ own)


def main(folder: Path) -> None:
    """Write the file anew, with more words."""
    path = folder / "skip-thoughts.safetensors"
    with safe_open(path, framework="pt") as file:
        tensors, note = {key: file.get_tensor(key) for key in file.keys()}, dict(file.metadata() or {})  # noqa: SIM118
    if "expanded" in note:
        raise SystemExit(f"{path} has been expanded already.")
    works, vocabulary = fiction(folder)
    fictional = bytes(vocabulary).decode().split("\n")
    spelled = bytes(tensors["vocabulary"].tolist()).decode().split("\n")
    stories = [words(sentence) for story in ROCStories("train", cased=True) for sentence in sentence_texts(story)]
    read = [[fictional[word - FIRST] for word in sentence if word >= FIRST] for work in works for sentence in work]
    counted = Word2Vec(
        read + stories, vector_size=SIZE, window=5, min_count=LEAST, epochs=EPOCHS, workers=1, seed=SEED
    ).wv
    table = tensors["words"].float() * tensors["words.s"].float()[:, None]
    shared = [at for at, word in enumerate(spelled) if word in counted]
    known = set(spelled)
    new = [
        word
        for word, count in Counter(word for one in stories for word in one).most_common()
        if count >= LEAST and word not in known and word in counted
    ]
    fitted = mapped(np.stack([counted[spelled[at]] for at in shared]), table[[at + FIRST for at in shared]].numpy())
    found = np.concatenate([np.stack([counted[word] for word in new]), np.ones((len(new), 1))], 1) @ fitted
    more = torch.from_numpy(found.astype(np.float32))
    scale = more.abs().amax(1).clamp(min=1e-6) / 127
    tensors["words"] = torch.cat([tensors["words"], (more / scale[:, None]).round().to(torch.int8)])
    tensors["words.s"] = torch.cat([tensors["words.s"], scale])
    tensors["vocabulary"] = torch.from_numpy(np.frombuffer("\n".join([*spelled, *new]).encode(), dtype=np.uint8).copy())
    note["expanded"] = str(len(new))
    save_file(tensors, path, metadata=note)
    print(f"{path}: {len(spelled)} words and {len(new)} more, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/storycloze"))
