"""Today's code against what `record.py` wrote down: names, verbs, accounts of stories, rows of tables.

A difference says which row, which item, what was and what is. Numbers may differ by 0.001, everything else not at all. Rows that take
more than some seconds are compared where GOLDEN_SLOW is set; with GOLDEN_BYTES the accounts must be the same to the byte. What a row
lacks here (SmolLM2, an extra, a corpus) is skipped by name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import pytest

from tests.golden import record

pytestmark = pytest.mark.skipif(
    not os.environ.get("GOLDEN"), reason="the golden net takes seven minutes of a core: make golden"
)

RENAMED: dict[str, str] = {
    "kidscook/transducer": "transducer-summed",
    "kidscook/transducer-both": "transducer-summed-both",
    "kidscook/transducer-viterbi-slots": "transducer-summed-viterbi-slots",
    "kidscook/transducer-viterbi-em": "transducer-summed-viterbi-em",
    "kidscook/transducer-param": "transducer-param-summed",
    "kidscook/transducer-param-both": "transducer-param-summed-both",
    "kidscook/transducer-param-viterbi-slots": "transducer-param-summed-viterbi-slots",
    "kidscook-both/transducer": "transducer-summed",
    "kidscook-both/transducer-both": "transducer-summed-both",
    "kidscook-both/transducer-param": "transducer-param-summed",
    "kidscook-both/transducer-param-both": "transducer-param-summed-both",
    "kidscook-switches/transducer": "transducer-summed",
    "kidscook-switches/transducer-param": "transducer-param-summed",
    "page:account": "interpretation",
    "storycloze2016/dssm": "dssm-made-endings",
    "untold/reader": "untold-network",
    "untold/deep-reader": "untold-deep",
    "untold/deep-reader-together": "untold-deep-together",
    "ordering/story-order-recorded": "story-order",
    "storycloze2016/story-discriminator-recorded": "story-discriminator",
    "storycloze2016/story-rule-recorded": "story-rule",
    "storycloze2016/lm-classifier-recorded": "lm-classifier",
    "storycloze2018/story-discriminator-recorded": "story-discriminator",
    "storycloze2018/lm-classifier-recorded": "lm-classifier",
}
"""Names that were changed on purpose, old -> new; ``"TABLE/ROW"`` for a row of one table, ``"ROOM:NAME"`` for a name of one room."""
GONE = {"model: recorded": "answers made elsewhere are the store's", "model: recorded-order": "the same"}
"""Names that are gone on purpose -> why."""
SIGNED = "every figure has its sources and its signature (issue 18); not recorded anew yet"
RECORDED = "the row gives recorded answers now; live ones are compared by tests/bench/test_neural_rows.py"
PAPER_ROWS = "rows named as in the paper are the paper's models and counts; ours have names of their own (issue 24)"
READ = (
    "the library's reader (issue 19), and a text is called by its file's name without the ending; not recorded anew yet"
)
BOTH_MODELS = "our detector and TT_tf.idf, Table 7 of scenarios alone (issue 24)"
NEW_OPTIONS = "models side by side, narrative chains, affinity by labels of one's own (issue 24)"
CHANGED: dict[str, str] = {
    "verbs/read": READ,
    "scenarios": BOTH_MODELS,
    "chambers2017-cutoff": "its JSON names the axes of its curves (issue 24)",
    "--help": NEW_OPTIONS,
    "fill --help": NEW_OPTIONS,
    "learn --help": NEW_OPTIONS,
    "show --help": NEW_OPTIONS,
    "corpus --help": NEW_OPTIONS,
    "corpus rank --help": NEW_OPTIONS,
    "corpus rank toy --json": "affinity looks at words, too (issue 24)",
    "eventcloze-claims": SIGNED,
    "kidscook-alignment": PAPER_ROWS,
    "kidscook-corpus": PAPER_ROWS,
    "kidscook-decoding": SIGNED,
    "kidscook-fills": PAPER_ROWS,
    "kidscook-phrases": SIGNED,
    "storycloze-chains": SIGNED,
    "ordering/rocstories/story-order": RECORDED,
    "storycloze2016/unlabelled/story-discriminator": RECORDED,
    "storycloze2016/unlabelled/story-discriminators": RECORDED,
    "storycloze2016/ending-only/story-discriminator": RECORDED,
    "storycloze2018/unlabelled/story-discriminator": RECORDED,
    "storycloze2018/labelled/lm-classifier": RECORDED,
    "storycloze2018/ending-only/story-discriminator": RECORDED,
    "verbs/order+": "order says how sure it is, and is answered by careful-order (issue 24)",
    "mcnc/cmcnc/phrase-vectors": "phrase-vectors gives a distribution",
    "wanzare2019/clean/deep-detector": "asked of three scenarios at most",
    "segmentation/clean/deep-detector": "asked of three scenarios at most",
    "segmentation/noisy/deep-detector": "asked of three scenarios at most",
}
"""What is meant to give something else now -> why: ``TABLE``, ``TABLE/CONDITION``, ``TABLE/CONDITION/ROW``, ``verbs/GROUP`` or the
command as it is typed. It is not compared until it is recorded anew."""

FOLDERS = {
    "stitched": ("mcscript", "fiction", "treebanks"), "storycloze-2016": ("storycloze",), "storycloze-2018": ("storycloze",), "cmcnc": ("mcnc",),
    "ewt": ("treebanks",), "gum": ("treebanks",), "fairytales": ("fiction",), "toy": (),
}  # fmt: skip
"""Corpus -> folders of SCENARIST_DATA, where they are not called as it is."""
TOLERANCE = 1e-3
SHORT = 3.0
"""Seconds up to which a row is compared under all its conditions, slow tests or not."""
SHOWN = 25
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def renamed(name: str, within: str = "") -> str:
    return RENAMED.get(f"{within}/{name}", RENAMED.get(f"{within}:{name}", RENAMED.get(name, name)))


def changed(*parts: str) -> str:
    """Why something need not be what it was; empty where it must."""
    return next((CHANGED[key] for n in range(len(parts), 0, -1) if (key := "/".join(parts[:n])) in CHANGED), "")


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 140 else text[:137] + "..."


def differences(was: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where two JSON values differ."""
    if isinstance(was, bool) or isinstance(now, bool) or was is None or now is None:
        same = was is now
    elif isinstance(was, (int, float)) and isinstance(now, (int, float)):
        same = was == now if isinstance(was, int) and isinstance(now, int) else abs(was - now) <= TOLERANCE
    elif isinstance(was, dict) and isinstance(now, dict):
        for key in [*was, *(key for key in now if key not in was)]:
            if key not in now:
                yield f"{where}.{key}: was {short(was[key])}, is gone"
            elif key not in was:
                yield f"{where}.{key}: is new, {short(now[key])}"
            else:
                yield from differences(was[key], now[key], f"{where}.{key}")
        return
    elif isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            yield f"{where}: had {len(was)} entries, has {len(now)}"
        for at, (one, other) in enumerate(zip(was, now, strict=False)):
            yield from differences(one, other, f"{where}[{at}]")
        return
    elif isinstance(was, str) and isinstance(now, str):
        same = was == now or near(was, now)
    else:
        same = False
    if not same:
        yield f"{where}: was {short(was)}, is {short(now)}"


