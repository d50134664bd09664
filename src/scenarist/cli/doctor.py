"""`scenarist doctor`: what is installed, found and missing here."""

from __future__ import annotations

import typer

app = typer.Typer()

EXTRAS = {
    "learn": ("duckdb", "ibis"), "cluster": ("pyspark",), "neural": ("torch", "safetensors"), "lm": ("torch", "transformers", "tokenizers"),
}  # fmt: skip


def findings() -> list[dict[str, str]]:
    """What there is: (part, state, detail, next)."""
    import importlib.util
    import platform
    import shutil

    from scenarist import __version__
    from scenarist.corpora import manifest
    from scenarist.corpora.search_path import locate
    from scenarist.store import home as store

    found = [
        {
            "part": "scenarist",
            "state": "ok",
            "detail": f"{__version__} on Python {platform.python_version()}",
            "next": "",
        },
        {"part": "home", "state": "ok" if store.home().exists() else "empty", "detail": str(store.home()), "next": ""},
    ]
    for name in ("reader", "detector"):
        try:
            store.resource(name)
            found.append({"part": f"embedded {name}", "state": "ok", "detail": "carried in the package", "next": ""})
        except LookupError as error:
            found.append({"part": f"embedded {name}", "state": "missing", "detail": "", "next": str(error)})
    for extra, packages in EXTRAS.items():
        gone = [package for package in packages if importlib.util.find_spec(package) is None]
        found.append({
            "part": f"extra [{extra}]", "state": "missing" if gone else "ok", "detail": ", ".join(gone or packages),
            "next": f"pip install 'scenarist[{extra}]'" if gone else "",
        })  # fmt: skip
    for tool, purpose in (("java", "Spark"), ("chromium", "browser tests")):
        path = shutil.which(tool)
        found.append({"part": tool, "state": "ok" if path else "missing", "detail": purpose, "next": ""})
    here = [entry.name for entry in manifest.entries() if any(locate(entry.name, file.name) for file in entry.files)]
    found.append({
        "part": "corpora", "state": "ok" if here else "none", "detail": ", ".join(here),
        "next": "" if here else "set SCENARIST_DATA to the folder that holds them (see: scenarist corpus list)",
    })  # fmt: skip
    return found


@app.command()
def doctor(
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Say what is installed, found and missing here, and what to type next."""
    from rich.table import Table

    from scenarist.cli.console import console, json_out

    found = findings()
    if as_json:
        json_out(found)
        return
    table = Table()
    for head in ("part", "state", "detail", "next"):
        table.add_column(head, overflow="fold")
    for one in found:
        table.add_row(*(one[head].replace("[", "\\[") for head in ("part", "state", "detail", "next")))
    console().print(table)
