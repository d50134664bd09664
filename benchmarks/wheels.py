"""Wheels and sdists of all packages: built, checked, installed into empty environments, and README walked through outside the checkout.

    make test-wheels                                              # all of it: an hour of two cores
    python -m benchmarks.wheels --extras base,learn               # only some environments
    python -m benchmarks.wheels --pythons 3.12 --again            # nothing from an earlier run

`build`, `twine` and `check-wheel-contents` go into an environment of their own. Each Python found (3.11, 3.12, 3.13: on PATH, as `py -3.12`,
in pyenv's and uv's folders) gets an empty environment for the base, and for each extra alone one that begins as a copy of it; those not found are named. An environment
is removed when it is no longer needed. With the base all of README's commands are tried; with an extra those that the base did not do, those
that the extra is for, and some of the base again (``--whole``: all). Every command must be done, or end with exit code 3 and the line to type; a
traceback fails.

torch is taken from where a file without CUDA is to be had (pip's own folders, else PyTorch's index of such files); where there is none for a
Python, the extras that need it are named as not tried. ``--any-torch`` takes what the index gives (gigabytes of CUDA on Linux).

Outcomes go to out/wheels/outcomes.jsonl as they come: the same command goes on where it was interrupted, as long as the wheels are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.wheels_readme import ROOT, walk

PACKAGES = {ROOT: 40, ROOT / "packages" / "scenarist-weights": 100, ROOT / "packages" / "scenarist-weights-rows": 60}
"""Package -> the most megabytes of its wheel."""
CHECKOUT = 200
"""The most megabytes of a checkout without .git."""
PYTHONS = ("3.11", "3.12", "3.13")
LEFT_OUT = ("all", "docs", "dev", "mutants")
"""Extras of a checkout, and the sum of the others."""
NEEDS_TORCH = ("torch", "sentence-transformers")
"""What brings torch."""
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
TOOLS = ("build", "twine", "check-wheel-contents")
CONSTRAINTS = ROOT / "constraints.txt"


class Failed(Exception):
    """A command that should have been done: what it said."""


def run(command: list[str | Path], **settings: Any) -> str:
    """A command that must not fail; what it printed."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False,
        **{"env": {**os.environ, "NO_COLOR": "1"}, **settings},
    )  # fmt: skip
    if done.returncode:
        said = f"{done.stdout[-1500:]}{done.stderr[-1500:]}".strip()
        raise Failed(f"{shlex.join(str(part) for part in command[:6])} ...: {said}")
    return done.stdout


def say(text: str) -> None:
    """Progress, on standard error."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """What is being done now: a line that the next one replaces, in a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text[:100]}", end="", file=sys.stderr, flush=True)


# Pythons and environments


def interpreters(version: str) -> Iterator[list[str]]:
    """What may start this Python, likely ones first."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        yield [sys.executable]
    for name in (f"python{version}", f"python{version}.exe"):
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            if folder and (Path(folder) / name).is_file():
                yield [str(Path(folder) / name)]
    roots = [
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions",
        Path.home() / ".local/share/uv/python",
    ]
    for root in roots:
        for folder in sorted(root.glob(f"*{version}*"), reverse=True):
            yield [str(folder / "bin" / "python")]
    if launcher := shutil.which("py"):
        yield [launcher, f"-{version}"]


def find_python(version: str) -> list[str]:
    """A Python of this version that can make environments; empty where none is found."""
    check = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    for command in interpreters(version):
        try:
            done = subprocess.run([*command, "-c", check], capture_output=True, text=True, check=False, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.strip() == version:
            return command
    return []


def environment(python: list[str], folder: Path, base: Path | None = None) -> Path:
    """An empty environment, or a copy of one; its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if base is None or os.name == "nt":  # programs of Windows hold their paths
        run([*python, "-m", "venv", folder])
        return inside
    shutil.copytree(base, folder, symlinks=True)
    for script in inside.parent.iterdir():  # what starts a program names its Python by its path
        if script.is_file() and not script.is_symlink() and str(base).encode() in (text := script.read_bytes()):
            script.write_bytes(text.replace(str(base).encode(), str(folder).encode()))
    return inside


