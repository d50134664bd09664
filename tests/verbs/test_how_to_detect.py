"""docs/how-to/detect.md as written: the commands of its blocks, tables and sentences run on a text and on a folder of two annotators' files."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.formats import webanno
from scenarist.story import Label, Segment, Story, replace
from scenarist.verbs.detect import with_tokens

PAGE = (Path(__file__).parents[2] / "docs/how-to/detect.md").read_text("utf-8")
TEXT = (
    "I was tired. I filled the tub with hot water and added some soap. I got into the bath and washed my hair. Then I dried myself with a towel. "
    "The next day we walked into the cafe. A waiter brought the menu. We ate pasta and paid the bill."
)
LONG = {
    "deep-detector": "some seconds of processor time a segment (tests/models/scenarios/test_deep_detector.py)",
    "bench": "tables on stitched stories take minutes; Table 6 on a folder is run below, for one row",
    "--only": "part of another command",
}


def commands() -> list[str]:
    """Whole commands of the page: lines of `sh` blocks, and what stands in backticks of tables and sentences."""
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", PAGE, re.S))
    lines = [line.partition("#")[0].strip() for line in blocks.splitlines()]
    inline = [
        text.replace("\n", " ").replace("\\|", "|")
        for text in re.findall(r"`((?:cat [^`]*)?scenarist [^`]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.S))
    ]
    return list(dict.fromkeys([*filter(None, lines), *inline]))


RUN = [command for command in commands() if not any(word in command.split() for word in LONG)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    (tmp_path / "story.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "texts").mkdir()
    for name in ("a", "b"):
        (tmp_path / "texts" / f"{name}.txt").write_text(TEXT, encoding="utf-8")
    for label, part in (
        ("taking a bath", TEXT.split("The next")[0]),
        ("eating in a restaurant", "The next" + TEXT.split("The next")[1]),
    ):
        for number in range(3):
            labelled = tmp_path / "LABELLED" / label / f"{number}.txt"
            labelled.parent.mkdir(parents=True, exist_ok=True)
            labelled.write_text(part, encoding="utf-8")
    story = with_tokens(Story.from_sentences("day", TEXT.split(". ")))
    bath = Segment(story.sentences[1].start, story.sentences[3].stop, (Label("taking a bath"),))
    for who, stop in (("ann", 3), ("bob", 2)):
        segment = replace(bath, stop=story.sentences[stop].stop)
        webanno.write(tmp_path / "DIR" / who / "day.tsv", replace(story, segments=(segment,)))
    return tmp_path


def test_the_page_has_commands_and_those_left_out_are_few() -> None:
    assert len(RUN) >= 14 and len(commands()) - len(RUN) <= 9
    for start in (
        "scenarist exam detection webanno:DIR",
        "scenarist corpus merge DIR",
        "scenarist corpus stats webanno:DIR",
        "cat story.txt |",
    ):
        assert any(command.startswith(start) for command in RUN), start


@pytest.mark.parametrize("command", RUN)
def test_a_command_runs_as_written(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if command.startswith("cat story.txt |"):
        command = command.partition("|")[2]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode()), encoding="utf-8"))
    words = [word.replace("texts:FOLDER", "texts:texts") for word in shlex.split(command)]
    words = [str(path) for word in words for path in (sorted(Path().glob(word)) if "*" in word else [word])]
    assert words[0] == "scenarist"
    if "--affinity" in words:
        assert run(["corpus", "affinity", "texts:LABELLED", "-o", words[words.index("--affinity") + 1]]) == 0
    assert run(words[1:]) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    for option in ("-o", "--html", "--webanno"):
        if option in words:
            assert Path(words[words.index(option) + 1]).exists()
    if words[1] == "detect":
        assert "taking a bath" in out or "--webanno" in words
        if "--json" in words:
            assert json.loads(out)


@pytest.mark.data("mcscript")
def test_table_6_runs_on_the_folder(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = (command for command in commands() if command.startswith("scenarist bench wanzare2019 --corpus"))
    assert run([*shlex.split(command)[1:], "--only", "detector,tt-tfidf-paper", "--json", "--quiet"]) == 0
    form = json.loads(capsys.readouterr().out)
    (ours,) = (row for row in form["rows"] if row["role"] == "ours")
    assert form["split"] == "all" and {"f1/webanno", "pk/webanno"} <= set(ours["scores"])


def test_the_exam_of_a_folder_is_scored(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`exam` and then `score`: gold is what the annotators agree on, and the gold itself is right everywhere."""
    assert run(["exam", "detection", "webanno:DIR", "-o", "exam", "--quiet"]) == 0
    (key,) = (json.loads(line) for line in Path("exam/keys.jsonl").read_text("utf-8").splitlines())
    answer = {"item": key["id"], "guesses": [{"answer": key["key"]}], "by": "gold"}
    Path("mine.jsonl").write_text(json.dumps(answer) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["score", "exam", "mine.jsonl", "--json"]) == 0
    assert '"value": 1.0' in json.dumps(json.loads(capsys.readouterr().out))
