"""Adapters in one of their four older forms -> the one of `scenarist.networks.adapters`; numbers stay as they are.

    python -m training.convert_adapters release/*/*.safetensors release/detector/*.npz release/untold/deep-*.npz

Only names change, the data stay where they are, so that a repository stores next to nothing; for the same reason an npz file stays one and
gets a header among its arrays (what is trained from now on is safetensors). Files that hold no adapter, or have the new form already, are
left alone. Then write the checksums anew: `python -m training.publish storycloze`, and so on.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.networks import checkpoint
from scenarist.store.home import write_whole

STORY = re.compile(r"(?:(\d+)\.)?(?:(\d+\.(?:qkv|o|gu|down))\.([AB])(\.s)?|([a-z]+)(\.b)?)")
KIDSCOOK = re.compile(r"(?:body\.body|model\.model)\.layers\.(\d+)\.\w+\.(\w+)_proj\.(down|up)(\.scale)?")
SIDES = {"A": "down", "B": "up"}
NOT_ADAPTERS = ("dssm", "skip-thoughts")


def story_name(name: str) -> str:
    """A tensor of `training.storycloze` under its new name.

    >>> [story_name(name) for name in ("1.0.qkv.A", "0.qkv.B.s", "3.head", "bq.b")]
    ['1/0.qkv.down', '0.qkv.up.scale', '3/head', 'bq.bias']
    """
    found = STORY.fullmatch(name)
    assert found is not None, name
    group, low, side, scale, head, bias = found.groups()
    own = f"{low}.{SIDES[side]}" + (".scale" if scale else "") if low else head + (".bias" if bias else "")
    return f"{group}/{own}" if group else own


def kidscook_name(name: str) -> str:
    """A tensor of a pretrained word model under its new name.

    >>> [kidscook_name(name) for name in ("body.body.layers.0.mlp.up_proj.down", "model.model.layers.9.self_attn.q_proj.up.scale", "head.bias")]
    ['0.up.down', '9.q.up.scale', 'head.bias']
    """
    found = KIDSCOOK.fullmatch(name)
    return f"{found[1]}.{found[2]}.{found[3]}{found[4] or ''}" if found else name


def rename(path: Path) -> bool:
    """Give the tensors of a safetensors file their new names; the data are not touched."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header: dict[str, Any] = json.loads(data[8 : 8 + size])
    about: dict[str, str] = header.pop("__metadata__", {})
    if path.stem in NOT_ADAPTERS or ("what" not in about and not any(map(KIDSCOOK.fullmatch, header))):
        return False
    if "what" in about:
        settings = {"factor": float(about["scale"]), "rank": int(about["rank"]), "what": about["what"]}
        about = {"format": str(checkpoint.FORMAT), "kind": path.stem, "settings": json.dumps(settings, sort_keys=True)}
        for name, entry in header.items():
            if name.endswith(".B.s"):
                entry["shape"] = [1, *entry["shape"]]  # one scale a column
        names = {story_name(name): entry for name, entry in header.items()}
    else:
        names = {kidscook_name(name): entry for name, entry in header.items()}
    text = json.dumps({"__metadata__": about, **names}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    write_whole(path, [struct.pack("<Q", len(text)), text, data[8 + size :]])
    return True


def detector_name(name: str) -> str:
    """An array of `training.detector` under its new name.

    >>> [detector_name(name) for name in ("encoder/0-qkv-A/scale", "encoder/encoder-layer-5-output-dense-bias", "norm.bias")]
    ['0.qkv.down.scale', 'encoder.layer.5.output.dense.bias', 'norm.bias']
    """
    name = re.sub(r"^encoder/(\d+)-(\w+)-([AB])", lambda found: f"{found[1]}.{found[2]}.{SIDES[found[3]]}", name)
    return name.removeprefix("encoder/").replace("-", ".").replace("/scale", ".scale")


def rewrite(path: Path) -> bool:
    """Give the arrays of an npz file of the detector or of the gaps their new names, and a header."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    if "about" in arrays:
        settings = {**json.loads(str(arrays.pop("about"))), "factor": 2.0}
        kind, lists = "teller" if "sharp" in arrays else "document-network", {"labels": arrays.pop("labels").tolist()}
    elif "0.qkv.up" in arrays and "header" not in arrays:
        settings = {"factor": 1.0, **{name: int(arrays.pop(name)) for name in ("rank", "seed")}}
        kind, lists = "gap-network", {"words": arrays.pop("words").tolist()}
    else:
        return False
    header = {"format": str(checkpoint.FORMAT), "kind": kind, "settings": json.dumps(settings, sort_keys=True)}
    header |= {name: json.dumps(words) for name, words in lists.items()}
    names = {detector_name(name): value for name, value in arrays.items()}
    np.savez_compressed(path, header=np.array(json.dumps(header)), **names)
    return True


def main(paths: list[Path]) -> None:
    """Convert what is to be converted, and say so."""
    for path in paths:
        if (rename if path.suffix == ".safetensors" else rewrite)(path):
            print(path)


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
