from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.formats import conllcoref

SHORT = "# begin document \n0\tThe\t(1(2\n1\tdog\t2)\n2\t\t(3\n3\tbarks\t3)1)\n4\t,\t_\n5\tit\t(2)\n# end document\n"
LONG = """\
#begin document (tale); part 0
tale\t0\t0\tAnn\t_\t_\t_\t_\t_\t_\t_\t_\t(1)
tale\t0\t1\tran\t_\t_\t_\t_\t_\t_\t_\t_\t
tale\t0\t2\t.\t_\t_\t_\t_\t_\t_\t_\t_\t

tale\t0\t0\tShe\t_\t_\t_\t_\t_\t_\t_\t_\t(1|(2)
tale\t0\t1\tfell\t_\t_\t_\t_\t_\t_\t_\t_\t1)

#end document
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_short_dialect_with_its_traps(tmp_path: Path) -> None:
    (story,) = conllcoref.read(write(tmp_path / "GUM_news_demo.conll", SHORT))
    assert story.id == "GUM_news_demo"  # the document's name is empty
    assert story.text == "The dog barks, it"  # the token without a word is left out
    assert story.sentences == ()
    spans = {entity.id: [story.of(mention) for mention in entity.mentions] for entity in story.entities}
    assert spans == {"1": ["The dog barks"], "2": ["The dog", "it"], "3": ["barks"]}


@pytest.mark.parametrize("empty", ["2\t\t(3", "2\t \t(3", "2\t(3", "2\t\u00a0\t(3"])
def test_a_token_without_a_word_however_it_is_written(tmp_path: Path, empty: str) -> None:
    (story,) = conllcoref.read(write(tmp_path / "GUM_news_demo.conll", SHORT.replace("2\t\t(3", empty)))
    assert story.text == "The dog barks, it"
    assert [story.of(entity.mentions[0]) for entity in story.entities if entity.id == "3"] == ["barks"]


def test_long_dialect_and_round_trip(tmp_path: Path) -> None:
    (story,) = conllcoref.read(write(tmp_path / "d.conll", LONG))
    assert story.id == "tale"
    assert [story.of(sentence) for sentence in story.sentences] == ["Ann ran.", "She fell"]
    conllcoref.write(tmp_path / "e.conll", [story])
    (again,) = conllcoref.read(tmp_path / "e.conll")
    assert (again.text, again.tokens, again.sentences) == (story.text, story.tokens, story.sentences)
    assert [entity.mentions for entity in again.entities] == [entity.mentions for entity in story.entities]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0\tAnn\t_\n", "line 1: expected '#begin document'"),
        ("# begin document \n0\tAnn\n# end document\n", "line 2: expected at least 3 columns"),
        ("# begin document \n0\tAnn\t4)\n# end document\n", "line 2: the chain 4 is closed but was never opened"),
        ("# begin document \n0\tAnn\t(4\n# end document\n", "ends with open chains 4"),
        ("# begin document \n0\tAnn\t4\n# end document\n", "line 2: expected brackets"),
        ("# begin document \n0\tAnn\t_\n", "expected '#end document'; is the file truncated"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        list(conllcoref.read(write(tmp_path / "bad.conll", text)))
