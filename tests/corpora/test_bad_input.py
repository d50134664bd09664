"""A broken file ends in one message with the file, the line and what was expected."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.registry import make

HEAD = "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding\n"
ROW = "a1,One.,Two.,Three.,Four.,Five.,Six.,1\n"
INS = "\u2581I @ScrPart_x_tea single none none 0  none\n"

CASES = [
    ("storycloze-2016", HEAD + ROW + ROW, r"line 3: duplicate id 'a1', already given at .*line 2"),
    ("storycloze-2016", HEAD + ROW.replace(",1\n", ",3\n"), r"line 2: AnswerRightEnding must be 1 or 2, not '3'"),
    ("storycloze-2016", HEAD.replace("InputSentence4,", "") + ROW, r"line 1: missing column InputSentence4"),
    ("storycloze-2016", HEAD, r"empty corpus"),
    ("storycloze-2016", HEAD + ROW[:20], r"line 2: expected 8 columns"),
    ("storycloze-2016", HEAD + ROW.replace("a1", ""), r"line 2: the id is empty"),
    ("kidscook", "boil .\tboil it .\n", r"line 1: expected abstract, concrete and tags joined by tabs, got 2 columns"),
    ("kidscook", "boil .\tboil it .\t1 0\n", r"line 1: expected 3 tags 0 or 1, one a concrete token, got 2"),
    ("rocstories", '{"sentences": ["One.", "Two."]}\n', r"story 1: expected five sentences, got 2"),
    ("rocstories", '{"sentences": 3}\n', r"line 1: not a valid RocStoriesLine: .*sentences"),
    ("mcscript", '{"scenario": "x"}\n', r"line 1: not a valid McScriptLine: .*`text`"),
    ("mcscript", '{"scenario": "x", "te', r"line 1: not a valid McScriptLine"),
    ("proscript", '{"scenario": "x", "events": {"0": "a"}, "gold_edges_for_prediction": ["0->9"]}\n', r"line 1: expected an edge such as"),
    ("nyt-chains", "<DOCNAME>D\neat\n", r"line 2: expected an event as verb->dep"),
    ("cmcnc", "a|b\n", r"line 1: expected subject\|predicate\|object"),
    ("cmcnc", "a|b|c\nNEG_SEP\n", r"line 2: expected HOLDOUT_SEP, got NEG_SEP"),
    ("cmcnc", "a|b|c\nHOLDOUT_SEP\nd|e|f\nNEG_SEP\n", r"line 4: expected a context, one held-out event and wrong events; is the file truncated"),
    ("gigaword", '<DOC id="a" type="story" >\n<TEXT>\nx\n', r"line 3: expected </DOC> for a; is the file truncated"),
    ("gigaword", '<DOC id="a" type="story" >\n<DOC id="b" type="story" >\n', r"line 2: expected </DOC> before the next <DOC>"),
    ("spinn3r", "<dataset>\n<item><title>x", r"line 2, column \d+: not well-formed XML, truncated"),
    ("ewt", "1\tKim\n\n", r"line 1: expected 10 columns"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "says"), CASES)
def test_broken_text(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / "broken"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=says) as caught:
        list(make("corpus", name, path=path))
    assert str(path) in str(caught.value)
    assert caught.value.code == 2


@pytest.mark.parametrize(
    "name",
    ["storycloze-2016", "kidscook", "rocstories", "mcscript", "proscript", "nyt-chains", "cmcnc", "ewt", "gigaword"],
)
def test_wrong_encoding(tmp_path: Path, name: str) -> None:
    path = tmp_path / "latin"
    path.write_bytes(b"na\xefve\n")
    with pytest.raises(BadInput, match=r"latin, line 1: expected utf-8 text, byte 3 of the line is 0xef"):
        list(make("corpus", name, path=path))


@pytest.mark.parametrize("name", ["mcscript", "nyt-chains", "ewt", "rocstories"])
def test_truncated_gzip(tmp_path: Path, name: str) -> None:
    lines = {
        "mcscript": [f'{{"scenario": "x", "text": "Story {n} of many."}}\n' for n in range(500)],
        "rocstories": [f'{{"sentences": ["{n}.", "b.", "c.", "d.", "e."]}}\n' for n in range(500)],
        "nyt-chains": ["<DOCNAME>D\n", *[f"eat{n}->nsubj\n" for n in range(500)]],
        "ewt": [f"1\tKim{n}\tKim\t_\t_\t_\t0\troot\t_\t_\n\n" for n in range(500)],
    }[name]
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress("".join(lines).encode())[:-60])
    with pytest.raises(BadInput, match=r"cut\.gz, after line \d+: the packed file is truncated or damaged"):
        list(make("corpus", name, path=path))


def test_inscript_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no file of the expected kind"):
        list(make("corpus", "inscript", path=tmp_path))
    (tmp_path / "tea.tsv").write_text(INS, encoding="utf-8")
    with pytest.raises(BadInput, match=r"tea\.tsv, line 1: expected <end_of_story> at the end"):
        list(make("corpus", "inscript", path=tmp_path))
    (tmp_path / "tea.tsv").write_text("I none\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"tea\.tsv, line 1: expected piece, participant, mark"):
        list(make("corpus", "inscript", path=tmp_path))


def test_litbank_side_files(samples: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "test"
    shutil.copytree(samples / "litbank" / "test", copy)
    events = copy / "events" / "tsv" / "7_tea_brat.tsv.gz"
    events.write_bytes(gzip.compress(b"Old\tO\nKim\tO\n"))
    with pytest.raises(BadInput, match="expected 4 tokens, got 2; is the file truncated"):
        list(make("corpus", "litbank", path=copy))
    events.write_bytes(gzip.compress(b"Old\tO\nSam\tO\n"))
    with pytest.raises(BadInput, match=r"line 2: expected the token of the coreference file, got 'Sam'"):
        list(make("corpus", "litbank", path=copy))
    events.unlink()
    with pytest.raises(BadInput, match=r"expected 7_tea_brat\.tsv"):
        list(make("corpus", "litbank", path=copy))


@pytest.mark.parametrize("name", ["gigaword", "spinn3r", "gum", "bennett", "novels"])
def test_missing_corpus(data_root: Path, name: str) -> None:
    with pytest.raises(Missing, match="Obtain it"):
        list(make("corpus", name))


def test_given_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        list(make("corpus", "kidscook", path=tmp_path / "x"))
