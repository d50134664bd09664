"""`scenarist serve`: read stories, look at scripts and open stored results in a browser."""

from __future__ import annotations

import typer

from scenarist.cli.console import Quiet, examples

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist serve", "scenarist serve --study fill-gap --db lab.db --port 8080"))
def serve(
    host: str = typer.Option("127.0.0.1", help="Address to listen on; 0.0.0.0 for every one."),
    port: int = typer.Option(8000, min=0, max=65535, help="Port to listen on; 0: a free one."),
    results: str = typer.Option(
        "", help="A folder of tables as `bench TABLE --json` prints them; in a checkout its own."
    ),
    scripts: str = typer.Option("", help="Scripts of your own, known beside the library: a folder."),
    study: list[str] = typer.Option([], help="Mount the lab with this study (a name or a file); may be given again."),
    db: str = typer.Option("lab.db", help="Where the lab keeps answers: a file, or postgresql://USER@HOST/NAME."),
    quiet: Quiet = False,
) -> None:
    """Read stories, look at scripts and open stored results in a browser; nothing that is pasted is kept."""
    from scenarist.lab.web.ports import listening_port
    from scenarist.web.server import serve as serve_pages

    port = listening_port(host, port)
    if not quiet:
        print(f"Open http://{host}:{port}/ in a browser; Ctrl-C ends it.", flush=True)
        if host not in ("127.0.0.1", "localhost", "::1"):
            print("Everybody who reaches this address can have texts read on this machine.", flush=True)
    serve_pages(host, port, results, scripts, study, db)
