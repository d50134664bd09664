"""Source files + tests -> how many planted faults the tests notice: mutation testing of metrics/, bench/ and networks/.

    make mutants                                   # all of it: reach, run, report
    python benchmarks/mutants.py reach             # which test enters which line (once; goes on where it stopped)
    python benchmarks/mutants.py run --jobs 2      # the sample of 200, seed 18; goes on where it stopped
    python benchmarks/mutants.py report            # the share noticed, and each survivor with its change

The faults are cosmic-ray's operators (comparisons, arithmetic, numbers, and/or, not, loops, exceptions, decorators), at most one for a place
and kind. Its own runner is not used: it asks the whole suite for each fault. Here a fault is asked only of the tests that enter its function
(coverage with a context a test), quickest first and at most ``SECONDS`` of them, in a fork of a process that has the libraries loaded.
A fault counts as noticed where a test fails or the time is ten times up. Left out: changes of annotations, which are never read, and
``==`` against ``is``, which is a matter of the interpreter. Faults that change nothing that can be observed are named, with the reason, in
``benchmarks/equivalent_mutants.toml``; they count as not noticed all the same, and the report gives the share without them beside it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("metrics", "bench", "networks")
OUT = ROOT / os.environ.get("DEST", "out") / "mutants"
NOTICED = ("killed", "timeout")
RESULT, EQUIVALENT = ROOT / "results" / "mutants.jsonl", ROOT / "benchmarks" / "equivalent_mutants.toml"
SMOLLM2 = ROOT / ".cache/scenarist/weights/smollm2-135m.gguf"
SAMPLE, SEED = 200, 18
SECONDS = 40.0
"""Tests of at most so many seconds are asked about a fault, as long as they took alone."""
FILE_LIMIT = 300
"""A file of tests that takes longer than this alone is left out: it cannot be asked 200 times."""
TESTS = (
    *(f"src/scenarist/{room}" for room in ROOMS),
    *(
        f"tests/{room}"
        for room in (
            "metrics",
            "bench",
            "networks",
            "candidates",
            "exams",
            "experiments",
            "models",
            "verbs",
            "pages",
            "store",
        )
    ),
    "tests",
)
"""Where tests lie that enter these rooms, the nearest first; the last is for those at the top, of the whole product."""
SKIPPED = (
    "tests/bench/test_neural_rows.py",
    "tests/bench/test_recorded_rows.py",
    "tests/bench/test_weights.py",
    "tests/bench/test_test_split.py",
)
"""Tests that run whole rows of tables, minutes each."""
LIBRARIES = (
    "numpy",
    "hypothesis",
    "msgspec",
    "typer",
    "rich",
    "sklearn.metrics",
    "scipy.stats",
    "torch",
    "pandas",
    "pyarrow.parquet",
)
PLAIN = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis")
LEFT_OUT = ("Eq_Is", "Eq_IsNot", "NotEq_Is", "NotEq_IsNot", "VariableReplacer", "VariableInserter")


@dataclass(frozen=True)
class Mutant:
    """A planted fault: the operator's so-manieth place in a file."""

    path: str
    operator: str
    occurrence: int
    line: int
    text: str
    """The line as it is changed."""

    @property
    def key(self) -> str:
        """The same for the same change of the same line."""
        return hashlib.sha256(f"{self.path} {self.operator} {self.text}".encode()).hexdigest()[:12]


def family(operator: str) -> str:
    """The kind of an operator: what it replaces, without by what.

    >>> family("core/ReplaceBinaryOperator_Add_Sub"), family("core/AddNot")
    ('ReplaceBinaryOperator_Add', 'AddNot')
    """
    name = operator.removeprefix("core/")
    return name.rpartition("_")[0] if name.count("_") > 1 else name


