"""What the code gives, written down: names, rows of tables, accounts of stories, the verbs. A move of files must not change it.

``python -m tests.golden.record [--only PART ...] [--table NAME ...] [--slow]`` writes ``results/golden/``; `test_golden.py` compares.
No text of a corpus is kept: ids, hashes, labels, event phrases, numbers. Stories under ``examples/`` and the toy corpus are our own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import lzma
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

# ---- all that a move of modules touches -------------------------------------------------------------------------
import scenarist
from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.spec import load as load_table
from scenarist.bench.spec import names as table_names
from scenarist.cli.main import VERBS
from scenarist.cli.main import run as run_cli
from scenarist.noun import to_json
from scenarist.question import Permutation, Reading, Segments
from scenarist.registry import ROOMS, make
from scenarist.registry import names as registered
from scenarist.signature import content_hash
from scenarist.store.results import Results

# -----------------------------------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "results" / "golden"
PARTS = ("names", "read", "verbs", "analyses", "rows")
ITEMS = 40
FEW = 5
"""Items where a row is slow."""
TEXTS = 4
"""Texts that are followed word by word (greedy word cloze)."""
KEPT = 60
"""Predictions kept of a row."""
LIMIT = 20.0
"""Seconds for a row at 40 items, then at 5."""
LONGEST = 240.0
"""Seconds for a row with --slow."""
QUICK = 12.0
"""Rows up to so many seconds are compared by the plain test, the others where `slow` tests run."""
LARGE = (
    "lm-ending", "story-lm", "story-discriminator", "ending-ensemble", "lm-classifier", "story-order", "causal-lm", "causal-lm-tuned", "word-head",
    "infill-head", "pretrained-transducer",
)  # fmt: skip
"""Models that run SmolLM2: a few items are enough."""
STORIES = (("mcscript", "dev", 150), ("rocstories", "dev", 50))
TIMED = ("sentences_per_s",)
"""Metrics that are times."""


def model_file() -> Path | None:
    """SmolLM2, where it is: named by SMOLLM2_GGUF, in the home folder, or in the system's own."""
    homes = [os.environ.get("SCENARIST_HOME", ""), str(Path.home() / ".cache" / "scenarist")]
    places = [os.environ.get("SMOLLM2_GGUF", ""), *(f"{home}/weights/smollm2-135m.gguf" for home in homes if home)]
    return next((Path(one) for one in places if one and Path(one).is_file()), None)


# ---- hashes and shapes


def sha(data: bytes | str) -> str:
    """A short hash."""
    return content_hash([data.encode() if isinstance(data, str) else data], length=16)


