"""Trained files -> a folder of release/, with the sizes and checksums of all files there in the manifest that `scenarist get` reads.

python -m training.publish storycloze out/storycloze/stories.safetensors out/storycloze/folds-1.safetensors ...
python -m training.publish kidscook [FILE ...]        # e.g. out/word-head-1.safetensors, as training.kidscook.tune wrote it
"""

from __future__ import annotations

import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

from scenarist.store.home import home

RELEASES, MANIFEST = Path("release"), Path("src/scenarist/resources/releases.toml")
LARGEST = 16 * 2**20


def line(path: Path) -> str:
    """A file of the release as the manifest writes it."""
    data = path.read_bytes()
    if len(data) > LARGEST:
        raise SystemExit(f"{path}: {len(data)} bytes; a release file has at most {LARGEST}.")
    return f'  {{ name = "{path.name}", sha256 = "{sha256(data).hexdigest()}", size = {len(data)}, place = "{path.parent.name}/{path.name}" }},'


def main(release: str, files: list[Path]) -> None:
    """Copy the files, also over older copies that `scenarist get` put into the home folder, then write the lines of all files of the folder anew."""
    for path in files:
        shutil.copyfile(path, RELEASES / release / path.name)
        if (copy := home() / "weights" / release / path.name).is_file():
            shutil.copyfile(path, copy)
    text = MANIFEST.read_text(encoding="utf-8")
    lines = [line(path) for path in sorted((RELEASES / release).iterdir()) if path.suffix in (".safetensors", ".npz")]
    kept = re.sub(rf' *\{{[^}}]*place = "{release}/[^}}]*\}},\n', "", text)
    start = kept.index("files = [", kept.index(f'name = "{release}"')) + len("files = [\n")
    MANIFEST.write_text(kept[:start] + "\n".join(lines) + "\n" + kept[start:], encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1], [Path(name) for name in sys.argv[2:]])
