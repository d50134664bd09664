"""Network <-> safetensors file: small weights (bytes with scales), and in the header what is needed to build the network again.

Never a pickle. The header holds the format's version, the kind of network, its settings, the vocabulary and the
admissible words, so that a checkpoint cannot be read with another vocabulary than its own without notice.

Weights <-> small weights: matrices as bytes with one scale a row, everything else in half precision.

A byte a weight is what lets adapters and networks lie in a repository; the numbers that are reported are measured with
the weights as they come back from here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from scenarist.errors import BadInput, Missing
from scenarist.store import home as store

FORMAT = 1


class Checkpoint(NamedTuple):
    """What a file holds."""

    kind: str
    settings: dict[str, Any]
    vocabulary: tuple[str, ...]
    whitelist: tuple[str, ...]
    state: dict[str, Any]
    """Tensors by name, single precision."""


def save(
    path: Path,
    kind: str,
    settings: Mapping[str, Any],
    vocabulary: tuple[str, ...],
    whitelist: tuple[str, ...],
    state: Mapping[str, Any],
) -> None:
    """Write a checkpoint whole or not at all."""
    from safetensors.torch import save_file

    pass

    header = {
        "format": str(FORMAT), "kind": kind, "settings": json.dumps(dict(settings), sort_keys=True),
        "vocabulary": json.dumps(vocabulary), "whitelist": json.dumps(whitelist),
    }  # fmt: skip
    with store.whole_file(path) as temporary:
        save_file(shrink(state), str(temporary), header)


def load(path: Path, kind: str) -> Checkpoint:
    """Read a checkpoint of a kind; anything that does not fit is named."""
    from safetensors import SafetensorError, safe_open

    pass

    if not path.is_file():
        raise Missing(
            f"There is no checkpoint at {path}. Put the released ones into place with: scenarist get kidscook"
        )
    try:
        with safe_open(str(path), "pt") as file:
            header = file.metadata() or {}
            state = grow({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except SafetensorError as error:
        raise BadInput(f"{path}: not a safetensors file ({error}). Checkpoints are never pickles.") from error
    version = header.get("format")
    if version != str(FORMAT):
        raise BadInput(f"{path}: expected a checkpoint of format {FORMAT}, got {version!r}. Train or fetch it again.")
    if header.get("kind") != kind:
        raise BadInput(f"{path}: expected a checkpoint of the model {kind!r}, got one of {header.get('kind')!r}.")
    return Checkpoint(
        kind,
        json.loads(header["settings"]),
        tuple(json.loads(header["vocabulary"])),
        tuple(json.loads(header["whitelist"])),
        state,
    )


def add_note(path: Path, note: Mapping[str, Any]) -> None:
    """Write into a checkpoint's header how it was made; its tensors stay as they are."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(str(path), "pt") as file:
        header = file.metadata() or {}
        state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    with store.whole_file(path) as temporary:
        save_file(state, str(temporary), {**header, "made": json.dumps(dict(note), sort_keys=True)})


def note(path: Path) -> dict[str, Any]:
    """How a checkpoint was made; nothing where it does not say, or where there is no checkpoint."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return {}
    try:
        with safe_open(str(path), "pt") as file:
            made: dict[str, Any] = json.loads((file.metadata() or {}).get("made", "{}"))
    except SafetensorError:
        return {}
    return made


find = partial(store.release_file, "kidscook")
"""A file of the release by its name."""


SCALE = ".scale"


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
    """The weights in single precision."""
    state: dict[str, Tensor] = {}
    for name, weight in small.items():
        if name.endswith(SCALE) and name[: -len(SCALE)] in small:
            continue
        if weight.dtype == torch.int8:
            state[name] = weight.float() * small[name + SCALE].float()[:, None]
        else:
            state[name] = weight.float()
    return state
