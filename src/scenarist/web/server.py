"""The pages as a process of this machine: `scenarist serve`."""

from __future__ import annotations

from collections.abc import Sequence

from scenarist.errors import missing_extra


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    results: str = "",
    scripts: str = "",
    studies: Sequence[str] = (),
    db: str = "lab.db",
) -> None:
    """Serve until interrupted; with ``studies`` the lab is mounted, and keeps its answers in ``db``."""
    try:
        import starlette  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra("starlette", "web", "scenarist serve") from error
    from scenarist.lab.server import listen
    from scenarist.lab.study import load_study
    from scenarist.web.app import WebPages, make_app

    plans = [load_study(name) for name in studies]
    lab = None
    if plans:
        from scenarist.lab.database.engine import open_database
        from scenarist.lab.web.app import make_app as make_lab

        lab = make_lab(open_database(db), plans)
    hosts = ["*"] if host in ("0.0.0.0", "::") else [host]
    listen(make_app(WebPages(results, scripts, plans), lab, hosts), host, port)