class Bare(ast.NodeTransformer):
    """A tree without annotations."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def bare(source: str) -> str:
    """A source as a tree, without annotations and places."""
    return ast.dump(Bare().visit(ast.parse(source)))


def places(path: Path) -> Iterator[tuple[str, int, int, int]]:
    """All operators with their places in a file: name, so-manieth, line, column."""
    from cosmic_ray.ast import Visitor, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    operators = [(name, get_operator(name)()) for name in sorted(operator_names()) if not name.endswith(LEFT_OUT)]
    counts: dict[str, int] = defaultdict(int)
    found: list[tuple[str, int, int, int]] = []

    class Look(Visitor):
        def visit(self, node: Any) -> Any:
            for name, operator in operators:
                for (line, column), _ in operator.mutation_positions(node):
                    found.append((name, counts[name], line, column))
                    counts[name] += 1
            return node

    Look().walk(get_ast(path.read_text("utf-8")))
    yield from found


def changed(path: Path, operator: str, occurrence: int) -> str | None:
    """The source with one fault; None where it is the same program, or none at all."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    source = path.read_text("utf-8")
    text = mutate_code(source, get_operator(operator)(), occurrence)
    if text is None:
        return None
    try:
        return None if bare(text) == bare(source) else text
    except SyntaxError:
        return None


def first_difference(old: str, new: str) -> tuple[int, str]:
    """Number and text of the first line that differs."""
    for number, (a, b) in enumerate(zip(old.splitlines(), new.splitlines(), strict=False), start=1):
        if a != b:
            return number, b.strip()
    return 0, ""


def sample(most: int = SAMPLE, seed: int = SEED) -> list[Mutant]:
    """Faults drawn by place and kind, then one of the kind's replacements. A place is drawn by the hash of its line, so that a change
    elsewhere in a file moves nothing."""
    groups: dict[tuple[str, str, str], list[tuple[str, int]]] = defaultdict(list)
    for room in ROOMS:
        for path in sorted((ROOT / "src/scenarist" / room).rglob("*.py")):
            name, lines = str(path.relative_to(ROOT)), path.read_text("utf-8").splitlines()
            seen = [f"{line.strip()} {lines[:number].count(line)}" for number, line in enumerate(lines)]
            for operator, occurrence, line, column in places(path):
                spot = f"{seen[line - 1]} {column - len(lines[line - 1]) + len(lines[line - 1].lstrip())}"
                groups[name, spot, family(operator)].append((operator, occurrence))
    chosen: list[Mutant] = []
    for key in sorted(groups, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest()):
        if len(chosen) == most:
            break
        operator, occurrence = random.Random(f"{seed} {key}").choice(groups[key])
        path = ROOT / key[0]
        text = changed(path, operator, occurrence)
        if text is not None:
            line, shown = first_difference(path.read_text("utf-8"), text)
            chosen.append(Mutant(key[0], operator, occurrence, line, shown))
    return chosen


# which test enters which line