def without_floats(value: Any) -> Any:
    """JSON with every float as 0: what must stay the same to the letter."""
    if isinstance(value, float):
        return 0
    if isinstance(value, dict):
        return {key: without_floats(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_floats(one) for one in value]
    return value


def floats_of(value: Any) -> Iterator[float]:
    """All floats of a JSON value in order."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from floats_of(one)
    elif isinstance(value, list):
        for one in value:
            yield from floats_of(one)


def shape(noun: Any) -> str:
    """A hash of a noun's JSON without its floats."""
    return sha(json.dumps(without_floats(json.loads(to_json(noun))), ensure_ascii=False))


def hashed_if_long(value: Any, most: int = 60) -> Any:
    """JSON in which long strings (which may be a corpus's) are hashes."""
    if isinstance(value, str):
        return value if len(value) <= most else f"#{sha(value)}"
    if isinstance(value, dict):
        return {hashed_if_long(key, most): hashed_if_long(one, most) for key, one in value.items()}
    if isinstance(value, list):
        return [hashed_if_long(one, most) for one in value]
    return value


def rounded(number: float | None, digits: int = 4) -> float | None:
    return None if number is None else round(float(number), digits)


# ---- names


def names() -> dict[str, Any]:
    """Every name of the registry, every table with its rows, the verbs."""
    tables = {}
    for name in table_names():
        table = load_table(name)
        tables[name] = {
            "kind": table.kind,
            "conditions": [one.name for one in table.condition],
            "rows": [[row.label or row.model, row.role] for row in table.row],
        }
    rooms = {room: registered(room) for room in ROOMS}
    return {"rooms": rooms, "tables": tables, "verbs": list(VERBS), "functions": sorted(scenarist.__all__)}


# ---- read


def told() -> Iterator[tuple[str, str]]:
    """(id, text) of the stories that are read."""
    for corpus, split, count in STORIES:
        for story in itertools.islice(make("corpus", corpus, split=split), count):
            yield story.id, story.text


def account_record(id: str, account: Any) -> dict[str, Any]:
    """An account in short."""
    data = to_json(account)
    numbers = list(floats_of(json.loads(data)))
    segments = account.story.segments
    return {
        "id": id,
        "sha": sha(data),
        "shape": shape(account),
        "numbers": [len(numbers), round(sum(numbers), 4)],
        "segments": [
            [
                one.start,
                one.stop,
                one.labels[0].name if one.labels else "",
                rounded(one.labels[0].weight, 3) if one.labels else None,
            ]
            for one in segments
        ],
        "untold": [[one.event, one.phrase, one.at, rounded(one.probability, 3)] for one in account.untold],
        "protagonist": account.protagonist,
        "events": len(account.story.events),
        "chains": len(account.chains),
    }


def read() -> list[dict[str, Any]]:
    """Accounts of 200 stories: half of them one by one, the others in one stream."""
    stories = list(told())
    half = len(stories) // 2
    accounts = [scenarist.read(text, id=id) for id, text in stories[:half]]
    accounts += list(scenarist.read_all((id, text, "") for id, text in stories[half:]))
    return [account_record(id, one) for (id, _), one in zip(stories, accounts, strict=True)]


# ---- verbs

STORY = (
    "Mia planted a seed in a pot. She watered it every day. For two weeks nothing happened. Then a green leaf came up."
)
GOOD, BAD = "Mia watered the green leaf every day.", "Tom sold an old piano."
SHUFFLED = "She took the cake out of the oven.\nAnn wanted to bake a cake.\nThey ate it together.\nShe mixed flour, sugar and eggs.\n"
KITES = [
    "We went to the hill with our kite. The wind was strong. I ran and let the kite go. It flew high over the trees. We reeled in the string and went home.",
    "Tom bought a red kite. He tied the string to it. His sister held the kite up and he ran. The kite rose into the sky. It crashed into a tree at last.",
    "It was a windy day, so we took the kite to the beach. I held the spool and Dad threw the kite into the air. The tail danced. We flew it for an hour.",
    "My kite would not fly. There was no wind. Then a gust came and the kite went up. I let out more string. The kite was a small dot in the sky.",
    "Lena made a kite of paper and sticks. She took it to the park. The wind lifted the kite. She held the string tight. Her friends watched the kite fly.",
    "Grandpa showed me how to fly a kite. You run against the wind and let out the string. The kite pulled hard. We landed it softly on the grass.",
    "On Sunday the kids flew a kite on the field. The string got tangled twice. At last the kite was up. It swung left and right in the wind.",
]
TABLE = (
    "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2\n"
    's1,"Mia planted a seed, in a pot.",She watered it.,"It was ""asleep"".",A leaf came up.,Tom sold an old piano.,Mia watered the leaf.\n'
)
SIGNATURE = "recall@50|model:event-lm|train:nyt-chains|exam:eventcloze|preset:lm-cloze|forms:lemma|min:2|ties:expected|data:nyt-chains#7f3a|seed:1|v:0.2"
EXAMPLES = (
    "a-book-about-whales", "a-cake-for-grandma", "a-hot-bath", "an-apple-tree", "an-early-flight", "empty-fridge", "friday-dinner",
    "laundry-and-a-call", "left-without-paying", "short-hair", "the-late-bus", "under-the-stars",
)  # fmt: skip
EXAMS = ("storycloze", "eventcloze", "detection", "wordcloze", "wordcloze-infill", "ordering", "untold", "reading")


def example(name: str) -> str:
    return f"examples/{name}.txt"


def commands() -> dict[str, list[list[str]]]:
    """What is typed, by group; TMP is a folder of the group's own. Groups whose name ends in + need SmolLM2, in * a corpus."""
    bath, cake, flight, fridge = (
        example(name) for name in ("a-hot-bath", "a-cake-for-grandma", "an-early-flight", "empty-fridge")
    )
    chain = "arrest:obj escape:subj ?"
    toy = lambda name: ["exam", name, "toy", "-o", f"TMP/{name}", "--limit", "20"]  # noqa: E731
    return {
        "help": [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS),
                 *(["corpus", one, "--help"] for one in ("list", "info", "stats", "check", "rank")),
                 *(["scenarios", one, "--help"] for one in ("show", "add", "forget"))],
        "errors": [["raed"], ["bench", "toyy"], ["read", "nothing.txt"], ["fill"], ["show", "taking a bth"], ["exam", "storycloz", "toy", "-o", "TMP/e"],
                   ["detect", "nothing.txt"], ["order", "nothing.txt"], ["align", "zzzz"], ["corpus", "info", "toyy"], ["get"], ["get", "nothing"],
                   ["bench", "toy", "--only", "majorit"], ["fill", "--chain", "arrest:obj"], ["events", bath, "--view", "xy"]],
        "read": [*(["read", example(name), "--json"] for name in EXAMPLES), ["read", cake], ["read", flight, "--quiet"],
                 ["read", fridge, "--title", "A title"], ["read", bath, "--html", "TMP/bath.html"], ["read", "examples", "-o", "TMP/out"]],
        "detect": [*(["detect", example(name), "--json"] for name in EXAMPLES), ["detect", cake, flight], ["detect", cake, flight, "--quiet"],
                   ["detect", cake, "--least", "0.3", "--json"], ["detect", cake, fridge, "--html", "TMP/found.html"],
                   ["detect", bath, "--webanno", "TMP/bath.tsv", "--quiet"]],
        "events": [*(["events", example(name), "--json", "--no-cache"] for name in EXAMPLES), ["events", cake, flight, "--no-cache"],
                   *(["events", bath, "--json", "--view", view, "--min", "2"] for view in ("pm", "gw", "dep")),
                   ["events", flight, "--json", "--light", "--realis"], ["events", fridge, "--conllu"],
                   *(["events", fridge, "--render", how, "--rule", rule] for how in ("full", "caveman", "verb-subject") for rule in ("paper", "released")),
                   ["events", bath, cake, "--html", "TMP/events.html", "--quiet"], ["events", "examples", "-o", "TMP/chains.parquet"]],
        "fill": [["fill", "--chain", chain, "--json"], ["fill", "--chain", chain], ["fill", "--chain", chain, "--quiet"],
                 *(["fill", "--chain", "order:subj ? pay:subj", "--by", by, "--json", "--top", "5"]
                   for by in ("mixture", "bigram", "pmi-cutoff", "unigram", "pmi", "cooccurrence", "pmi-ordered", "pmi-discounted")),
                 ["fill", "--chain", "? eat:subj", "--set", "repeat=no", "--json"], ["fill", "--chain", chain, "--html", "TMP/fill.html", "--quiet"],
                 *(["fill", "--story", STORY, "--ending", BAD, "--ending", GOOD, "--by", by, "--json"] for by in ("ngram-overlap", "sentiment"))],
        "endings+": [["fill", "--story", STORY, "--ending", BAD, "--ending", GOOD, "--json"], ["fill", "--story", STORY, "--ending", BAD, "--ending", GOOD],
                     ["fill", "--story", STORY, "--ending", BAD, "--ending", GOOD, "--by", "lm-ending", "--json"],
                     ["fill", "--story", STORY, "--ending", BAD, "--ending", GOOD, "--by", "story-lm", "--json"],
                     ["fill", "TMP/story.txt", "--write", "2", "--seed", "4", "--json"], ["fill", "TMP/stories.csv"]],
        "order+": [["order", "TMP/shuffled.txt", "--json", "--top", "3"], ["order", "TMP/shuffled.txt"]],
        "explain": [["explain", "drain the pasta", "--size", "small", "--json", "--device", "cpu"], ["explain", "whisk the eggs", "--size", "small", "--device", "cpu"],
                    ["explain", "fry the onions", "--size", "small", "--seed", "2", "--json", "--device", "cpu"],
                    ["explain", "drain the pasta", "--size", "small", "--html", "TMP/pasta.html", "--quiet", "--device", "cpu"]],
        "explain-large+": [["explain", "drain the pasta", "--size", "large", "--json", "--device", "cpu"]],
        "align": [["align", "parmesan", "--json"], ["align", "cutting board", "--from", "concrete"], ["align", "whisk", "--top", "4", "--json"]],
        "show": [["show", "taking a bath", "--json"], ["show", "taking a bath"], ["show", "baking a cake", "--top", "5"],
                 ["show", "baking a cake", "--html", "TMP/cake.html", "--json"]],
        "scenarios": [["scenarios", "--json"], ["scenarios", "--find", "shop"], ["scenarios", "--quiet"], ["scenarios", "--unlearned", "--quiet"],
                      ["scenarios", "show", "baking a cake", "--json"], ["scenarios", "show", "baking a cake"]],
        "taught": [["scenarios", "add", "flying a kite", "TMP/kites.txt", "--json"], ["detect", "TMP/kite.txt", "--json"], ["read", "TMP/kite.txt", "--json"],
                   ["scenarios", "forget", "flying a kite", "--json"], ["detect", "TMP/kite.txt", "--json"]],
        "learn": [["learn", "toy", "-o", "TMP/model", "--json"], ["fill", "--model", "TMP/model", "--chain", "mix:subj ?", "--json"],
                  ["fill", "--model", "TMP/model", "--chain", "mix:subj ?", "--by", "bigram"], ["learn", "texts:examples", "-o", "TMP/own", "--args", "multi", "--quiet"]],
        "corpus": [["corpus", "info", "toy", "--json"], ["corpus", "info", "mcscript", "--json"], ["corpus", "stats", "toy", "--json"],
                   ["corpus", "stats", "toy", "--split", "dev"], ["corpus", "check", "toy", "--json"], ["corpus", "check", "toy"],
                   ["corpus", "rank", "toy", "--json"], ["corpus", "list", "--quiet"], ["corpus", "stats", "toy", "--html", "TMP/toy.html"]],
        "corpora*": [["corpus", "list", "--json"], ["corpus", "list"], ["corpus", "info", "rocstories"], ["corpus", "stats", "mcscript", "--split", "dev", "--json"],
                     ["corpus", "stats", "rocstories", "--limit", "500", "--json"], ["corpus", "stats", "kidscook", "--split", "dev", "--json"],
                     ["corpus", "stats", "inscript", "--split", "dev"], ["corpus", "stats", "proscript", "--split", "dev", "--json"],
                     ["corpus", "stats", "descript", "--json"], ["corpus", "stats", "gum", "--split", "dev", "--json"],
                     ["corpus", "stats", "ontogum", "--split", "dev", "--json"], ["corpus", "stats", "litbank", "--split", "dev", "--json"],
                     ["corpus", "stats", "cmcnc", "--split", "dev", "--json"], ["corpus", "stats", "bennett", "--json"],
                     ["corpus", "stats", "nyt-chains", "--split", "dev", "--json"], ["corpus", "stats", "stitched", "--split", "dev", "--limit", "20", "--json"],
                     ["corpus", "stats", "storycloze-2016", "--split", "dev", "--json"], ["corpus", "stats", "storycloze-2018", "--split", "dev", "--json"],
                     ["corpus", "stats", "fairytales", "--limit", "5", "--json"], ["corpus", "stats", "short-fiction", "--limit", "5", "--json"],
                     ["corpus", "stats", "novels", "--limit", "2", "--json"], ["corpus", "stats", "ewt", "--split", "dev", "--json"]],
        "exam": [*([*toy(name), "--json"] for name in EXAMS), [*toy("storycloze"), "--set", "see=last"], [*toy("detection"), "--corpus-set", "kind=documents"],
                 [*toy("wordcloze"), "--corpus-set", "kind=pairs"], [*toy("eventcloze"), "--set", "preset=cj08"]],
        "score": [[*toy("storycloze"), "--quiet"], ["score", "TMP/storycloze", "TMP/first.jsonl", "TMP/second.jsonl", "--json"],
                  ["score", "TMP/storycloze", "TMP/first.jsonl", "TMP/second.jsonl"], ["score", "TMP/storycloze", "TMP/few.jsonl", "--quiet"],
                  ["score", "TMP/storycloze", "TMP/few.jsonl", "--strict"], ["score", "TMP/storycloze", "TMP/first.jsonl", "--html", "TMP/score.html", "--json"]],
        "bench": [["bench", "toy", "--json"], ["bench", "toy"], ["bench", "toy", "--only", "constant,random", "--json", "--seed", "5"], ["bench", "toy", "--split", "test", "--json", "--limit", "9"],
                  ["bench", "toy", "--html", "TMP/toy.html", "--quiet"], ["bench", "--list", "--json"], ["bench", "--explain", SIGNATURE], ["bench", "toy", "--cite"]],
        "get": [["get", "--list", "--json"]],
    }  # fmt: skip


