"""Verbs behave alike: inputs that cannot be used, outputs that are spared, archives, options, help, tables, progress; each verb as typed."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

import scenarist
from scenarist.cli.main import VERBS, run
from scenarist.store.ledger import KEPT

STORY = (
    "I turned on the water and waited until the tub was full. I put some soap into the bath and undressed. "
    "Then I stepped into the bathtub and washed my hair. At the end I dried myself with a towel."
)
NAMES = ("Ann", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo", "Kim", "Lea", "Mia", "Nat", "Oz")
BAD = 5


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.txt"
    path.write_text(STORY)
    return path


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    """Twenty files, five of them bad: empty, binary, of another encoding, a damaged zip, a truncated gzip."""
    folder = tmp_path / "stories"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        (folder / f"{number:02}.txt").write_text(f"{name} was dirty. {STORY} {name} was happy {number} times.")
    (folder / "empty.txt").write_text(" \n")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 8)
    (folder / "latin.txt").write_bytes("Zoë drank coffee in a café.".encode("latin-1"))
    (folder / "damaged.zip").write_bytes(zipped({"a.txt": STORY})[:-30])
    (folder / "cut.txt.gz").write_bytes(gzip.compress(STORY.encode())[:-20])
    return folder


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


READERS = {
    "read": ["read", "stories", "-o", "out"],
    "events": ["events", "stories", "--json"],
    "detect": ["detect", "stories", "--json"],
    "learn": ["learn", "stories", "-o", "model", "--no-dedup"],
}


@pytest.mark.parametrize("verb", READERS)
def test_bad_files_are_named_and_left_out_and_the_rest_is_done(
    verb: str, stories: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if verb == "learn":
        pytest.importorskip("duckdb")
    assert run(READERS[verb]) == 1
    told = capsys.readouterr()
    for name in ("empty.txt", "binary.txt", "latin.txt", "damaged.zip", "cut.txt.gz"):
        lines = [line for line in told.err.splitlines() if line.startswith("scenarist: skipped:") and name in line]
        assert len(lines) == 1, name
    assert f"{BAD} inputs skipped" in told.err
    assert "Traceback" not in told.err
    if verb == "read":
        assert len((tmp_path / "out" / "accounts.jsonl").read_text().splitlines()) == len(NAMES)
    elif verb == "events":
        assert len(told.out.splitlines()) == len(NAMES)
    elif verb == "detect":
        assert len(json.loads(told.out)) == len(NAMES)
    else:
        assert json.loads((tmp_path / "model" / "card.json").read_text())["documents"] == len(NAMES)


@pytest.mark.parametrize("verb", READERS)
def test_strict_stops_at_the_first(verb: str, stories: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if verb == "learn":
        pytest.importorskip("duckdb")
    assert run([*READERS[verb], "--strict"]) == 2
    assert "binary.txt: expected a text, found binary data" in capsys.readouterr().err


def test_what_a_bad_file_is(stories: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["detect", "stories", "-q"]) == 1
    err = capsys.readouterr().err
    assert "empty.txt: the file is empty" in err
    assert "latin.txt, line 1: expected utf-8 text" in err
    assert "damaged.zip: the archive is truncated or damaged" in err
    assert "cut.txt.gz" in err and "truncated or damaged" in err
    assert run(["detect", "stories/latin.txt", "--encoding", "latin-1"]) == 0


def test_one_bad_input_alone_is_bad_input(stories: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("read", "events", "detect"):
        for name in ("empty.txt", "binary.txt", "damaged.zip"):
            assert run([verb, f"stories/{name}"]) == 2
    assert run(["detect", "stories/empty.txt", "nowhere.txt"]) == 2
    assert "None of the 2 inputs" in capsys.readouterr().err


def test_several_inputs_standard_input_and_archives(
    story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pack.zip").write_bytes(zipped({"one.txt": STORY, "README.md": "about", "two.txt": STORY}))
    with tarfile.open(tmp_path / "pack.tar.gz", "w:gz") as archive:
        archive.add(story, "three.txt")
    (tmp_path / "folder").mkdir()
    shutil.copy(story, tmp_path / "folder" / "story.txt")  # the same name as another input
    shutil.copy(tmp_path / "pack.zip", tmp_path / "folder" / "pack.zip")
    for verb, field in (("read", "story"), ("events", "story"), ("detect", "")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STORY.encode())))
        assert run([verb, "story.txt", "pack.zip", "pack.tar.gz", "folder", "-", "--json", "-q"]) == 0
        out = capsys.readouterr().out
        found = json.loads(out) if verb == "detect" else [json.loads(line)[field] for line in out.splitlines()]
        assert [one["id"] for one in found] == [
            "story",
            "one",
            "two",
            "three",
            "pack.zip/one",
            "pack.zip/two",
            "folder/story",
            "stdin",
        ]


def test_a_text_has_one_name_in_every_verb(story: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file's name without its ending, on the terminal and in Python; endings alone do not make two texts one."""
    shutil.copy(story, tmp_path / "story.md")
    with gzip.open(tmp_path / "Mr. Hill.txt.gz", "wb") as packed:
        packed.write(STORY.encode())
    files = ["story.txt", "story.md", "Mr. Hill.txt.gz"]
    names = ["story", f"{tmp_path.name}/story", "Mr. Hill"]
    assert run(["events", *files, "-q"]) == 0
    assert re.findall(r"^(.+): \d+ sentences?,", capsys.readouterr().out, re.M) == names
    assert run(["detect", *files, "--json", "-q"]) == 0
    assert [detected["id"] for detected in json.loads(capsys.readouterr().out)] == names
    assert run(["read", *files, "--json", "-q"]) == 0
    assert [json.loads(line)["story"]["id"] for line in capsys.readouterr().out.splitlines()] == names
    path = tmp_path / "Mr. Hill.txt.gz"
    assert {verb(path).id for verb in (scenarist.events, scenarist.detect)} == {"Mr. Hill"}
    interpretation = scenarist.read(path)
    assert (interpretation.story.id, interpretation.story.title) == ("Mr. Hill", "Mr. Hill")


