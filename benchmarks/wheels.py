"""Wheels and sdists of all packages: built, checked, installed into empty environments, and README walked through outside the checkout.

    make test-wheels                                          # all of it: an hour, most of it downloads of torch
    python benchmarks/wheels.py --extras base,learn           # only some environments
    python benchmarks/wheels.py --extras base --dist FOLDER   # with wheels that were built before

Needs `build`, `twine` and `check-wheel-contents`, which it installs into an environment of its own. Each Python found (3.11, 3.12, 3.13)
gets an empty environment for the base and one for each extra alone; those not found are named. Every command that README shows must end
with exit code 0, or with 3 and the line to type; a traceback fails. Prints a JSON line an environment (its size in MB, the commands), and
ends with code 1 where something failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {ROOT: 40, ROOT / "packages" / "scenarist-weights": 100, ROOT / "packages" / "scenarist-weights-rows": 60}
"""Package -> the most megabytes of its wheel."""
PYTHONS = ("3.11", "3.12", "3.13")
TO_TYPE = ("pip install", "scenarist get", "scenarist corpus", "SCENARIST_DATA")
"""What a message with exit code 3 names, one of them."""
STORY = (
    "I mixed flour, sugar and eggs in a bowl. I poured the batter into a pan. I put it into the oven for an hour. "
    "When the cake was done, I let it cool. My grandmother was happy."
)
ENTRY = r"`(scenarist [^`]+)`"


def run(command: list[str | Path], **settings: object) -> subprocess.CompletedProcess[str]:
    """A command that must not fail."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **settings)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done  # type: ignore[no-any-return]


def environment(python: str, folder: Path) -> Path:
    """An empty environment; its Python."""
    run([python, "-m", "venv", folder])
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def build(dist: Path, tools: Path) -> list[str]:
    """Wheels and sdists in ``dist``, checked; what is wrong with them."""
    dist.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        run([tools, "-m", "build", "--outdir", dist, package])
    wheels, archives = sorted(dist.glob("*.whl")), sorted(dist.glob("*.tar.gz"))
    run([tools, "-m", "twine", "check", "--strict", *wheels, *archives])
    run([tools, "-m", "check_wheel_contents", *wheels], cwd=ROOT)
    problems = []
    for package, most in PACKAGES.items():
        name = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
        (wheel,) = dist.glob(f"{name.replace('-', '_')}-[0-9]*.whl")
        size = wheel.stat().st_size / 1e6
        print(json.dumps({"wheel": wheel.name, "mb": round(size, 1), "most": most}), flush=True)
        if size > most:
            problems.append(f"{wheel.name}: {size:.1f} MB, expected {most} at most")
    return problems