class Contexts:
    """A pytest plugin: coverage's context is the test that runs; its duration is kept."""

    def __init__(self, coverage: Any) -> None:
        self.coverage, self.seconds = coverage, {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def reach_one(file: str) -> None:
    """One file of tests: its tests, their seconds and the lines they enter, into OUT."""
    import coverage
    import pytest

    cover = coverage.Coverage(data_file=None, source=[str(ROOT / "src/scenarist" / room) for room in ROOMS])
    plugin = Contexts(cover)
    cover.start()
    pytest.main([*PLAIN, file], plugins=[plugin])
    cover.stop()
    data = cover.get_data()
    lines: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for path in data.measured_files():
        for line, contexts in data.contexts_by_lineno(path).items():
            for test in contexts:
                if test:
                    lines[test].setdefault(str(Path(path).relative_to(ROOT)), []).append(line)
    form = {test: {"seconds": seconds, "lines": lines.get(test, {})} for test, seconds in plugin.seconds.items()}
    reached(file).write_text(json.dumps(form), encoding="utf-8")


def reached(file: str) -> Path:
    """Where the reach of a file of tests lies."""
    return OUT / "reach" / (file.replace("/", "__") + ".json")


def test_files() -> list[str]:
    """Files of tests, and the sources with doctests."""
    files = []
    for place in TESTS:
        within = (ROOT / place).glob("test_conformance.py") if place == "tests" else (ROOT / place).rglob("*.py")
        files += [
            str(path.relative_to(ROOT))
            for path in sorted(within)
            if str(path.relative_to(ROOT)) not in SKIPPED
            and (path.name.startswith("test_") or (place.startswith("src") and ">>>" in path.read_text("utf-8")))
        ]
    return files


def preload() -> None:
    """Load the libraries that tests use, once; forks have them."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def forked(work: Callable[[], object], log: Path, limit: float) -> int | None:
    """Do something in a fork of this process, its output in a file: its exit code, None where it took too long."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setsid()
            quiet = os.open(str(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            code = int(work() or 0)  # type: ignore[call-overload]
        finally:
            os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def reach(only: Sequence[str] = ()) -> None:
    """Ask every file of tests what it enters, each in a process of its own, with a time limit."""
    (OUT / "reach").mkdir(parents=True, exist_ok=True)
    preload()
    files = [file for file in test_files() if file in only or not only]
    for number, file in enumerate(files, start=1):
        if reached(file).exists() and file not in only:
            continue
        start = time.monotonic()
        outcome = forked(lambda file=file: reach_one(file), OUT / "reach.log", FILE_LIMIT)
        note = f" left out, over {FILE_LIMIT} s" if outcome is None else "" if reached(file).exists() else " broke off"
        if not reached(file).exists():
            reached(file).write_text("{}", encoding="utf-8")
        print(f"{number}/{len(files)} {file} {time.monotonic() - start:.0f} s{note}", flush=True)


def function_lines(path: Path, line: int) -> set[int]:
    """The lines of the innermost function around a line, without its head; empty at the top of a module or class."""
    best, body = 0, set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, last = (
                min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]),
                node.end_lineno or node.lineno,
            )
            if best <= first <= line <= last:
                best, body = first, set(range(node.body[0].lineno, last + 1))
    return body


def tests_for(mutant: Mutant, known: dict[str, dict[str, Any]]) -> list[str]:
    """Tests that enter the line, else its function, else its file; quickest first, as many as SECONDS hold.

    A function's head is entered where its module is imported, by whichever test was the first: those that enter the function count, too.
    """
    body = function_lines(ROOT / mutant.path, mutant.line)
    near, around, far = [], [], []
    for test, form in known.items():
        lines = form["lines"].get(mutant.path)
        if not lines:
            continue
        (near if mutant.line in lines else around if body.intersection(lines) else far).append(test)
    reaching = [*near, *around, *far] if not body else near if near and mutant.line in body else [*near, *around]
    ordered = sorted(reaching, key=lambda test: known[test]["seconds"])
    chosen: list[str] = []
    left = SECONDS
    for test in ordered:
        if left <= 0 and chosen:
            break
        chosen.append(test)
        left -= known[test]["seconds"] + 0.02
    return chosen


# one fault at a time


def tree(number: int) -> Path:
    """A copy of the tracked files by hard links, that a fault is planted in."""
    place = OUT / f"tree-{number}"
    shutil.rmtree(place, ignore_errors=True)
    for name in subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0"):  # fmt: skip
        if name and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(ROOT / name, place / name)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(place / "src"), str(place / "tests")], check=False)
    return place


def plant(place: Path, name: str, text: str) -> None:
    """Put a text in the place of a file, without writing through its link; what was compiled of it goes."""
    path = place / name
    path.unlink()
    path.write_text(text, encoding="utf-8")
    for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        old.unlink()


def ask(place: Path, tests: Sequence[str], limit: float) -> str:
    """Run tests in a fork, in the copy: killed (one failed), timeout, survived, or error (none could be run)."""

    def work() -> int:
        import pytest

        os.chdir(place)
        os.environ.update(PYTHONPATH=str(place / "src"), PYTHONDONTWRITEBYTECODE="1")
        sys.dont_write_bytecode = True
        return int(pytest.main(["-x", *PLAIN, "--rootdir", str(place), "-o", "pythonpath=src .", *tests]))

    code = forked(work, OUT / f"{place.name}.log", limit)
    if code is None:
        return "timeout"
    return {0: "survived", 1: "killed", 2: "killed"}.get(code, "killed" if code < 0 else "error")


def results() -> dict[str, dict[str, Any]]:
    """What is known of faults, by their keys; the last word counts."""
    if not RESULT.exists():
        return {}
    return {form["key"]: form for form in map(json.loads, RESULT.read_text("utf-8").splitlines())}