def write_inputs(folder: Path) -> None:
    """The files that commands read."""
    files = {
        "story.txt": STORY,
        "stories.csv": TABLE,
        "shuffled.txt": SHUFFLED,
        "kites.txt": "\n".join(KITES),
        "kite.txt": KITES[0],
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    ids = [json.loads(line)["id"] for line in to_lines("toy")]
    for name, answers in (("first", ["0"] * len(ids)), ("second", ["1"] * len(ids)), ("few", ["0"] * 2)):
        lines = [
            json.dumps({"item": id, "guesses": [{"answer": answer, "logp": -0.1}]})
            for id, answer in zip(ids, answers, strict=False)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def to_lines(corpus: str) -> list[bytes]:
    """The toy's stories with two endings as JSON."""
    return [to_json(one) for one in make("corpus", corpus, split="dev", kind="cloze")]


@contextlib.contextmanager
def surroundings(folder: Path) -> Iterator[None]:
    """A home of its own, the checkout as the place where one types, a terminal of one width."""
    gguf = model_file()
    settings = {
        "SCENARIST_HOME": str(folder / "home"),
        "COLUMNS": "100",
        "TERMINAL_WIDTH": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    if gguf:
        settings["SMOLLM2_GGUF"] = str(gguf.resolve())
    before, place = {name: os.environ.get(name) for name in settings}, Path.cwd()
    os.environ.update(settings)
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(place)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def masked(text: str, folder: Path) -> str:
    """Text without places, times and versions."""
    data = os.environ.get("SCENARIST_DATA", "")
    for path, name in ((str(folder), "TMP"), (str(ROOT), "ROOT"), *((one, "DATA") for one in data.split(":") if one)):
        text = text.replace(path, name)
    text = re.sub(r"\bv:\d+\.\d+(\.\d+)*", "v:N", text)
    text = re.sub(r'("version": ?)"[^"]*"', r'\1"N"', text)
    text = re.sub(rf"\bscenarist {re.escape(scenarist.__version__)}\b", "scenarist N", text)
    return re.sub(r'("(?:seconds|time|made|when)": ?)[0-9.]+', r"\g<1>0", text)


def typed(args: list[str], folder: Path) -> dict[str, Any]:
    """One command in this process: exit code, what it says, and hashes of the pages it writes."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = [one.replace("TMP", str(folder)) for one in args]
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run_cli(given)
        except SystemExit as stop:
            code = int(stop.code or 0)
    said = [masked(one.buffer.getvalue().decode("utf-8"), folder) for one in (out, err)]  # type: ignore[attr-defined]
    found: dict[str, Any] = {"args": args, "code": code, "out": parsed(said[0]), "err": said[1]}
    files = {}
    for path in sorted(folder.rglob("*")):
        if (
            path.is_file()
            and "home" not in path.relative_to(folder).parts
            and before.get(path) != path.stat().st_mtime_ns
        ):
            files[str(path.relative_to(folder))] = file_record(path, folder)
    return {**found, "files": files} if files else found


def parsed(text: str) -> Any:
    """JSON, or a list of JSON lines, or the text's lines."""
    for read in (json.loads, lambda one: [json.loads(line) for line in one.splitlines()]):
        with contextlib.suppress(ValueError):
            value = read(text)
            if isinstance(value, (dict, list)) and value:
                return {"json": value}
    return [line.rstrip() for line in text.splitlines()]


def file_record(path: Path, folder: Path) -> Any:
    """A file that was written: a hash of its text with decimals taken out; of tables and arrays that it is there."""
    if path.suffix in (".html", ".tsv", ".jsonl", ".json", ".csv", ".txt"):
        text = masked(path.read_text(encoding="utf-8"), folder)
        text = re.sub(r"\d+\.\d+(e-?\d+)?", "#", text)
        return {"sha": sha(text), "lines": text.count("\n")}
    return {"there": True}


def verbs(group: str) -> list[dict[str, Any]]:
    """The commands of a group, one after the other in one folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        with surroundings(folder):
            write_inputs(folder)
            return [typed(args, folder) for args in commands()[group]]


# ---- rows


class TooLong(BaseException):
    """A row took more than its time."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Stop what takes longer (of this process, whatever else the machine does)."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def answer_record(answer: Any) -> Any:
    """An answer without text."""
    if isinstance(answer, str):
        return (
            f"#{sha(answer)}" if "(" in answer else hashed_if_long(answer, 40)
        )  # events with their words are the corpus's own
    if isinstance(answer, Permutation):
        return list(answer.order)
    if isinstance(answer, Segments):
        return {
            "shape": shape(answer),
            "segments": [
                [
                    one.start,
                    one.stop,
                    one.labels[0].name if one.labels else "",
                    rounded(one.labels[0].weight, 3) if one.labels else None,
                ]
                for one in answer.segments
            ],
        }
    assert isinstance(answer, Reading)
    story = answer.story
    return {
        "shape": shape(answer),
        "counts": [len(story.sentences), len(story.tokens), len(story.entities), len(story.events)],
    }


def prediction_record(prediction: Any, question: Any) -> list[Any]:
    """[item, hash of the question, best three guesses, ln P of the key, rank of the key]."""
    guesses = [[answer_record(one.answer), rounded(one.logp)] for one in prediction.guesses[:3]]
    asked = sha(to_json(question)) if question is not None else ""
    return [prediction.item, asked, guesses, rounded(prediction.key_logp), rounded(prediction.key_rank)]


def limit_of(condition: Any) -> int:
    """Items of a condition; a text that is followed word by word counts as one."""
    return TEXTS if condition.settings.get("mode") == "greedy" else ITEMS


def rows_of(table: Any, condition: Any) -> dict[str, Any]:
    """The rows that sit a condition, by label."""
    found: dict[str, Any] = {}
    for row in table.row:
        if row.role != "published" and (not row.only or condition.name in row.only):
            name = row.label or row.model
            assert name not in found, f"{table.name}: two rows {name} under {condition.name}"
            found[name] = row
    return found


def sat(table: Any, condition: Any, rows: Sequence[Any], limit: int) -> list[dict[str, Any]]:
    """Some rows of a table under one condition, one seed each, by the bench itself, with an empty store."""
    replace = msgspec.structs.replace
    one_seed = [replace(row, seeds=list((row.seeds or table.seeds)[:1]), only=[]) for row in rows]
    small = replace(table, condition=[condition], row=one_seed, reference="")
    with tempfile.TemporaryDirectory() as folder, Results(Path(folder) / "results.sqlite") as store:
        sheet = run_table(small, store, Ways(split="dev", limit=limit))
    questions = {item.id: item.question for item in sheet.items[condition.name]}
    records = []
    for done in sheet.rows:
        predictions = list(done.predictions.get(condition.name, {}).values())
        scores = {
            name: rounded(cell.score.value) for name, cell in done.cells.items() if name.split("/")[0] not in TIMED
        }
        records.append({
            "table": table.name, "condition": condition.name, "row": done.row.label or done.row.model, "model": done.row.model,
            "seed": done.row.seeds[0] if done.row.seeds else None, "limit": limit, "n": len(predictions), "problem": done.problem, "scores": scores,
            "answers": [prediction_record(one, questions.get(one.item)) for one in predictions[:KEPT]],
        })  # fmt: skip
    return records


def record_row(table: Any, condition: Any, row: Any, slow: bool, few: bool) -> dict[str, Any]:
    """One row, at 40 items, at 5 where that takes too long, and only with --slow where that does as well."""
    name = row.label or row.model
    whole = limit_of(condition)
    tries = [(whole, LIMIT), (FEW if whole > FEW else 1, LIMIT)]
    if few:
        tries = tries[1:]
    if slow:
        tries = [(tries[-1][0], LONGEST)]
    for limit, seconds in tries:
        start = time.process_time()
        try:
            with within(seconds):
                (found,) = sat(table, condition, [row], limit)
        except TooLong:
            continue
        except Exception as error:
            return {
                "table": table.name,
                "condition": condition.name,
                "row": name,
                "failed": hashed_if_long(f"{type(error).__name__}: {error}", 300),
            }
        spent = time.process_time() - start
        return {**found, "seconds": round(spent, 1), "slow": slow or spent > QUICK}
    reason = f"more than {tries[-1][1]:.0f} s at {tries[-1][0]} items"
    return {"table": table.name, "condition": condition.name, "row": name, "slow": True, "not recorded": reason}


def record_table(
    name: str, slow: bool, conditions: Sequence[str] = (), rows: Sequence[str] = (), anew: bool = False
) -> None:
    """All rows of a table into its file, row by row, or only those of some conditions and names; with ``slow`` those that the first pass
    left out, ``anew`` those that are recorded already, too (at the same number of items)."""
    table = load_table(name)
    path = GOLDEN / f"rows-{name}.jsonl.xz"
    known = {(one["condition"], one["row"]): one for one in load_lines(path)} if path.exists() else {}
    known_models = {row.label or row.model: row.model for row in table.row}
    hopeless = {one["row"]: one["not recorded"] for one in known.values() if "not recorded" in one} if not slow else {}
    for condition in table.condition:
        if conditions and condition.name not in conditions:
            continue
        for label, row in rows_of(table, condition).items():
            key = (condition.name, label)
            if rows and label not in rows:
                continue
            again = anew and "answers" in known.get(key, {})
            if key in known and not again and not (slow and "not recorded" in known[key]):
                continue
            few = (
                (again and known[key]["limit"] < limit_of(condition))
                or row.model in LARGE
                or any(
                    one.get("model") == row.model and one["limit"] == FEW for one in known.values() if "limit" in one
                )
            )
            if label in hopeless and not again:
                found = {
                    "table": name,
                    "condition": condition.name,
                    "row": label,
                    "slow": True,
                    "not recorded": hopeless[label],
                }
            else:
                found = record_row(
                    table, condition, row, slow, few or row.model in {known_models.get(one) for one in hopeless}
                )
            if "not recorded" in found:
                hopeless[label] = f"under another condition {found['not recorded']}".replace(
                    "under another condition under", "under"
                )
            known[key] = found
            spent = found.get("seconds", found.get("not recorded", found.get("failed")))
            print(
                f"{name}\t{condition.name}\t{label}\t{found.get('limit')}\t{spent}\t{found.get('problem', '')[:100]}",
                flush=True,
            )
            save_lines(path, list(known.values()))


# ---- analyses


def analysis(name: str, limit: int = ITEMS) -> dict[str, Any]:
    """A table that is a function: its JSON, long strings as hashes."""
    with tempfile.TemporaryDirectory() as folder, Results(Path(folder) / "results.sqlite") as store:
        sheet = run_table(load_table(name), store, Ways(split="dev", limit=limit))
    return json.loads(masked(json.dumps(hashed_if_long(json.loads(to_json(sheet.json())), 100)), Path("/nowhere")))


def record_analyses(slow: bool, names: Sequence[str] = (), anew: bool = False) -> None:
    path = GOLDEN / "analyses.json.xz"
    known = load_json(path) if path.exists() else {}
    for name in names or table_names():
        if load_table(name).kind != "analysis":
            continue
        if name in known and not anew and not (slow and "not recorded" in known[name]):
            continue
        start = time.process_time()
        try:
            with within(LONGEST if slow else LIMIT):
                found: dict[str, Any] = {"json": analysis(name)}
        except TooLong:
            found = {"not recorded": f"more than {LONGEST if slow else LIMIT:.0f} s at {ITEMS} items"}
        except Exception as error:
            found = {"failed": hashed_if_long(f"{type(error).__name__}: {error}", 300)}
        spent = time.process_time() - start
        known[name] = {**found, "seconds": round(spent, 1), "slow": spent > QUICK}
        print(f"analysis\t{name}\t{spent:.1f}\t{found.get('not recorded') or found.get('failed') or ''}", flush=True)
        save_json(path, known)


# ---- files


def save_lines(path: Path, records: Sequence[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def load_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in lzma.decompress(path.read_bytes()).decode().splitlines()]


def save_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".xz":
        path.write_bytes(lzma.compress(json.dumps(value, ensure_ascii=False).encode(), preset=9))
    else:
        path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def load_json(path: Path) -> Any:
    return json.loads(lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description="Write down what the code gives.")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--table", nargs="*", default=[], help="Tables of the parts rows and analyses.")
    parser.add_argument("--condition", nargs="*", default=[], help="Conditions of the part rows.")
    parser.add_argument("--row", nargs="*", default=[], help="Rows of the part rows, by name.")
    parser.add_argument("--group", nargs="*", default=[], help="Groups of the part verbs.")
    parser.add_argument(
        "--slow", action="store_true", help="Also what takes up to four minutes a row (where it is not recorded yet)."
    )
    parser.add_argument(
        "--anew",
        action="store_true",
        help="Also what is recorded already: compare first, then say in the README at which commit and why.",
    )
    given = parser.parse_args()
    start = time.process_time()
    if "names" in given.only:
        save_json(GOLDEN / "names.json", names())
    if "read" in given.only:
        save_lines(GOLDEN / "read.jsonl.xz", read())
    if "verbs" in given.only:
        path = GOLDEN / "verbs.json.xz"
        known = load_json(path) if path.exists() else {}
        for group in given.group or commands():
            began = time.process_time()
            known[group] = {"commands": verbs(group), "seconds": round(time.process_time() - began, 1)}
            print(f"verbs\t{group}\t{known[group]['seconds']}", flush=True)
            save_json(path, known)
    if "analyses" in given.only:
        record_analyses(given.slow, given.table, given.anew)
    if "rows" in given.only:
        for name in given.table or [one for one in table_names() if load_table(one).kind == "exam"]:
            record_table(name, given.slow, given.condition, given.row, given.anew)
    print(f"{time.process_time() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
