"""Network <-> safetensors file: small weights (bytes with scales), and in the header what is needed to build the network again.

The one form of learned weights on torch: networks that were trained whole, and adapters (`adapters`). Never a pickle. The header holds the
format's version, the kind of network, its settings and lists of words (a vocabulary, labels), so that a checkpoint cannot be read with
another vocabulary than its own without notice. Matrices are bytes with one scale a row (or, where the scale is a matrix, as it says),
everything else is in half precision: that lets adapters lie in a repository, and the numbers that are reported are measured with the
weights as they come back from here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from scenarist.errors import BadInput, Missing
from scenarist.store import home as store

FORMAT = 1
OWN = ("format", "kind", "settings", "made")
"""What a header has beside lists of words."""
SCALE = ".scale"


class Checkpoint(NamedTuple):
    """What a file holds."""

    kind: str
    settings: dict[str, Any]
    lists: dict[str, tuple[str, ...]]
    state: dict[str, Any]
    """Tensors by name, single precision."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words it was trained with."""
        return self.lists["vocabulary"]

    @property
    def whitelist(self) -> tuple[str, ...]:
        """The words that may fill a blank."""
        return self.lists["whitelist"]


def read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """The header and the tensors of a safetensors file as they are; of an older npz file, whose header is one of its arrays."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise Missing(
            f"There is no file of weights at {path}. What can be put into place is listed by: scenarist get --list"
        )
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            tensors = {name: torch.from_numpy(arrays[name]) for name in arrays.files if name != "header"}
            return json.loads(str(arrays["header"])), tensors
    try:
        with safe_open(str(path), "pt") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise BadInput(
            f"{path}: not a whole safetensors file ({error}). Checkpoints are never pickles. "
            "Put a released one into place again with: scenarist get NAME --again"
        ) from error


def save(
    path: Path,
    kind: str,
    settings: Mapping[str, Any],
    lists: Mapping[str, Sequence[str]],
    small: Mapping[str, Tensor],
) -> None:
    """Write a checkpoint whole or not at all; ``small``: what `shrink` gives, or tensors that are to stay as they are."""
    from safetensors.torch import save_file

    header = {"format": str(FORMAT), "kind": kind, "settings": json.dumps(dict(settings), sort_keys=True)}
    header |= {name: json.dumps(list(words)) for name, words in lists.items()}
    with store.whole_file(path) as temporary:
        save_file({name: value.contiguous() for name, value in small.items()}, str(temporary), header)


def load(path: Path, kind: str) -> Checkpoint:
    """Read a checkpoint of a kind; anything that does not fit is named."""
    header, small = read(path)
    version = header.get("format")
    if version != str(FORMAT):
        raise BadInput(f"{path}: expected a checkpoint of format {FORMAT}, got {version!r}. Train or fetch it again.")
    if header.get("kind") != kind:
        raise BadInput(f"{path}: expected a checkpoint of the model {kind!r}, got one of {header.get('kind')!r}.")
    lists = {name: tuple(json.loads(words)) for name, words in header.items() if name not in OWN}
    return Checkpoint(kind, json.loads(header["settings"]), lists, grow(small))


def add_note(path: Path, note: Mapping[str, Any]) -> None:
    """Write into a checkpoint's header how it was made; its tensors stay as they are."""
    from safetensors.torch import save_file

    header, small = read(path)
    with store.whole_file(path) as temporary:
        save_file(small, str(temporary), {**header, "made": json.dumps(dict(note), sort_keys=True)})


def note(path: Path) -> dict[str, Any]:
    """How a checkpoint was made; nothing where it does not say, or where there is no checkpoint."""
    try:
        fields: dict[str, Any] = json.loads(read(path)[0].get("made", "{}"))
    except (BadInput, Missing):
        return {}
    return fields


find = partial(store.release_file, "kidscook")
"""A file of the release by its name."""


def shrink(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices to int8 with half-precision scales (``name.scale``), vectors and numbers to half precision.

    >>> small = shrink({"w": torch.tensor([[1.0, -2.0], [0.5, 0.25]])})
    >>> sorted(small), (grow(small)["w"] * 4).round().tolist()
    (['w', 'w.scale'], [[4.0, -8.0], [2.0, 1.0]])
    """
    small: dict[str, Tensor] = {}
    for name, weight in state.items():
        full = weight.detach().float().cpu()
        if full.ndim != 2 or full.shape[1] < 2:
            small[name] = full.half().contiguous() if full.ndim else full
            continue
        scale = (full.abs().amax(1, keepdim=True) / 127.0).clamp(min=1e-7).half().clamp(min=6e-8)
        small[name] = (full / scale.float()).round().clamp(-127, 127).to(torch.int8).contiguous()
        small[name + SCALE] = scale[:, 0].contiguous()
    return small


def grow(small: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights in single precision; a scale is a number a row, or a matrix that is spread as it says."""
    state: dict[str, Tensor] = {}
    for name, weight in small.items():
        if name.endswith(SCALE) and name[: -len(SCALE)] in small:
            continue
        state[name] = weight.float()
        if weight.dtype == torch.int8:
            scale = small[name + SCALE].float()
            state[name] *= scale if scale.ndim > 1 else scale[:, None]
    return state