def known_tests() -> dict[str, dict[str, Any]]:
    """Tests with their seconds and lines."""
    known: dict[str, dict[str, Any]] = {}
    for file in test_files():
        if reached(file).exists():
            known |= json.loads(reached(file).read_text("utf-8"))
    return known


def run(jobs: int, again: bool) -> None:
    """Ask about the faults of the sample that have no result yet (``again``: and once more about those that were not noticed)."""
    preload()
    have, every = results(), sample()
    asked = [mutant for mutant in every if again or mutant.key not in have]
    asked = [mutant for mutant in asked if mutant.key not in have or have[mutant.key]["outcome"] not in NOTICED]
    asked.sort(key=lambda mutant: mutant.key in have)
    children = []
    for number in range(jobs):
        child = os.fork()
        if child == 0:
            try:
                ask_all(asked[number::jobs], known_tests(), tree(number), number)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def ask_all(todo: Sequence[Mutant], known: dict[str, dict[str, Any]], place: Path, worker: int) -> None:
    """Ask about some faults, one after the other; each outcome is written at once."""
    start = time.monotonic()
    for number, mutant in enumerate(todo, start=1):
        original = (ROOT / mutant.path).read_text("utf-8")
        tests = tests_for(mutant, known)
        text = changed(ROOT / mutant.path, mutant.operator, mutant.occurrence)
        if (
            text is None or first_difference(original, text)[1] != mutant.text
        ):  # the source was changed since the sample was drawn
            continue
        plant(place, mutant.path, text)
        took = sum(known[test]["seconds"] for test in tests)
        outcome = ask(place, tests, 30 + 10 * took) if tests else "untested"
        plant(place, mutant.path, original)
        form = {"key": mutant.key, "outcome": outcome, "tests": len(tests), **asdict(mutant)}
        with RESULT.open("a", encoding="utf-8") as out:
            out.write(json.dumps(form) + "\n")
        pace = (time.monotonic() - start) / number
        print(f"{worker}: {number}/{len(todo)} {outcome} {mutant.path}:{mutant.line} {mutant.operator.removeprefix('core/')} {pace:.1f} s each", flush=True)  # fmt: skip


def report() -> int:
    """The share noticed, the survivors; 0 where nine of ten were noticed."""
    have, every = results(), sample()
    named = {entry["key"]: entry["why"] for entry in tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])} if EQUIVALENT.exists() else {}  # fmt: skip
    asked = [have[mutant.key] for mutant in every if mutant.key in have]
    noticed = [form for form in asked if form["outcome"] in NOTICED]
    same = [form for form in asked if form not in noticed and form["key"] in named]
    for form in asked:
        if form not in noticed:
            why = f"  (equivalent: {named[form['key']]})" if form["key"] in named else ""
            print(f"{form['key']} {form['outcome']} {form['path']}:{form['line']} {form['operator'].removeprefix('core/')}: {form['text']}{why}")  # fmt: skip
    if not asked:
        print("nothing asked yet: python benchmarks/mutants.py run")
        return 1
    share = len(noticed) / len(asked)
    rest = len(noticed) / max(1, len(asked) - len(same))
    print(f"{len(noticed)} of {len(asked)} noticed ({share:.1%}); {len(same)} change nothing that can be observed, {rest:.1%} of the others noticed; {len(every) - len(asked)} not asked yet")  # fmt: skip
    return 0 if len(asked) == len(every) and share >= 0.9 else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["reach", "sample", "run", "report", "all"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="ask once more about those that were not noticed")
    given = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    if SMOLLM2.is_file():
        os.environ.setdefault("SMOLLM2_GGUF", str(SMOLLM2))
    if given.what == "sample":
        for mutant in sample():
            print(mutant.key, f"{mutant.path}:{mutant.line}", mutant.operator.removeprefix("core/"), mutant.text)
    if given.what in ("reach", "all"):
        reach(given.files)
    if given.what in ("run", "all"):
        run(given.jobs, given.again)
    return report() if given.what in ("run", "report", "all") else 0


if __name__ == "__main__":
    sys.exit(main())
