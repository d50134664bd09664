"""Checkpoints -> release/kidscook, with the sizes and checksums of all files there in the manifest that `scenarist get` reads.

    python -m training.kidscook.publish [FILE ...]        # e.g. out/word-head-1.safetensors, as training.kidscook.tune wrote it
"""

from __future__ import annotations

import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

RELEASE, MANIFEST = Path("release/kidscook"), Path("src/scenarist/resources/releases.toml")
LARGEST = 16 * 2**20


def line(path: Path) -> str:
    """A file of the release as the manifest writes it."""
    data = path.read_bytes()
    if len(data) > LARGEST:
        raise SystemExit(f"{path}: {len(data)} bytes; a release file has at most {LARGEST}.")
    return f'  {{ name = "{path.name}", sha256 = "{sha256(data).hexdigest()}", size = {len(data)}, place = "kidscook/{path.name}" }},'


def main(files: list[Path]) -> None:
    """Copy the files, then write the lines of all files of the folder anew."""
    for path in files:
        shutil.copyfile(path, RELEASE / path.name)
    text = MANIFEST.read_text(encoding="utf-8")
    lines = [line(path) for path in sorted(RELEASE.glob("*.safetensors"))]
    kept = re.sub(r' *\{[^}]*place = "kidscook/[^}]*\},\n', "", text)
    start = kept.index("files = [", kept.index('name = "kidscook"')) + len("files = [\n")
    MANIFEST.write_text(kept[:start] + "\n".join(lines) + "\n" + kept[start:], encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
