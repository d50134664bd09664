from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.formats import conllu
from scenarist.registry import make
from scenarist.story import Entity, Mention, Story, replace

SAMPLE = """\
# newdoc id = demo
# global.Entity = GRP-etype-infstat-minspan-identity
# meta::genre = fiction
# meta::title = A demo
# sent_id = demo-1
# text = Ann's dogs don't bark.
1-2\tAnn's\t_\t_\t_\t_\t_\t_\t_\t_
1\tAnn\tAnn\tPROPN\tNNP\tNumber=Sing\t3\tnmod:poss\t_\tEntity=(2-animal-new-2-(1-person-new-1-Ann_Lee)
2\t's\t's\tPART\tPOS\t_\t1\tcase\t_\t_
3\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t6\tnsubj\t_\tEntity=2)|SplitAnte=1<2,3<2
4-5\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
4\tdo\tdo\tAUX\tVBP\t_\t6\taux\t_\t_
5\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t_\t_
6\tbark\tbark\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No
6.1\tloud\t_\t_\t_\t_\t_\t_\t_\t_
7\t.\t.\tPUNCT\t.\t_\t6\tpunct\t_\t_

# newpar
# sent_id = demo-2
# text = They sleep
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(2-animal-giv-1)
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\t_

"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_document(tmp_path: Path) -> None:
    (story,) = conllu.read(write(tmp_path / "d.conllu", SAMPLE))
    assert story.text == "Ann's dogs don't bark.\nThey sleep"
    assert [story.of(token) for token in story.tokens] == [
        "Ann",
        "'s",
        "dogs",
        "do",
        "n't",
        "bark",
        ".",
        "They",
        "sleep",
    ]
    assert [story.of(sentence) for sentence in story.sentences] == ["Ann's dogs don't bark.", "They sleep"]
    assert (story.title, story.genre) == ("A demo", "fiction")
    assert [token.head for token in story.tokens] == [2, 0, 5, 5, 5, -1, 5, 8, -1]
    assert story.tokens[0].dep == "nmod:poss"
    dogs, ann = story.entities
    assert [story.of(mention) for mention in dogs.mentions] == ["Ann's dogs", "They"]
    assert (dogs.kind, dogs.members, ann.name, ann.kind) == ("animal", ("1", "3"), "Ann Lee", "person")
    assert story.of(story.tokens[dogs.mentions[0].head]) == "'s"  # the minspan of the sample says 2


def test_round_trip(tmp_path: Path) -> None:
    (story,) = conllu.read(write(tmp_path / "d.conllu", SAMPLE))
    conllu.write(tmp_path / "e.conllu", [story])
    (again,) = conllu.read(tmp_path / "e.conllu")
    assert (again.text, again.tokens, again.sentences, again.genre) == (
        story.text,
        story.tokens,
        story.sentences,
        story.genre,
    )
    spans = [[(m.first, m.last) for m in entity.mentions] for entity in story.entities]
    assert [[(m.first, m.last) for m in entity.mentions] for entity in again.entities] == spans
    conllu.write(tmp_path / "f.conllu", [again])
    assert (tmp_path / "e.conllu").read_bytes() == (tmp_path / "f.conllu").read_bytes()


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("1\tAnn\tAnn\n\n", "line 1: expected 10 columns joined by tabs, got 3"),
        ("1\tAnn\tAnn\t_\t_\t_\t7\tdep\t_\t_\n\n", "line 1: the head must be 0 to 1, not '7'"),
        ("1\tAnn\tAnn\t_\t_\t_\t0\troot\t_\tEntity=4)\n\n", "line 1: the entity 4 is closed but was never opened"),
        ("1\tAnn\tAnn\t_\t_\t_\t0\troot\t_\tEntity=(4\n\n", "ends with open entities 4"),
        ("1\tAnn\tAnn\t_\t_\t_\t0\troot\t_\t_\n", "line 1: expected an empty line after the last sentence"),
    ],
)
def test_bad_files(tmp_path: Path, broken: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        list(conllu.read(write(tmp_path / "bad.conllu", broken)))


def test_story_without_tokens_cannot_be_written() -> None:
    with pytest.raises(BadInput, match="needs sentences and tokens"):
        list(conllu.as_lines(Story("s", "No tokens.")))


words = st.text(alphabet="abcäß'-.🙂", min_size=1, max_size=6)


@settings(max_examples=50)
@given(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=4))
def test_any_words_survive(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]]) -> None:
    story = Story.from_words("s", sentences)
    last = len(story.tokens)
    mentions = (
        Mention(story.tokens[0].start, story.tokens[last - 1].stop, 0, last),
        Mention(0, story.tokens[0].stop, 0, 1),
    )
    story = replace(story, entities=(Entity("1", mentions[:1]), Entity("2", mentions[1:])) if last > 1 else ())
    path = tmp_path_factory.mktemp("conllu") / "s.conllu"
    conllu.write(path, [story])
    (again,) = conllu.read(path)
    assert again.text == story.text
    assert [(t.start, t.stop) for t in again.tokens] == [(t.start, t.stop) for t in story.tokens]
    assert [e.id for e in again.entities] == [e.id for e in story.entities]


@pytest.mark.data("gum")
def test_gum_round_trip() -> None:
    story = next(iter(make("corpus", "gum", split="dev")))
    text = "".join(conllu.as_lines(story))
    assert text.count("# sent_id") == len(story.sentences)
