"""The installation -> Findings: what is installed, found and missing here, and what to type next."""

from __future__ import annotations

import importlib.util
import platform
import shutil

from scenarist import __version__
from scenarist.answers import Finding

EXTRAS = {
    "learn": ("duckdb", "ibis"), "cluster": ("pyspark",), "neural": ("torch", "safetensors"), "lm": ("torch", "transformers", "tokenizers"),
}  # fmt: skip


def doctor() -> tuple[Finding, ...]:
    """What is installed, found and missing here.

    >>> doctor()[0].part
    'scenarist'
    """
    from scenarist.corpora import manifest
    from scenarist.corpora.search_path import locate
    from scenarist.store.home import home, resource

    findings = [
        Finding("scenarist", "ok", f"{__version__} on Python {platform.python_version()}"),
        Finding("home", "ok" if home().exists() else "empty", str(home())),
    ]
    for name in ("reader", "detector"):
        try:
            resource(name)
            findings.append(Finding(f"embedded {name}", "ok", "carried in the package"))
        except LookupError as error:
            findings.append(Finding(f"embedded {name}", "missing", "", str(error)))
    for extra, packages in EXTRAS.items():
        gone = [package for package in packages if importlib.util.find_spec(package) is None]
        install = f"pip install 'scenarist[{extra}]'" if gone else ""
        findings.append(Finding(f"extra [{extra}]", "missing" if gone else "ok", ", ".join(gone or packages), install))
    for tool, purpose in (("java", "Spark"), ("chromium", "browser tests")):
        findings.append(Finding(tool, "ok" if shutil.which(tool) else "missing", purpose))
    here = [entry.name for entry in manifest.entries() if any(locate(entry.name, file.name) for file in entry.files)]
    where = "" if here else "set SCENARIST_DATA to the folder that holds them (see: scenarist corpus list)"
    findings.append(Finding("corpora", "ok" if here else "none", ", ".join(here), where))
    return tuple(findings)
