"""The corpora at hand: their counts as documented, and what their layers promise."""

from __future__ import annotations

from collections import Counter

import pytest

from scenarist.conformance import check_corpus
from scenarist.corpora import bennett, descript, kidscook, manifest, nytchains
from scenarist.corpora.stats import describe
from scenarist.registry import make
from scenarist.story import Story


@pytest.mark.data("kidscook")
def test_kidscook() -> None:
    train, dev = describe(make("corpus", "kidscook")), describe(make("corpus", "kidscook", split="dev"))
    assert (train.count("pairs"), train.count("blanks")) == (8038, 37475)
    assert (dev.count("pairs"), dev.count("blanks")) == (1007, 4787)
    assert len(kidscook.vocabulary()) == 2005
    assert len(kidscook.whitelist()) == 1071
    import numpy as np

    assert np.load(kidscook.vectors_file()).shape == (2005, 100)
    abstracts = {pair.abstract for pair in make("corpus", "kidscook")}
    assert len({pair.abstract for pair in make("corpus", "kidscook", split="dev")} & abstracts) == 11


@pytest.mark.data("storycloze-2016", "storycloze-2018")
def test_storycloze() -> None:
    old, new = list(make("corpus", "storycloze-2016")), list(make("corpus", "storycloze-2018"))
    assert (len(old), len(new)) == (1871, 1556)
    assert {story.context for story in new} <= {story.context for story in old}
    assert all(story.answer in (0, 1) for story in (*old, *new))


@pytest.mark.data("rocstories")
def test_rocstories() -> None:
    assert sum(1 for _ in make("corpus", "rocstories", split="all")) == 33545
    assert sum(1 for _ in make("corpus", "rocstories", split="all", cased=True)) == 17305


@pytest.mark.data("rocstories", "storycloze-2016")
def test_rocstories_do_not_give_story_cloze_away() -> None:
    def plain(texts: tuple[str, ...]) -> str:
        return "".join(letter for letter in "".join(texts).lower() if letter.isalnum())

    contexts = {plain(story.context) for story in make("corpus", "storycloze-2016")}
    stories = make("corpus", "rocstories", split="all", cased=True)
    assert not [story.id for story in stories if plain(tuple(map(story.of, story.sentences[:4]))) in contexts]


@pytest.mark.data("mcscript", "rocstories", "inscript")
@pytest.mark.parametrize("name", ["mcscript", "rocstories", "inscript"])
def test_train_and_dev_share_no_text(name: str) -> None:
    train, dev = ({story.text for story in make("corpus", name, split=split)} for split in ("train", "dev"))
    assert train
    assert dev
    assert not train & dev


@pytest.mark.data("mcscript")
def test_mcscript() -> None:
    stats = describe(make("corpus", "mcscript", split="all"))
    assert (stats.count("documents"), stats.count("scenarios")) == (3042, 196)
    train, dev = (set(make("corpus", "mcscript", split=split)) for split in ("train", "dev"))
    assert len(train) + len(dev) == 3042


@pytest.mark.data("inscript")
def test_inscript() -> None:
    stories = list(make("corpus", "inscript", split="all"))
    assert (len(stories), len({story.scenario for story in stories})) == (820, 10)
    first = stories[0]
    heads = Counter(event.label.split("_")[0] for story in stories for event in story.events)
    assert set(heads) == {"ScrEv", "RelNScrEv", "UnrelEv", "Evoking", "Unclear"}
    assert all(first.of(token).strip() for token in first.tokens)
    protagonist = max(first.entities, key=lambda entity: len(entity.mentions))
    assert {first.of(mention).lower() for mention in protagonist.mentions} <= {"i", "my", "me", "myself"}


@pytest.mark.data("descript")
def test_descript() -> None:
    stories = {story.id: story for story in make("corpus", "descript", split="all", phase="all")}
    second = list(make("corpus", "descript", split="all"))
    assert (len(second), len({story.scenario for story in second})) == (3845, 40)
    sets = list(descript.gold())
    assert len({one.scenario for one in sets}) == 10
    items = [item for one in sets for item in one.items]
    same = sum(stories[item.esd].of(stories[item.esd].sentences[item.slot - 1]) == item.text for item in items)
    assert len(items) - same == 9  # nine slots are numbered otherwise in the release
    links = list(descript.alignments())
    assert sum(link.esd in stories for link in links) == len(links)