def near(was: str, now: str) -> bool:
    """The same text but for decimals that round the other way."""
    if NUMBER.sub("#", was) != NUMBER.sub("#", now):
        return False
    pairs = zip(NUMBER.findall(was), NUMBER.findall(now), strict=True)
    return all(abs(float(a) - float(b)) <= TOLERANCE + 1.01 * 10.0 ** -len(a.partition(".")[2]) for a, b in pairs)


def told(found: Iterator[str] | list[str]) -> None:
    """Fail with what differs."""
    lines = list(islice(found, SHOWN + 1))
    if lines:
        more = ["..."] if len(lines) > SHOWN else []
        pytest.fail("the code gives something else than it did:\n" + "\n".join(lines[:SHOWN] + more), pytrace=False)


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    """SmolLM2 is found wherever it is, whatever home a test has."""
    if found := record.model_file():
        monkeypatch.setenv("SMOLLM2_GGUF", str(found.resolve()))


# ---- names


def test_every_name_is_there() -> None:
    was, now = record.load_json(record.GOLDEN / "names.json"), record.names()
    gone = [
        f"{room}: {name}"
        for room, names in was["rooms"].items()
        for name in names
        if renamed(name, room) not in now["rooms"].get(room, [])
    ]
    gone += [f"verb {name}" for name in was["verbs"] if name not in now["verbs"]]
    gone += [f"scenarist.{name}" for name in was["functions"] if not hasattr(record.scenarist, name)]
    gone = [name for name in gone if name not in GONE]
    assert not gone, f"names that are gone: {', '.join(gone)}"