def megabytes(folder: Path) -> float:
    """What a folder takes on disk."""
    return round(sum(file.lstat().st_size for file in folder.rglob("*")) / 1e6, 1)


def torch_source(inside: Path, any_torch: bool) -> list[str] | None:
    """Options of pip that find a torch without CUDA for this Python; none where there is none."""
    pinned = next(line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if line.startswith("torch=="))
    ways = [["--no-index"], ["--index-url", CPU_INDEX, "--retries", "0", "--timeout", "20"]]
    for way in [*ways, *([[]] if any_torch else [])]:
        command = [
            inside,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            *way,
            pinned,
        ]
        if not subprocess.run(command, capture_output=True, check=False).returncode:
            return [*way, pinned]
    return None


# building


def source_digest() -> str:
    """What the checkout holds; empty where git cannot say."""
    try:
        return hashlib.sha256(
            (run(["git", "ls-files", "-s"], cwd=ROOT) + run(["git", "diff", "HEAD"], cwd=ROOT)).encode()
        ).hexdigest()
    except (Failed, OSError):
        return ""


def build(dist: Path, tools: Path) -> None:
    """Wheels and sdists of all packages in ``dist``; a wheel is made from the sdist, so that both are whole."""
    mark, digest = dist / "source.txt", source_digest()
    if digest and mark.is_file() and mark.read_text() == digest:
        say("wheels are there already, of the same source")
        return
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    for package in PACKAGES:
        say(f"building sdist and wheel of {package.name if package != ROOT else 'scenarist'}")
        run([tools, "-m", "build", "--outdir", dist, package])
    mark.write_text(digest)