@pytest.mark.data("proscript")
def test_proscript() -> None:
    scripts = list(make("corpus", "proscript", split="all"))
    assert len(scripts) == 965
    for script in scripts:
        known = {event.id for event in script.events}
        assert all({earlier, later} <= known for earlier, later, _ in script.order)
        assert script.events[-1].phrases == (script.scenario.strip(),)


@pytest.mark.data("nyt-chains")
def test_nyt_chains() -> None:
    stats = describe(make("corpus", "nyt-chains", split="all"))
    assert (stats.count("chains"), stats.count("chains of two or more")) == (647616, 113223)
    assert sum(1 for _ in nytchains.NYTChains("all").documents()) == 6890
    items = list(nytchains.cloze_items())
    assert len({item.id for item in items}) == len(items) == 65


@pytest.mark.data("cmcnc")
def test_cmcnc() -> None:
    items = list(make("corpus", "cmcnc"))
    assert len(items) == 71
    places = Counter([str(choice) for choice in item.question.choices].index(item.key) for item in items)
    assert max(places.values()) < 30  # the right one stands anywhere


@pytest.mark.data("bennett")
def test_bennett() -> None:
    answers = list(bennett.responses())
    assert len(answers) == 414
    assert len({answer.person for answer in answers}) == 24
    assert len({answer.document for answer in answers}) == 17
    assert len({(answer.document, answer.chain, answer.blank) for answer in answers}) == 46
    people = {answer.person: answer.condition for answer in answers}
    assert Counter(people.values()) == {"caveman": 11, "verb-subject": 7, "full": 6}
    assert len(list(bennett.annotated())) == len(list(bennett.main_verbs())) == 407
    tasks = {(one.document, one.chain, one.blank) for one in bennett.rankings()}
    assert len(tasks) == 34
    stories = {story.id: story for story in make("corpus", "bennett")}
    assert len(stories) == 20
    assert {one.document for one in bennett.chains()} <= set(stories)


@pytest.mark.data("ewt", "gum")
def test_treebanks() -> None:
    assert describe(make("corpus", "ewt")).count("sentences") == 12544
    assert describe(make("corpus", "gum")).count("sentences") == 10224
    story: Story = next(iter(make("corpus", "gum", split="dev", genre="fiction")))
    assert story.entities
    for entity in story.entities:
        for mention in entity.mentions:
            assert story.of(mention).startswith(story.of(story.tokens[mention.first]))
            assert mention.first <= mention.head < mention.last


@pytest.mark.data("ontogum", "litbank")
def test_coreference() -> None:
    assert [sum(1 for _ in make("corpus", "ontogum", split=split)) for split in ("train", "dev")] == [177, 30]
    alone = [
        story.id for story in make("corpus", "ontogum", split="dev") for one in story.entities if len(one.mentions) == 1
    ]
    assert alone == ["GUM_fiction_lunre", "GUM_whow_joke"]  # no others: the scheme has no singletons
    assert sum(1 for _ in make("corpus", "litbank", split="all")) == 90
    story = next(iter(make("corpus", "litbank", split="dev")))
    assert story.events
    assert {entity.kind for entity in story.entities} <= {"person", "place", "organisation", "object", ""}


@pytest.mark.data("novels", "short-fiction", "fairytales")
def test_fiction() -> None:
    assert sum(1 for _ in make("corpus", "novels", split="all")) == 100
    words = sum(
        len(story.text.split()) for name in ("novels", "short-fiction") for story in make("corpus", name, split="all")
    )
    assert 16_500_000 < words < 17_500_000
    assert [sum(1 for _ in make("corpus", "fairytales", split=split)) for split in ("train", "dev", "test")] == [
        230,
        23,
        23,
    ]


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [entry.name for entry in manifest.entries() if entry.name not in ("toy", "gigaword", "spinn3r", "mcnc")]
)
def test_conformance(name: str, request: pytest.FixtureRequest) -> None:
    from scenarist.corpora import at_hand as listing

    splits = listing.at_hand(manifest.entry(name))
    if not splits:
        pytest.skip(f"the corpus {name} is not on SCENARIST_DATA")
    for split in splits[:1] if name in ("novels", "short-fiction") else splits:
        corpus = make("corpus", name, split=split)
        check_corpus(corpus, most=5)