@pytest.mark.parametrize("name", sorted(record.load_json(record.GOLDEN / "names.json")["tables"]))
def test_every_table_has_its_rows(name: str) -> None:
    was = record.load_json(record.GOLDEN / "names.json")["tables"][name]
    table = record.load_table(renamed(name))
    rows = [[row.label or row.model, row.role] for row in table.row]
    assert table.kind == was["kind"]
    assert [one for one in was["conditions"] if one not in [condition.name for condition in table.condition]] == []
    published = {row for row, role in rows if role == "published"}
    assert [
        [row, role]
        for row, role in was["rows"]
        if [renamed(row, name), role] not in rows
        and not (role == "published" and f"{row}-published" in published)  # where a row of ours has the same name
        and not changed(name, "*", row)
    ] == []


# ---- read


@pytest.mark.data("mcscript", "rocstories")
def test_accounts_of_stories() -> None:
    def found() -> Iterator[str]:
        for one, other in zip(record.load_lines(record.GOLDEN / "read.jsonl.xz"), record.read(), strict=True):
            same = one["sha"] == other["sha"]
            if not same:
                hashes = {} if os.environ.get("GOLDEN_BYTES") else {"sha": ""}
                lines = list(differences(one | hashes, other | hashes, f"story {one['id']}"))
                yield from sorted(lines, key=lambda line: ".shape" in line or ".sha" in line)

    told(found())


# ---- verbs

VERBS = record.load_json(record.GOLDEN / "verbs.json.xz")


def verb_case(group: str) -> Any:
    marks = (
        [pytest.mark.data]
        if group.endswith("*")
        else [pytest.mark.neural]
        if group.endswith("+") or group == "explain"
        else []
    )
    return pytest.param(group, marks=marks, id=group.rstrip("*+"))


@pytest.mark.parametrize("group", [verb_case(group) for group in VERBS])
def test_verbs(group: str) -> None:
    if group.endswith("+") and record.model_file() is None:
        pytest.skip("SmolLM2 is not here: scenarist get smollm2")
    if why := changed("verbs", group):
        pytest.skip(f"changed on purpose: {why}")
    if group == "learn":
        pytest.importorskip("duckdb")

    def found() -> Iterator[str]:
        for one, other in zip(VERBS[group]["commands"], record.verbs(group), strict=True):
            typed = " ".join(one["args"])
            if typed not in CHANGED:
                yield from differences(one, other, f"scenarist {typed}")

    told(found())


# ---- analyses

ANALYSES = record.load_json(record.GOLDEN / "analyses.json.xz")
SLOW = bool(os.environ.get("GOLDEN_SLOW"))


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [name for name, one in ANALYSES.items() if "json" in one and (SLOW or not one["slow"])]
)
def test_analyses(name: str) -> None:
    if why := changed(name):
        pytest.skip(f"changed on purpose: {why}")
    told(differences(ANALYSES[name]["json"], record.analysis(renamed(name)), name))


# ---- rows


def cases() -> list[Any]:
    """The recorded rows, by table, condition and number of items; a row that takes some seconds under its first condition only."""
    found: list[Any] = []
    for path in sorted(record.GOLDEN.glob("rows-*.jsonl.xz")):
        rows: list[dict[str, Any]] = []
        long: set[str] = set()
        for one in record.load_lines(path):
            if "answers" not in one:
                continue
            if SLOW or (not one["slow"] and (one["seconds"] <= SHORT or one["row"] not in long)):
                rows.append(one)
            if one["seconds"] > SHORT:
                long.add(one["row"])
        key = lambda one: (one["table"], one["condition"], one["limit"])  # noqa: E731
        for (table, condition, limit), some in groupby(sorted(rows, key=key), key=key):
            marks = [] if table == "toy" else [pytest.mark.data]
            found.append(
                pytest.param(table, condition, limit, list(some), marks=marks, id=f"{table}-{condition}-{limit}")
            )
    return found