def readme_commands() -> list[str]:
    """The commands that README shows: those of its table, and the lines of its consoles."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [entry for line in text.splitlines() if line.startswith("|") for entry in re.findall(ENTRY, line)]
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        lines = block.replace("\\\n", " ").splitlines()
        commands += [
            part.strip() for line in lines if line.startswith("$ ") for part in line[2:].split("#")[0].split("&&")
        ]
    commands += ["scenarist bench --explain SIGNATURE", "scenarist bench --list", "scenarist corpus list"]
    return list(dict.fromkeys(command for command in commands if command.startswith("scenarist ")))


def filled(command: str) -> list[str]:
    """A command of README with something real for its placeholders."""
    places = {
        "CORPUS": "toy",
        "TABLE": "toy",
        "DIR": "learned",
        "FILE": "shuffled.txt",
        "SIGNATURE": "mrr|exam:eventcloze|seed:13|v:0.1",
    }
    words = [places.get(word, word) for word in shlex.split(command)]
    return [word.replace("examples/a-cake-for-grandma.txt", "story.txt") for word in words]


def prepare(folder: Path, scenarist: Path, settings: dict[str, str]) -> None:
    """The files that README speaks of: a story, shuffled sentences, an exam and two files of answers."""
    (folder / "story.txt").write_text(STORY, encoding="utf-8")
    sentences = [f"{sentence.strip('. ')}." for sentence in STORY.split(". ")]
    (folder / "shuffled.txt").write_text("\n".join(reversed(sentences)), encoding="utf-8")
    run([scenarist, "exam", "storycloze", "toy", "-o", "d"], cwd=folder, env=settings)
    keys = [json.loads(line) for line in (folder / "d" / "keys.jsonl").read_text(encoding="utf-8").splitlines()]
    for name, answer in (("mine", None), ("theirs", "0")):
        lines = [{"item": key["id"], "guesses": [{"answer": answer or key["key"]}], "by": name} for key in keys]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def walk(scenarist: Path, folder: Path) -> dict[str, object]:
    """README's commands in an empty folder: how many were done, how many named what is missing, and what failed."""
    settings = {
        **os.environ, "SCENARIST_HOME": str(folder / "home"), "SCENARIST_DATA": "",
        "PATH": f"{scenarist.parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    settings.pop("PYTHONPATH", None)
    prepare(folder, scenarist, settings)
    outcome: dict[str, list[str]] = {"done": [], "missing": [], "failed": []}
    for command in readme_commands():
        if command.startswith("scenarist get") and "--no-downloads" in sys.argv:
            continue
        done = subprocess.run(filled(command), capture_output=True, text=True, check=False, cwd=folder, env=settings)
        said = " ".join(done.stderr.split())
        if done.returncode == 0 and "Traceback" not in done.stderr:
            outcome["done"].append(command)
        elif done.returncode == 3 and "Traceback" not in done.stderr and any(line in said for line in TO_TYPE):
            outcome["missing"].append(f"{command}: {said[-200:]}")
        else:
            outcome["failed"].append(f"{command}: code {done.returncode}: {said[-400:]}")
    return {"done": len(outcome["done"]), "missing": outcome["missing"], "failed": outcome["failed"]}


def megabytes(folder: Path) -> float:
    """What a folder takes on disk."""
    return round(sum(file.lstat().st_size for file in folder.rglob("*")) / 1e6, 1)


def main() -> int:
    """Build, check, install, walk."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    extras = ["base", *(name for name in known if name not in ("all", "docs", "dev"))]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extras", default=",".join(extras), help="Environments, joined by commas: base, or an extra.")
    parser.add_argument("--dist", type=Path, help="A folder with wheels that were built before.")
    parser.add_argument("--no-downloads", action="store_true", help="Leave out `scenarist get`.")
    options = parser.parse_args()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        dist = options.dist or place / "dist"
        if not options.dist:
            tools = environment(sys.executable, place / "tools")
            run(
                [
                    tools,
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--constraint",
                    ROOT / "constraints.txt",
                    "build",
                    "twine",
                    "check-wheel-contents",
                ]
            )
            problems += build(dist, tools)
        pythons = {version: shutil.which(f"python{version}") for version in PYTHONS}
        for version, python in pythons.items():
            if python is None:
                print(json.dumps({"python": version, "found": False}), flush=True)
                continue
            for extra in options.extras.split(","):
                folder = place / f"{version}-{extra}"
                inside = environment(python, folder)
                wanted = "scenarist" if extra == "base" else f"scenarist[{extra}]"
                install = [
                    inside,
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--constraint",
                    ROOT / "constraints.txt",
                    "--find-links",
                    dist,
                ]
                run([*install, wanted], cwd=place)
                (work := place / "work").mkdir()
                walked = walk(inside.parent / "scenarist", work)
                print(json.dumps({"python": version, "extra": extra, "mb": megabytes(folder), **walked}), flush=True)
                problems += [f"{version} {extra}: {failure}" for failure in walked["failed"]]  # type: ignore[attr-defined]
                shutil.rmtree(work)
                shutil.rmtree(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