def check(dist: Path, tools: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Sizes of what was built, held against the most they may have, and what is wrong."""
    wheels, archives = sorted(dist.glob("*.whl")), sorted(dist.glob("*.tar.gz"))
    problems = []
    for command in (["twine", "check", "--strict", *wheels, *archives], ["check_wheel_contents", *wheels]):
        try:
            say(f"{command[0]}: {' '.join(run([tools, '-m', *command], cwd=ROOT).split())}")
        except Failed as error:
            problems.append(str(error))
    sizes: list[dict[str, Any]] = []
    for package, most in PACKAGES.items():
        name = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"].replace(
            "-", "_"
        )
        for file in (*dist.glob(f"{name}-[0-9]*.whl"), *dist.glob(f"{name}-[0-9]*.tar.gz")):
            sizes.append({"file": file.name, "mb": round(file.stat().st_size / 1e6, 1)})
            if file.suffix == ".whl":
                sizes[-1]["most"] = most
    if (ROOT / ".git").exists():
        process = subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout is not None
        size = sum(len(block) for block in iter(lambda: process.stdout.read(1 << 20), b""))  # type: ignore[union-attr]
        process.wait()
        sizes.append({"file": "checkout without .git", "mb": round(size / 1e6, 1), "most": CHECKOUT})
    problems += [
        f"{size['file']}: {size['mb']} MB, at most {size['most']}"
        for size in sizes
        if size["mb"] > size.get("most", 1e9)
    ]
    return sizes, problems


# the environments


def needs_torch(requirements: list[str]) -> bool:
    """Does an extra bring torch?"""
    return any(requirement.startswith(NEEDS_TORCH) for requirement in requirements)


class Trial(NamedTuple):
    """What is installed where: one environment."""

    python: list[str]
    extra: str
    dist: Path
    place: Path
    torch: list[str] | None = None
    """Options of pip that find torch, where the extra needs it."""
    base: Path | None = None
    """The environment of the base for the same Python, of which this one begins as a copy."""
    left: list[str] | None = None
    """The commands that the base did not do; None: all are tried."""


def try_extra(trial: Trial, tell: Callable[[str], None]) -> dict[str, Any]:
    """An environment with this extra alone: its size, and what README's commands came to."""
    folder, work = trial.place / "environment", trial.place / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    start = time.monotonic()
    try:
        inside = environment(trial.python, folder, trial.base)
        pip = [inside, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS]
        if trial.torch is not None:
            tell(f"{trial.extra}: torch")
            run([*pip, "--no-deps", *trial.torch], cwd=trial.place)
        tell(f"{trial.extra}: installing")
        wanted = "scenarist" if trial.extra == "base" else f"scenarist[{trial.extra}]"
        run([*pip, "--find-links", trial.dist, wanted], cwd=trial.place)
        run([inside, "-m", "pip", "check"], cwd=trial.place)
        settings = {**os.environ, "PYTHONPATH": ""}
        where = run([inside, "-c", "import scenarist; print(scenarist.__file__)"], cwd=work, env=settings)
        if not Path(where.strip()).is_relative_to(folder):
            raise Failed(f"scenarist was imported from {where.strip()}, not from the environment")
        installed = time.monotonic()
        size = megabytes(folder)
        walked = walk(inside, trial.extra, work, tell, trial.left)
        return {
            "mb": size, "done": walked.done, "missing": walked.missing, "failed": walked.failed,
            "seconds": [round(installed - start), round(time.monotonic() - installed)],
        }  # fmt: skip
    except Failed as error:
        return {"failed": [str(error)[-1500:].replace(str(trial.place), "PLACE").replace(str(ROOT), "CHECKOUT")]}
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if trial.extra != "base":
            shutil.rmtree(trial.place, ignore_errors=True)
        tell("")


def digest_of(files: list[Path]) -> str:
    """A checksum over files."""
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()[:16]


def report(outcome: dict[str, Any]) -> str:
    """An outcome in a line."""
    head = f"Python {outcome['python']:<5} {outcome.get('extra', ''):<8}"
    if "not_tried" in outcome:
        return f"{head} not tried: {outcome['not_tried']}"
    if "mb" not in outcome:
        return f"{head} FAILED: {outcome['failed'][0]}"
    failed = f", {len(outcome['failed'])} FAILED: {'; '.join(outcome['failed'])}" if outcome["failed"] else ""
    took = "{} s to install, {} s of commands".format(*outcome["seconds"])
    return (
        f"{head} {outcome['mb']:>7.1f} MB  {len(outcome['done'])} commands done, {len(outcome['missing'])} end with code 3 and "
        f"the line to type{failed} ({took})"
    )


def main() -> int:
    """Build, check, install, walk."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    extras = ["base", *(name for name in known if name not in LEFT_OUT)]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extras", default=",".join(extras), help="environments, joined by commas: base, or an extra")
    parser.add_argument("--pythons", default=",".join(PYTHONS), help="versions of Python, joined by commas")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "wheels", help="where wheels and outcomes are kept")
    parser.add_argument(
        "--whole", action="store_true", help="try every command with every extra, also those that the base did"
    )
    parser.add_argument("--jobs", type=int, default=1, help="environments at a time")
    parser.add_argument("--again", action="store_true", help="build and try all of it anew")
    parser.add_argument(
        "--any-torch", action="store_true", help="take the index's torch where there is none without CUDA"
    )
    options = parser.parse_args()
    work: Path = options.work.resolve()
    if options.again:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    if other := other_run(work / "running.txt"):
        print(
            f"Another run is at it (process {other}); see {work}, or name another folder: --work FOLDER",
            file=sys.stderr,
        )
        return 1
    # outside the checkout; of its path, so that what a killed run left is found and removed
    place = Path(tempfile.gettempdir()) / f"scenarist-wheels-{hashlib.sha256(str(work).encode()).hexdigest()[:8]}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        return try_all(options, work, place)
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        return 130
    finally:
        (work / "running.txt").unlink(missing_ok=True)
        shutil.rmtree(place, ignore_errors=True)


def other_run(mark: Path) -> int:
    """The process that works in this folder already; 0, and this one is marked, where there is none."""
    if mark.is_file() and os.name != "nt":
        try:
            os.kill(int(mark.read_text()), 0)
            return int(mark.read_text())
        except (OSError, ValueError):
            pass  # it ended without removing its mark
    mark.write_text(str(os.getpid()))
    return 0


def try_all(options: argparse.Namespace, work: Path, place: Path) -> int:
    """Build, check, and every environment that was not tried yet."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    say("an environment for build, twine and check-wheel-contents")
    tools = environment([sys.executable], place / "tools")
    run([tools, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, *TOOLS])
    dist = work / "dist"
    build(dist, tools)
    sizes, problems = check(dist, tools)
    for size in sizes:
        print(
            f"{size['mb']:>7.1f} MB  {size['file']}" + (f" (at most {size['most']})" if "most" in size else ""),
            flush=True,
        )
    shutil.rmtree(place / "tools")
    digest, log = digest_of(sorted(dist.glob("*.whl"))), work / "outcomes.jsonl"
    earlier = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.is_file() else []
    before = {
        (line["python"], line["extra"]): line
        for line in earlier
        if line.get("wheels") == digest and not line.get("failed")
    }
    extras = options.extras.split(",")
    found = {version: find_python(version) for version in options.pythons.split(",")}
    torch: dict[str, list[str] | None] = {}
    if any(extra != "base" and needs_torch(known[extra]) for extra in extras):
        for version, python in found.items():
            if python:
                torch[version] = torch_source(environment(python, place / "probe"), options.any_torch)
        shutil.rmtree(place / "probe", ignore_errors=True)
    lock, finished = threading.Lock(), 0
    bases: dict[str, Path] = {}
    say_now = tell if options.jobs == 1 else (lambda _: None)

    def outcome_of(version: str, extra: str) -> dict[str, Any]:
        """What one environment came to: now, earlier, or why it is not tried."""
        key = {"python": version, "extra": extra}
        heavy = extra != "base" and needs_torch(known[extra])
        if not found[version]:
            return {**key, "not_tried": f"no Python {version} that can make environments was found"}
        if (version, extra) in before:
            return before[version, extra]
        if heavy and torch[version] is None:
            why = f"no file of torch without CUDA for Python {version}: not in pip's folders, not at {CPU_INDEX}"
            return {**key, "not_tried": why}
        missing = before.get((version, "base"), {}).get("missing")
        left = (
            None if extra == "base" or options.whole or missing is None else [line.split(": ")[0] for line in missing]
        )
        source = torch[version] if heavy else None
        trial = Trial(found[version], extra, dist, place / f"{version}-{extra}", source, bases.get(version), left)
        outcome = {**key, "wheels": digest, **try_extra(trial, say_now)}
        with lock, log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome) + "\n")
        return outcome

    def try_pair(pair: tuple[str, str]) -> dict[str, Any]:
        nonlocal finished
        outcome = outcome_of(*pair)
        with lock:
            finished += 1
            print(f"[{finished}/{number}] {report(outcome)}", flush=True)
        return outcome

    number = len(extras) * len(found)
    outcomes: list[dict[str, Any]] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for step in (
            ("base",),
            tuple(extra for extra in extras if extra != "base"),
        ):  # extras begin as copies of the base
            outcomes += pool.map(try_pair, [(version, extra) for extra in step if extra in extras for version in found])
            for outcome in outcomes:
                folder = place / f"{outcome['python']}-base" / "environment"
                if outcome["extra"] == "base" and "mb" in outcome:
                    before[outcome["python"], "base"] = outcome
                    if folder.is_dir():
                        bases[outcome["python"]] = folder
    for outcome in outcomes:
        problems += [f"{outcome['python']} {outcome['extra']}: {failure}" for failure in outcome.get("failed", ())]
    summary = work / "wheels.jsonl"
    lines = [*sizes, *({name: value for name, value in outcome.items() if name != "wheels"} for outcome in outcomes)]
    summary.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    print(f"All of it, a line an environment: {summary.relative_to(ROOT) if summary.is_relative_to(ROOT) else summary}")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} problems" if problems else "Every command was done, or named what to type.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