def guess_differences(was: list[Any], now: list[Any], where: str) -> Iterator[str]:
    """Guesses, best first; those whose probabilities are the same may change places."""
    if len(was) != len(now):
        yield f"{where}: had {len(was)} guesses, has {len(now)}"
    for at, (one, other) in enumerate(zip(was, now, strict=False)):
        if one[0] != other[0] and one[1] is not None:
            level = next(
                (old for old in was if old[0] == other[0] and abs((old[1] or 0.0) - one[1]) <= 2 * TOLERANCE), None
            )
            last = at == len(was) - 1 and other[1] is not None and abs(other[1] - one[1]) <= TOLERANCE
            if level or last:
                continue
        yield from differences(one, other, f"{where}, guess {at + 1}")


def row_differences(was: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    where = f"{was['table']} / {was['condition']} / {was['row']}"
    yield from differences(was["problem"], now["problem"], f"{where}: problem")
    yield from differences(was["scores"], now["scores"], f"{where}: scores")
    yield from differences(was["n"], now["n"], f"{where}: number of predictions")
    for one, other in zip(was["answers"], now["answers"], strict=False):
        item = f"{where}, item {one[0]}"
        if one[0] != other[0]:
            yield f"{item}: now the item here is {other[0]}"
            continue
        if one[1] != other[1]:
            yield f"{item}: another question ({one[1]}, is {other[1]})"
        yield from guess_differences(one[2], other[2], item)
        yield from differences(one[3], other[3], f"{item}: ln P of the key")
        yield from differences(one[4], other[4], f"{item}: rank of the key")


def sat_again(
    table: str, condition: str, limit: int, rows: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Each recorded row with what it gives now: a record, or the error it ends in."""
    loaded = record.load_table(renamed(table))
    asked = next(one for one in loaded.condition if one.name == condition)
    known = record.rows_of(loaded, asked)
    there = [(one, known[name]) for one in rows if (name := renamed(one["row"], table)) in known]
    yield from ((one, LookupError("there is no such row")) for one in rows if renamed(one["row"], table) not in known)
    try:
        yield from zip(
            [one for one, _ in there], record.sat(loaded, asked, [row for _, row in there], limit), strict=True
        )
    except Exception:
        for one, row in there:  # one by one, to say which
            try:
                yield one, record.sat(loaded, asked, [row], limit)[0]
            except Exception as error:
                yield one, error


def not_here(problem: str) -> bool:
    """Is it this machine that lacks something, and not the code that no longer finds it?"""
    if re.search(r"The release \w+ has no weights|The release file \S+ is not here", problem):
        return True  # weights that a training makes, and no package carries
    return "pip install 'scenarist[" in problem or ("smollm2" in problem.lower() and record.model_file() is None)


def missing_folders(table: str, condition: str) -> list[str]:
    """Folders of corpora that are not on the search path."""
    loaded = record.load_table(renamed(table))
    sources = [one for one in loaded.condition if one.name == condition]
    corpora = {name for one in sources for name in (one.corpus, *(source.corpus for source in one.train))}
    roots = [Path(one) for one in os.environ.get("SCENARIST_DATA", "").split(":") if one]
    wanted = {folder for name in corpora for folder in FOLDERS.get(name, (name,))}
    return sorted(folder for folder in wanted if not any((root / folder).is_dir() for root in roots))


@pytest.mark.slow
@pytest.mark.parametrize("table, condition, limit, rows", cases())
def test_rows(table: str, condition: str, limit: int, rows: list[dict[str, Any]]) -> None:
    if gone := missing_folders(table, condition):
        pytest.skip(f"not on SCENARIST_DATA: {', '.join(gone)}")
    rows = [one for one in rows if not changed(table, condition, one["row"])]
    if not rows:
        pytest.skip("changed on purpose: see CHANGED")
    lines: list[str] = []
    lacking: list[str] = []
    for was, now in sat_again(table, condition, limit, rows):
        where = f"{table} / {condition} / {was['row']}"
        if isinstance(now, Exception):
            lines.append(f"{where}: {type(now).__name__}: {now}")
        elif now["problem"] and not was["problem"] and not_here(now["problem"]):
            lacking.append(f"{was['row']}: {now['problem']}")
        else:
            lines += row_differences(was, now)
    told(lines)
    if lacking:
        pytest.skip(f"compared {len(rows) - len(lacking)} of {len(rows)} rows; not here: {'; '.join(lacking)}")
