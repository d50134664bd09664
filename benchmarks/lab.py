"""The lab under load and under kills: simulated people on a real server (issue 20).

    python benchmarks/lab.py people --db sqlite          300 people at once, each thinking 2 to 10 s a page: goal 95 % of requests within 300 ms
    python benchmarks/lab.py people --db postgresql
    python benchmarks/lab.py rate --db sqlite            more and more people: at how many requests a second it passes 300 ms
    python benchmarks/lab.py kills --db sqlite           the server killed (SIGKILL) at 20 random moments
    python benchmarks/lab.py browsers --db sqlite        20 browsers closed at random moments
    python benchmarks/lab.py commits                     how many commits a second this disk gives with synchronous=FULL
    python benchmarks/lab.py handler                     milliseconds of processor time a page, without network

PostgreSQL is started for the run where it is installed (`/usr/lib/postgresql`), or taken from --url. Figures are printed as JSON. The
simulated people run in the same machine and take their share of it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from scenarist.lab.simulate import Habits, simulate_study

GOAL_MS = 300.0
STUDY = "fill-gap"
PEOPLE_IN_TURN = 10


@contextmanager
def database(kind: str, url: str) -> Iterator[str]:
    """A fresh database of a kind."""
    with tempfile.TemporaryDirectory(prefix="lab-bench-", ignore_cleanup_errors=True) as folder:
        if url or kind == "sqlite":
            yield url or str(Path(folder) / "lab.db")
            return
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        if not programs:
            raise SystemExit("PostgreSQL is not installed; give --url postgresql://USER@HOST/NAME")
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if user:
            shutil.chown(folder, "postgres")
        subprocess.run(
            [*user, programs[0] / "initdb", "-D", f"{folder}/data", "-U", "lab", "-A", "trust"],
            check=True,
            capture_output=True,
        )
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen(
            [*user, programs[0] / "postgres", "-D", f"{folder}/data", "-p", str(port), "-h", "127.0.0.1", "-k", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(3)
        try:
            yield f"postgresql://lab@127.0.0.1:{port}/postgres"
        finally:
            server.terminate()
            server.wait(20)


def simulated(url: str, people: int, think: tuple[float, float], kill: int = 0, closings: int = 0) -> dict[str, object]:
    """One run as a dictionary."""
    run = simulate_study(STUDY, people, url, kill, habits=Habits(think, closings=closings))
    values = msgspec.structs.asdict(run)
    return values | {
        "requests_per_s": round(run.requests / run.seconds, 1),
        "goal_ms": GOAL_MS,
        "reached": run.p95_ms <= GOAL_MS and run.whole,
    }


def rate(kind: str, url: str) -> list[dict[str, object]]:
    """More and more requests a second until the 95th percentile passes the goal."""
    rows: list[dict[str, object]] = []
    for people in (100, 200, 300, 450, 600, 800, 1000):
        with database(kind, url) as fresh:
            row = simulated(fresh, people, (1.0, 3.0))
        rows.append(row)
        print(json.dumps(row), flush=True)
        if float(str(row["p95_ms"])) > GOAL_MS:
            break
    return rows


def commits() -> dict[str, float]:
    """Commits a second, one row each."""
    from sqlalchemy import insert

    from scenarist.lab.database.engine import open_database
    from scenarist.lab.database.tables import events

    with database("sqlite", "") as path:
        opened = open_database(path)
        begun, count = time.perf_counter(), 0
        while time.perf_counter() - begun < 5:
            with opened.write() as connection:
                connection.execute(insert(events).values(study="bench", what="commit", note="", kept=0.0))
            count += 1
        opened.close()
    return {"commits_per_s": round(count / 5, 1)}


def handler() -> dict[str, float]:
    """Processor time of the server for a page and its answer, one person after another."""
    import asyncio

    from scenarist.lab.browser import SimulatedBrowser
    from scenarist.lab.forms import parse_page
    from scenarist.lab.server import ServerProcess

    def used(process: subprocess.Popen[bytes]) -> float:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    with database("sqlite", "") as path:
        server = ServerProcess(STUDY, path)
        server.start()
        assert server.process is not None

        async def take_part(name: str) -> int:
            browser, count = SimulatedBrowser(server.port), 0
            reply = await browser.get(f"/study/{STUDY}/?person={name}")
            form = parse_page(reply.text).forms[0]
            moved = await browser.post(form.action, form.hidden() | {"choice": ["agree"]})
            for _ in range(50):
                page = parse_page((await browser.get(moved.location)).text)
                count += 1
                if page.kind == "end":
                    break
                if page.kind == "feedback":
                    page = parse_page((await browser.get(page.link("next") or "")).text)
                form = page.forms[0]
                answer = {"choose": ["1"], "fill-gap": ["She ate an apple at home."]}.get(page.kind, ["yes"])
                moved = await browser.post(form.action, form.hidden() | {"answer": answer})
            return count

        async def ask() -> dict[str, float]:
            await take_part("warm")
            before, pages = used(server.process), 0
            for number in range(PEOPLE_IN_TURN):
                pages += await take_part(str(number))
            return {"pages": pages, "ms_a_page": round((used(server.process) - before) / pages * 1000, 2)}

        figures = asyncio.run(ask())
        server.stop()
    return figures


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["people", "rate", "kills", "browsers", "commits", "handler"])
    parser.add_argument("--db", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--url", default="", help="a database that is there already")
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--think", default="2,10")
    given = parser.parse_args()
    low, high = (float(part) for part in given.think.split(","))
    if given.what == "commits":
        print(json.dumps(commits()))
        return
    if given.what == "handler":
        print(json.dumps(handler()))
        return
    if given.what == "rate":
        rate(given.db, given.url)
        return
    kill = 20 if given.what == "kills" else 0
    closings = 20 if given.what == "browsers" else 0
    with database(given.db, given.url) as fresh:
        print(
            json.dumps(
                {"what": given.what, "db": given.db} | simulated(fresh, given.people, (low, high), kill, closings)
            )
        )


if __name__ == "__main__":
    main()