def test_learn_takes_a_folder_and_says_the_same_as_the_corpus(
    stories: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    for path in stories.glob("[a-z]*"):
        path.unlink()
    assert run(["learn", "stories/", "-o", "model", "--json"]) == 0
    mine = json.loads(capsys.readouterr().out)
    assert run(["learn", "texts:stories", "-o", "other", "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    assert (mine["tables"], mine["stamp"], mine["events"]) == (theirs["tables"], theirs["stamp"], theirs["events"])
    assert run(["learn", "storiez", "-o", "third"]) == 2
    assert run(["learn", "toy", "stories", "-o", "third"]) == 2
    assert "one corpus" in capsys.readouterr().err


def test_detect_gives_the_same_bytes_whatever_the_jobs(stories: Path, tmp_path: Path) -> None:
    for path in stories.glob("[a-z]*"):
        path.unlink()
    assert run(["detect", "stories", "-o", "one.jsonl", "-q"]) == 0
    assert run(["detect", "stories", "-o", "two.jsonl", "-q", "-j", "2"]) == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert len((tmp_path / "one.jsonl").read_text().splitlines()) == len(NAMES)


# outputs


@pytest.mark.parametrize(
    "args",
    [
        ["read", "story.txt", "--html", "story.txt"],
        ["read", "story.txt", "--html", "./sub/../story.txt"],
        ["events", "story.txt", "--html", "story.txt"],
        ["events", "story.txt", "-o", "story.txt"],
        ["detect", "story.txt", "--html", "story.txt"],
        ["detect", "story.txt", "-o", "story.txt"],
        ["detect", "story.txt", "--webanno", "story.txt"],
        ["read", "story.txt", "--html", "link.html"],
    ],
)
def test_an_output_that_is_an_input_is_refused(
    args: list[str], story: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.html").symlink_to(story)
    for more in ([], ["--force"]):
        assert run([*args, *more]) == 2
        assert "is one of the inputs" in capsys.readouterr().err
        assert story.read_text() == STORY


def test_a_folder_that_is_read_is_not_written_to(stories: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.name for path in stories.iterdir())
    for args in (["read", "stories", "-o", "stories"], ["learn", "stories", "-o", "stories"]):
        assert run(args) == 2
        assert "is the folder that is read" in capsys.readouterr().err
    assert sorted(path.name for path in stories.iterdir()) == before


@pytest.mark.parametrize(
    "args",
    [
        ["read", "story.txt", "--html", "theirs.html"],
        ["events", "story.txt", "--html", "theirs.html"],
        ["detect", "story.txt", "--html", "theirs.html"],
        ["show", "taking a bath", "--html", "theirs.html"],
        ["fill", "--chain", "arrest:obj ?", "--html", "theirs.html"],
        ["explain", "drain the pasta", "--html", "theirs.html"],
        ["bench", "toy", "--only", "frequency", "--html", "theirs.html"],
    ],
)
def test_a_file_of_others_needs_force_and_our_own_does_not(
    args: list[str], story: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "theirs.html"
    page.write_text("<p>my own page</p>")
    assert run(args) == 2
    assert "--force" in capsys.readouterr().err
    assert page.read_text() == "<p>my own page</p>"
    assert run([*args, "--force"]) == 0
    first = page.read_text()
    assert "my own page" not in first
    assert run(args) == 0


def test_folders_and_tables_of_others_are_spared(
    story: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "accounts.jsonl").write_text("my bank accounts\n")
    assert run(["read", "story.txt", "-o", "out"]) == 2
    assert (tmp_path / "out" / "accounts.jsonl").read_text() == "my bank accounts\n"
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "keys.jsonl").write_text("my keys\n")
    exam = ["exam", "storycloze", "toy", "-o", "d", "-q"]
    assert run(exam) == 2
    assert run([*exam, "--force"]) == 0
    assert run(exam) == 0  # an exam of ours is written anew
    (tmp_path / "found.tsv").write_text("#FORMAT=WebAnno TSV 3.2\nmy annotations\n")
    detect = ["detect", "story.txt", "--webanno", "found.tsv", "-q"]
    assert run(detect) == 2
    assert "other annotations" in capsys.readouterr().err
    assert run([*detect, "--force"]) == 0
    assert run(detect) == 0  # the same annotations: nothing is lost


# archives


def test_a_zip_bomb_is_refused_by_its_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bomb.zip").write_bytes(zipped({"a.txt": b"0" * (80 << 20)}))
    assert run(["read", "bomb.zip"]) == 2
    assert "over 200 times as much" in capsys.readouterr().err
    many = {f"{number}.txt": b"0" * (4 << 20) for number in range(12)}  # each small enough, together not
    (tmp_path / "many.zip").write_bytes(zipped(many))
    assert run(["detect", "many.zip"]) == 2
    with gzip.open(tmp_path / "bomb.txt.gz", "wb") as packed:
        packed.write(b"0" * (80 << 20))
    assert run(["events", "bomb.txt.gz"]) == 2
    with tarfile.open(tmp_path / "bomb.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = 80 << 20
        archive.addfile(entry, io.BytesIO(b"0" * entry.size))
    assert run(["detect", "bomb.tar.gz"]) == 2
    err = capsys.readouterr().err
    assert err.count("over 200 times as much") == 3


def test_a_damaged_zip_is_an_error_and_no_text(story: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = zipped({"a.txt": STORY})
    for name in ("damaged.zip", "damaged"):  # by its name, and by its bytes
        (tmp_path / name).write_bytes(data[: len(data) // 2])
        assert run(["read", name]) == 2
        assert "truncated or damaged" in capsys.readouterr().err
        assert run(["read", name, "story.txt", "--json"]) == 1
        assert len(capsys.readouterr().out.splitlines()) == 1
    broken = bytearray(data)
    broken[40] ^= 0xFF  # inside the packed bytes: the checksum is wrong
    (tmp_path / "broken.zip").write_bytes(bytes(broken))
    assert run(["detect", "broken.zip"]) == 2


# score


@pytest.fixture
def exam(tmp_path: Path) -> list[str]:
    assert run(["exam", "storycloze", "toy", "-o", "d", "-q"]) == 0
    return [json.loads(line)["id"] for line in (tmp_path / "d" / "keys.jsonl").read_text().splitlines()]


def answers(ids: list[str], guesses: str, first: str = "") -> str:
    lines = [f'{{"item": "{item}", "guesses": {guesses}}}' for item in ids]
    return "\n".join([*([first.replace("ID", ids[0])] if first else []), *lines[bool(first) :]]) + "\n"


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ('{"item": "ID", "guesses": [{"answer": "7"}]}', "line 1.*expected an index from 0 to 1, got '7'"),
        ('{"item": "ID", "guesses": [{"answer": -1}]}', "expected an index from 0 to 1"),
        ('{"item": "ID", "guesses": [{"answer": "yes"}]}', "expected an index"),
        ('{"item": "ID", "guesses": [{"answer": "0", "logp": 0.7}]}', "natural logarithm of a probability"),
        (
            '{"item": "ID", "guesses": [{"answer": "0", "logp": -2.0}, {"answer": "1", "logp": -0.1}]}',
            "expected the best first",
        ),
        ('{"item": "ID", "guesses": [{"answer": "0"}, {"answer": "0"}]}', "stands there twice"),
        ('{"item": "ID", "guesses": [{"answer": "0", "logp": -0.1}, {"answer": "1", "logp": -0.1}]}', "sum to 1.81"),
        ('{"item": "ID", "guesses": [{"answer": {"is": "order", "order": [0, 1]}}]}', "expected an index"),
        ("not json", "line 1"),
    ],
)
def test_score_refuses_answers_that_mean_nothing(
    first: str, said: str, exam: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.jsonl").write_text(answers(exam, '[{"answer": "0"}]', first))
    assert run(["score", "d", "mine.jsonl"]) == 2
    err = capsys.readouterr().err
    assert re.search(said, err), err
    assert "Traceback" not in err


def test_score_takes_integers_and_a_byte_order_mark(
    exam: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, odd = answers(exam, '[{"answer": "0"}]'), answers(exam, '[{"answer": 0}]')
    (tmp_path / "plain.jsonl").write_text(plain)
    (tmp_path / "odd.jsonl").write_bytes(b"\xef\xbb\xbf" + odd.replace("\n", "\r\n").encode())
    assert run(["score", "d", "plain.jsonl", "odd.jsonl", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["systems"]
    assert first["scores"]["accuracy"]["value"] == second["scores"]["accuracy"]["value"]


def test_empty_guesses_are_reported(exam: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.jsonl").write_text(answers(exam, '[{"answer": "0"}]', '{"item": "ID", "guesses": []}'))
    assert run(["score", "d", "mine.jsonl"]) == 0
    assert "1 predictions hold no guess" in " ".join(capsys.readouterr().out.split())
    assert run(["score", "d", "mine.jsonl", "--strict"]) == 2
    (tmp_path / "none.jsonl").write_text("")
    assert run(["score", "d", "none.jsonl"]) == 2
    keep = (tmp_path / "mine.jsonl").read_text()
    assert run(["score", "d", "mine.jsonl", "--html", "mine.jsonl"]) == 2
    assert (tmp_path / "mine.jsonl").read_text() == keep


def test_orders_and_segments_are_held_against_their_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exam", "detection", "toy", "-o", "w", "-q"]) == 0
    ids = [json.loads(line)["id"] for line in (tmp_path / "w" / "keys.jsonl").read_text().splitlines()]
    beyond = '[{"answer": {"is": "segments", "segments": [{"start": 0, "stop": 99999, "labels": [{"name": "taking a bath"}]}]}}]'
    (tmp_path / "w.jsonl").write_text(answers(ids, beyond))
    assert run(["score", "w", "w.jsonl"]) == 2
    assert "a segment ends at 99999" in capsys.readouterr().err
    assert run(["exam", "ordering", "toy", "-o", "o", "-q"]) == 0
    ids = [json.loads(line)["id"] for line in (tmp_path / "o" / "keys.jsonl").read_text().splitlines()]
    (tmp_path / "o.jsonl").write_text(answers(ids, '[{"answer": {"is": "order", "order": [1, 0]}}]'))
    assert run(["score", "o", "o.jsonl"]) == 2
    assert "expected an order of" in capsys.readouterr().err


# options and help


def help_of(verb: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run([*verb.split(), "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_no_completion_and_one_example_a_line(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(verb, capsys)
    assert "completion" not in text
    assert "Nothing here is random" not in text and "Accepted everywhere" not in text
    examples = text.partition("Example")[2].splitlines()
    assert all(line.count("scenarist ") <= 1 or "|" in line for line in examples), examples


@pytest.mark.parametrize(
    "verb", ["order", "get", "learn", "detect", "scenarios", "scenarios show", "scenarios add", "corpus list", "corpus check",
             "corpus stats", "read", "events", "show", "align", "doctor"],
)  # fmt: skip
def test_no_seed_where_nothing_is_random(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--seed" not in help_of(verb, capsys)


@pytest.mark.parametrize("verb", ["fill", "order", "show", "align", "corpus rank"])
def test_one_name_for_how_many_are_shown(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(verb, capsys)
    assert "--top" in text
    assert "--most" not in text and "--limit" not in text.replace("corpus rank", "")


@pytest.mark.parametrize("verb", ["read", "events", "detect", "learn"])
def test_verbs_that_take_texts_take_the_same_options(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(verb, capsys)
    for option in ("--encoding", "--jobs", "-j", "--out", "-o", "--quiet", "-q", "--strict", "--json"):
        assert option in text, option


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("corpus", "lab", "serve", "view", "export")])
def test_json_and_quiet_everywhere(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(verb, capsys)
    assert "--json" in text and "--quiet" in text


def test_a_story_and_its_endings(capsys: pytest.CaptureFixture[str]) -> None:
    story = "Mia planted a seed in a pot. She watered it every day. Then a green leaf came up."
    endings = ["--ending", "Mia watered the green leaf every day.", "--ending", "Tom sold an old piano."]
    assert run(["fill", "--story", story, *endings, "--by", "ngram-overlap", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["guesses"][0]["answer"] == "0"
    assert run(["fill", *endings]) == 2
    assert "--story TEXT" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["exam", "storycloze", "toy", "-o", "x", "--set", "foo=1"], ("foo", "see", "blind")),
        (["exam", "eventcloze", "toy", "-o", "x", "--set", "foo=1"], ("foo", "forms", "gaps", "repeats")),
        (["exam", "detection", "toy", "-o", "x", "--set", "foo=1"], ("foo", "labels")),
        (["fill", "--chain", "arrest:obj ?", "--by", "bigram", "--set", "foo=1"], ("foo", "smoothing")),
    ],
)
def test_an_unknown_switch_names_those_there_are(
    args: list[str], names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(args) == 2
    err = capsys.readouterr().err
    for name in names:
        assert name in err


@pytest.mark.skipif(sys.platform == "win32", reason="times of children are those of POSIX")
def test_help_comes_at_once() -> None:
    """Processor time, the best of seven: what other programs do meanwhile does not count."""
    import resource

    seconds = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "scenarist", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds) <= 0.4, seconds
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "scenarist", "--help"], check=True, capture_output=True, text=True
    ).stderr
    assert not re.search(r"\| +(numpy|spacy|msgspec|torch|pandas|pyarrow)$", loaded, re.M)


# tables


TABLES = (
    ["bench", "toy", "--only", "frequency,bigram", "-q"], ["scenarios", "--find", "shop"], ["show", "taking a bath", "--top", "5"],
    ["corpus", "list"], ["fill", "--chain", "arrest:obj escape:subj ?", "--top", "3"], ["doctor"], ["bench", "--list"],
)  # fmt: skip


@pytest.mark.parametrize("args", TABLES, ids=lambda args: " ".join(args[:2]))
def test_tables_are_never_cropped(
    args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    assert run(args) == 0
    piped = capsys.readouterr().out
    assert "…" not in piped
    words = set(re.findall(r"[A-Za-z]{4,}", piped))
    for columns in (80, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert run(args) == 0
        narrow = capsys.readouterr().out
        assert "…" not in narrow
        joined = re.sub(r"[^A-Za-z]", "", narrow)
        gone = {word for word in words if word not in joined}
        assert not gone, (columns, gone)
        lines = [line for line in narrow.splitlines() if args[0] != "bench" or set(line) & set("│┃━─")]
        if lines and (args != ["doctor"] or columns == 80):  # remarks below a table are left to the terminal to wrap
            assert max(map(len, lines)) <= columns


def test_a_piped_table_has_a_row_a_line(exam: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.jsonl").write_text(answers(exam, '[{"answer": "0"}]'))
    long = tmp_path / f"{'a-system-with-a-very-long-name-' * 6}.jsonl"
    long.write_text((tmp_path / "mine.jsonl").read_text())
    assert run(["score", "d", "mine.jsonl", str(long), "-q"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if long.stem in line and "accuracy" in line]
    assert rows


def test_doctor_fits_eighty_columns_and_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCENARIST_DATA", "")
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for part in ("extra [lm]", "weights storycloze", "corpus mcscript", "SCENARIST_DATA", "scenarist get smollm2"):
        assert part in out
    assert run(["doctor", "--json"]) == 0
    for finding in json.loads(capsys.readouterr().out):
        assert finding["detail"], finding
        assert finding["state"] in ("ok", "empty") or finding["next"], finding


# progress, interruption, a full disk


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
def test_progress_has_a_pace_and_an_end(tmp_path: Path) -> None:
    import pty

    (tmp_path / "long.txt").write_text("\n\n".join([STORY] * 150))
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "scenarist", "read", "long.txt", "-o", "out"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=child, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    )
    os.close(child)
    shown = b""
    while True:
        try:
            block = os.read(parent, 65536)
        except OSError as error:
            assert error.errno == errno.EIO  # the other side is closed
            break
        if not block:
            break
        shown += block
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"reading characters.*?[\d,]+/[\d,]+, [\d,.]+/s", text, re.S), text[-500:]
    assert "0/?" not in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["bench", "toy", "--only", "frequency"], "nothing was finished yet"),
        (["detect", "story.txt"], "nothing was written"),
        (["read", "story.txt", "-o", "out"], "nothing was finished yet"),
    ],
)
def test_what_is_kept_is_said_only_where_it_is(
    args: list[str], said: str, story: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    KEPT.clear()
    monkeypatch.setattr("scenarist.models.floor.Frequency.answer", stop)
    monkeypatch.setattr("scenarist.verbs.detect.detect_text", stop)
    monkeypatch.setattr("scenarist.verbs.read.interpret_batch", stop)
    assert run(args) == 130
    assert capsys.readouterr().err == f"scenarist: interrupted; {said}.\n"


def test_an_interrupted_read_says_how_many_stories_are_kept_and_goes_on(
    stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from scenarist.verbs import read

    def stop(batch: list[tuple[str, str, str]], tables: bool = False) -> list[read.InterpretationLine]:
        if batch[0][0].startswith("07"):
            raise KeyboardInterrupt
        return real(batch, tables)

    real = read.interpret_batch
    monkeypatch.setattr(read, "interpret_batch", stop)
    monkeypatch.setattr(read, "BATCH", 1)
    KEPT.clear()
    assert run(["read", "stories", "-o", "out", "-q"]) == 130
    assert "interrupted; stories kept: 7; the same command goes on from there." in capsys.readouterr().err
    kept = (tmp_path / "out" / "accounts.jsonl").read_bytes()
    assert len(kept.splitlines()) == 7
    monkeypatch.setattr(read, "interpret_batch", real)
    assert run(["read", "stories", "-o", "out", "-q"]) == 1
    whole = (tmp_path / "out" / "accounts.jsonl").read_bytes()
    assert whole.startswith(kept)
    assert run(["read", "stories", "-o", "again", "-q"]) == 1
    assert (tmp_path / "again" / "accounts.jsonl").read_bytes() == whole


def test_what_was_written_before_an_interruption_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    KEPT.clear()
    monkeypatch.setattr("scenarist.verbs.exam.example_line", stop)
    assert run(["exam", "storycloze", "toy", "-o", "d"]) == 130
    assert "interrupted; files kept: 3, each whole." in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_is_one_line_at_any_moment(jobs: str, stories: Path, tmp_path: Path) -> None:
    for number, seconds in enumerate((0.4, 1.5, 3.0, 5.0)):
        command = [sys.executable, "-m", "scenarist", "read", "stories", "-o", f"out{number}", "-q", "-j", jobs]
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the workers as well
        err = process.communicate(timeout=120)[1]
        if "scenarist" not in err and "Traceback" in err:
            continue  # Python itself was still starting
        assert "Traceback" not in err, err
        if process.returncode == 1:  # it was done already
            continue
        assert process.returncode == 130, err
        file = tmp_path / f"out{number}" / "accounts.jsonl"
        lines = file.read_bytes().splitlines() if file.exists() else []
        if said := re.search(r"stories kept: (\d+)", err):
            assert len(lines) == int(said[1])
        else:
            assert re.search("nothing was (finished yet|written)", err), err
            assert not lines


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_named(story: Path) -> None:
    for args in (["read", "story.txt", "--json"], ["show", "taking a bath"], ["scenarios"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "scenarist", *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 2
        assert "disk is full" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_is_no_damaged_store(story: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "none", small], capture_output=True, check=False
    ).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        for args in (["bench", "toy", "--only", "bigram"], ["read", "story.txt", "--html", str(small / "page.html")]):
            done = subprocess.run(
                [sys.executable, "-m", "scenarist", *args], capture_output=True, text=True, check=False,
                env={**os.environ, "SCENARIST_HOME": str(small)},
            )  # fmt: skip
            assert done.returncode == 2, done.stderr
            assert "disk is full" in done.stderr
            assert "move it away" not in done.stderr.lower()
    finally:
        subprocess.run(["umount", small], check=False)


# signatures


def test_a_signature_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    signature = "recall@50|exam:eventcloze|preset:lm-cloze|repeats:no|gaps:random|ties:expected|data:toy#1|seed:13|depth:4|v:0.2"
    assert run(["bench", "--explain", signature]) == 0
    out = capsys.readouterr().out
    assert "the share of keys among the first k guesses" in out
    assert "one event of a chain, drawn at random, was the gap" in out
    assert "the setting 'depth' was '4'" in out
    assert " was no\n" not in out and " was yes\n" not in out
    assert run(["bench", "--explain", signature, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(signature.split("|"))


def test_every_signature_of_the_results_is_said_in_words() -> None:
    """No field of any figure that is kept is called *the setting*, and no value is glued together as signatures glue it."""
    from scenarist.signature import explain

    signatures = set()
    for path in sorted((Path(__file__).parents[2] / "results").glob("*.json")):
        signatures.update(re.findall(r'"signature": ?"([^"]+)"', path.read_text(encoding="utf-8")))
    assert len(signatures) > 500
    for signature in sorted(signatures):
        for line in explain(signature)[1:]:
            assert not line.startswith("the setting '"), (line, signature)
            assert not re.search(r"[a-z]\+[a-z]|\w_-_", line), (line, signature)
