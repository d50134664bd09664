"""Every loader on tiny files of our own writing in its official format."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.conformance import check_corpus
from scenarist.corpora import bennett, descript, kidscook
from scenarist.corpora.mcscript import MCScript
from scenarist.corpora.nytchains import NYTChains
from scenarist.errors import BadInput, Missing
from scenarist.registry import make
from scenarist.story import Link, Story

CASES = [
    ("kidscook", "train", 2), ("kidscook", "dev", 2), ("kidscook", "test", 2),
    ("storycloze-2016", "dev", 2), ("storycloze-2016", "test", 2), ("storycloze-2018", "dev", 2),
    ("rocstories", "all", 1), ("mcscript", "all", 40), ("mcscript", "test", 1),
    ("inscript", "all", 2), ("inscript", "test", 2), ("descript", "all", 4),
    ("proscript", "all", 40), ("proscript", "test", 1), ("nyt-chains", "train", 2), ("nyt-chains", "dev", 1), ("nyt-chains", "test", 3),
    ("cmcnc", "dev", 1), ("mcnc", "test", 2), ("bennett", "dev", 1), ("bennett", "test", 1), ("bennett", "all", 1),
    ("ewt", "train", 1), ("ewt", "dev", 1), ("gum", "train", 1), ("gum", "test", 1), ("ontogum", "train", 1), ("ontogum", "dev", 1),
    ("litbank", "test", 1), ("novels", "all", 40), ("short-fiction", "all", 40),
    ("fairytales", "train", 1), ("fairytales", "dev", 1), ("fairytales", "test", 1), ("fairytales", "all", 3),
    ("gigaword", "all", 1), ("spinn3r", "all", 1), ("toy", "train", 18), ("toy", "dev", 6), ("toy", "test", 6), ("toy", "all", 30),
]  # fmt: skip


@pytest.mark.parametrize(("name", "split", "count"), CASES)
def test_count_and_two_passes(samples: Path, name: str, split: str, count: int) -> None:
    corpus = make("corpus", name, split=split)
    first = list(corpus)
    assert len(first) == count
    assert list(corpus) == first
    check_corpus(corpus)


@pytest.mark.parametrize("name", ["mcscript", "proscript", "novels", "short-fiction"])
def test_cut_splits_share_nothing_and_lose_nothing(samples: Path, name: str) -> None:
    train, dev, whole = (list(make("corpus", name, split=split)) for split in ("train", "dev", "all"))
    assert train
    assert dev
    key = (lambda noun: noun.scenario) if name == "proscript" else (lambda noun: noun.id)
    assert not {key(noun) for noun in train} & {key(noun) for noun in dev}
    assert sorted([key(noun) for noun in [*train, *dev]]) == sorted(key(noun) for noun in whole)


def test_storycloze(samples: Path) -> None:
    one, two = make("corpus", "storycloze-2016")
    assert one.context[1] == "She took a glass, a big one."
    assert (one.answer, two.answer) == (0, 1)
    assert two.endings[1] == "The kite flew away."
    assert [story.answer for story in make("corpus", "storycloze-2016", split="test")] == [None, None]
    with pytest.raises(BadInput, match="has no train split; it has dev, test"):
        list(make("corpus", "storycloze-2016", split="train"))


def test_rocstories_official_csv(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "ROCStories_spring2016.csv"
    path.write_text(sample("ROC_CSV"), encoding="utf-8")
    first, second = make("corpus", "rocstories", path=path)
    assert (first.id, first.title) == ("r1", "The Kite")
    assert first.of(first.sentences[3]) == "The string, an old one, broke."
    assert len(second.sentences) == 5
    (masked,) = make("corpus", "rocstories", split="all", cased=False)
    assert masked.note("cased") == "no"


def test_kidscook(samples: Path) -> None:
    egg, tea = make("corpus", "kidscook")
    assert [" ".join(egg.concrete[a:z]) for a, z in egg.blanks] == ["egg", "hot water"]
    assert tea.blanks == ((1, 2), (3, 4))
    with pytest.raises(Missing, match=r"approved\.5\.txt"):
        kidscook.whitelist()


def test_mcscript_official_xml(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "train-data.xml"
    path.write_text(sample("MCSCRIPT_XML"), encoding="utf-8")
    corpus = MCScript(path=path)
    first, second = corpus
    assert (first.text, first.scenario) == ("I boiled water & made tea.", "making tea")
    assert second.id == "mcscript-1"
    (quiz,) = corpus.questions()
    assert [reply.right for reply in quiz.replies] == [True, False]
    with pytest.raises(BadInput, match="has no questions"):
        list(MCScript().questions())


def test_mcscript_own_validation_file_is_dev(data_root: Path) -> None:
    (data_root / "mcscript").mkdir()
    for split in ("train", "dev"):
        (data_root / "mcscript" / f"{split}-data.xml").write_text(sample("MCSCRIPT_XML"), encoding="utf-8")
    assert len(list(MCScript("train"))) == len(list(MCScript("dev"))) == 2


def test_inscript_layers(samples: Path) -> None:
    story, _ = make("corpus", "inscript", split="all")
    assert story.text == "I boiled hot water. It didn't turn me off!"
    assert [story.of(sentence) for sentence in story.sentences] == ["I boiled hot water.", "It didn't turn me off!"]
    assert {entity.label: [story.of(m) for m in entity.mentions] for entity in story.entities} == {
        "ScrPart_drinker": ["I", "me"],
        "ScrPart_water": ["water", "It"],
    }
    assert [(event.predicate, event.label, story.of(event)) for event in story.events] == [
        ("boiled", "ScrEv_boil_water", "boiled"),
        ("turn_off", "UnrelEv", "turn"),
    ]
    assert [story.of(story.tokens[event.token]) for event in story.events] == ["boiled", "turn"]


def test_descript(samples: Path) -> None:
    stories = {story.id: story for story in make("corpus", "descript", split="all", phase="all")}
    assert set(stories) == {"making tea/2/1", "making tea/2/4", "washing one's hair/1/1", "washing one's hair/1/4"}
    tea = stories["making tea/2/1"]
    assert (tea.text, tea.scenario) == ("boil water\npour it on the leaves", "making tea")
    second = {story.id for story in make("corpus", "descript", split="all")}
    assert second == set(stories)  # the misspelled file is merged
    first, _ = descript.gold()
    assert (first.event, first.items[0].esd, first.items[0].slot) == ("boil_water", "making tea/2/1", 1)
    links = list(descript.alignments())
    assert [(one.phase, one.slot, one.between, one.gold) for one in links] == [
        ("pilot", 1, None, 1), ("pilot", None, (1, 2), None), ("phase1", None, (0, 1), None),
        ("phase2", None, (1, 2), 1), ("phase2", None, None, None),
    ]  # fmt: skip


def test_proscript(samples: Path) -> None:
    (script,) = make("corpus", "proscript", split="test")
    assert [event.id for event in script.events] == ["0", "1", "2", "4"]  # NONE is left out
    assert script.order == (("0", "2", 1.0), ("1", "2", 1.0), ("2", "4", 1.0))
    assert script.durations == (("0", "5 min"), ("1", "0.5 min"), ("4", "8 min"))
    (bare,) = make("corpus", "proscript", split="test", goal=False)
    assert [event.phrases[0] for event in bare.events] == ["boil water", "find a cup", "pour"]
    assert bare.order == (("0", "2", 1.0), ("1", "2", 1.0))


def test_nyt_chains(samples: Path) -> None:
    first, second = make("corpus", "nyt-chains")
    assert first.links == (Link("boil", "nsubj"), Link("drink", "nsubj"))
    assert second.story == "NYT_ENG_19940701.0001"
    assert [str(chain) for chain in make("corpus", "nyt-chains", split="dev")] == ["sing:nsubj"]
    assert len(list(make("corpus", "nyt-chains", split="all", minimum=2))) == 1
    assert [len(document.chains) for document in NYTChains("all").documents()] == [2, 1]


def test_mcnc(samples: Path) -> None:
    one, two = make("corpus", "mcnc", split="test")
    assert one.key == "drank(kim,tea)"
    assert {str(choice) for choice in one.question.choices} == {
        "drank(kim,tea)",
        "sued(kim,cup)",
        "elected(water,mayor)",
    }
    assert one.question.gap is None
    assert one.id != two.id


def test_bennett(samples: Path) -> None:
    (story,) = make("corpus", "bennett")
    assert story.id == "063"
    assert [story.of(token) for token in story.tokens] == ["🙂", "Kim", "drank", "."]
    (kim,) = story.entities
    assert (story.of(kim.mentions[0]), kim.kind, kim.gender, kim.mentions[0].kind) == (
        "Kim",
        "person",
        "female",
        "name",
    )
    assert (story.tokens[1].dep, story.tokens[1].head, story.tokens[2].dep) == ("nsubj", 2, "root")
    first, second = bennett.responses()
    assert (first.document, second.document) == ("063", "063")
    assert (first.condition, second.condition) == ("caveman", "full")
    assert (first.trial, second.trial) == (1, None)


def test_treebanks(samples: Path) -> None:
    (story,) = make("corpus", "gum")
    assert (story.text, story.genre) == ("Kim drank.", "fiction")
    assert list(make("corpus", "gum", path=samples / "treebanks" / "en_gum-ud-dev.conllu.gz", genre="fiction"))
    with pytest.raises(BadInput, match="empty corpus"):
        list(make("corpus", "gum", genre="vlog"))


def test_ontogum_and_litbank(samples: Path) -> None:
    (story,) = make("corpus", "ontogum")
    assert (story.id, story.genre, story.sentences) == ("GUM_fiction_tea", "fiction", ())
    assert [story.of(mention) for mention in story.entities[0].mentions] == ["Kim", "her"]
    (lit,) = make("corpus", "litbank", split="test")
    assert (lit.text, lit.title) == ("Old Kim drank.", "tea")
    assert [(entity.kind, lit.of(entity.mentions[0])) for entity in lit.entities] == [("person", "Old Kim")]
    assert [(event.predicate, lit.of(event)) for event in lit.events] == [("drank", "drank")]


def test_fiction(samples: Path) -> None:
    novel = next(iter(make("corpus", "novels")))
    assert (novel.title, novel.genre) == ("the kettle", "novel")
    assert next(iter(make("corpus", "short-fiction"))).genre == "novella"
    (tale,) = make("corpus", "fairytales", split="dev")
    assert [tale.of(sentence) for sentence in tale.sentences] == ["Once there was a kettle.", "It sang."]


def test_gigaword(samples: Path) -> None:
    (story,) = make("corpus", "gigaword", split="all")
    assert story.text == "A tap broke in the town hall on Friday and was mended.\nNobody was hurt & everybody had tea."
    assert (story.title, story.note("dateline"), story.genre) == ("TEA & TAPS", "NEW YORK (AP)", "story")
    other = list(make("corpus", "gigaword", split="all", kinds=("other",)))
    assert [one.text for one in other] == ["Scores of the evening."]


def test_spinn3r(samples: Path) -> None:
    (post,) = make("corpus", "spinn3r", split="all")
    assert (post.text, post.title) == ("The tap broke.\nI cried & called Kim.", "My tap")
    assert post.note("weblog:tier") == "3"
    assert len(list(make("corpus", "spinn3r", split="all", language=""))) == 2


def test_toy_views() -> None:
    story: Story = next(iter(make("corpus", "toy")))
    assert len(story.sentences) == 5
    assert {event.predicate for event in story.events} >= {"bake", "mix", "pour"}
    for kind in ("cloze", "pairs", "chains", "documents", "documents-noisy"):
        for split in ("train", "dev", "test"):
            check_corpus(make("corpus", "toy", split=split, kind=kind))
    document = next(iter(make("corpus", "toy", kind="documents-noisy")))
    assert len({name for segment in document.segments for name in segment.names}) == 2
    assert document.segments[0].stop < document.segments[1].start - 10  # asides lie between them
    endings = [story.answer for story in make("corpus", "toy", split="all", kind="cloze")]
    assert 8 <= sum(endings) <= 22
    with pytest.raises(BadInput, match="kind must be one of"):
        make("corpus", "toy", kind="poems")


def test_jsonl_of_ones_own(tmp_path: Path) -> None:
    from scenarist.formats import jsonl

    stories = [Story("a", "One."), Story("b", "Two.")]
    jsonl.write(tmp_path / "mine.jsonl.gz", stories)
    assert list(make("corpus", f"jsonl:{tmp_path / 'mine.jsonl.gz'}")) == stories
    jsonl.write(tmp_path / "twice.jsonl", [*stories, stories[0]])
    with pytest.raises(BadInput, match="duplicate id 'a'"):
        list(make("corpus", f"jsonl:{tmp_path / 'twice.jsonl'}"))


def test_parsed_files_of_ones_own(samples: Path) -> None:
    (story,) = make("corpus", f"conllu:{samples / 'treebanks' / 'en_gum-ud-dev.conllu.gz'}")
    assert story.text == "Kim drank."
    assert len(list(make("corpus", f"conllu:{samples / 'treebanks'}"))) == 5
    (found,) = make("corpus", f"conll:{samples / 'ontogum' / 'train'}")
    assert found.entities


def sample(name: str) -> str:
    namespace: dict[str, str] = {}
    exec((Path(__file__).parent / "samples.py").read_text(encoding="utf-8"), namespace)  # constants of our own file
    return namespace[name]
