"""`corpus` and its parts, `learn`, `get` and `doctor` in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import scenarist
from scenarist.errors import BadInput
from scenarist.verbs.corpus import files_at_hand, names_to_check, story_figures, time_shares
from scenarist.verbs.learn import example_chain

HEAD = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "stories.csv"
    path.write_text(f"{HEAD}\ns1,A long run,Ann ran.,Ann fell.,She wept.,Bo came.,He helped Ann.\n")
    return path


def test_a_corpus_is_read_again_and_again(file: Path) -> None:
    stories = scenarist.corpus("toy", split="dev")
    first = list(stories)
    assert first == list(stories)
    assert all(isinstance(story, scenarist.Story) for story in first)
    assert [story.id for story in scenarist.corpus(file)] == ["s1"]
    with pytest.raises(BadInput, match="Did you mean 'toy'"):
        scenarist.corpus("toi")


def test_what_is_known_of_a_corpus() -> None:
    assert "toy" in [row.name for row in scenarist.list_corpora()]
    entry = scenarist.describe_corpus("mcscript")
    assert {file.name for file in entry.files} == set(files_at_hand("mcscript"))
    with pytest.raises(BadInput, match="There is no corpus"):
        scenarist.describe_corpus("nothing")


def test_counts_figures_and_checks(file: Path) -> None:
    assert scenarist.count_corpus("toy", "dev").count("documents") == len(list(scenarist.corpus("toy", "dev")))
    assert scenarist.count_corpus(file).count("documents") == 1
    assert dict(story_figures(file).events)["help"] == 1
    assert scenarist.verify_corpus("toy").state == "ok"
    assert names_to_check(["toy"]) == ["toy"]
    assert [fault.rule for fault in scenarist.check_stories(file)[0].faults if fault.sure] == []


@pytest.mark.data("nyt-chains")
def test_figures_are_of_stories() -> None:
    with pytest.raises(BadInput, match="nyt-chains gives Chain"):
        story_figures("nyt-chains", "dev")


def test_time_links(tmp_path: Path) -> None:
    path = tmp_path / "time.xml"
    path.write_text(
        '<s><story id="1"><event id="a"/><event id="b"/><tlink from="a" to="b" relation="before"/></story></s>'
    )
    shares = time_shares(path)
    assert (shares["links"], shares["stories"], shares["before"]) == (1, 1, 1.0)


def test_texts_are_ranked_by_affinity() -> None:
    ranked = scenarist.rank_corpus("toy", "dev", top=2)
    assert len(ranked) == 2
    assert ranked[0].affinity >= ranked[1].affinity


def test_learning_gives_a_card_and_a_chain_to_try(tmp_path: Path) -> None:
    pytest.importorskip("ibis", reason="needs the extra 'learn'")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "README.txt").write_text("This folder holds stories.")
    for number in range(3):
        (tmp_path / "in" / f"{number}.txt").write_text(f"Ann woke up {number} times. She washed her face. She left.")
    card = scenarist.learn(f"texts:{tmp_path / 'in'}", tmp_path / "model", dedup=False)
    assert card.documents == 3, "what is about the folder is none of its texts"
    chain = example_chain(tmp_path / "model")
    filled = scenarist.fill(f"{chain} ?", folder=tmp_path / "model", model="bigram")
    assert filled.learned.startswith("texts:")
    assert example_chain(tmp_path) == "arrest:obj"


def test_what_is_installed() -> None:
    findings = {finding.part: finding for finding in scenarist.doctor()}
    assert findings["scenarist"].state == "ok"
    assert findings["embedded reader"].state == "ok"
    assert "corpora" in findings


def test_what_there_is_to_get() -> None:
    assert "smollm2" in [state.name for state in scenarist.releases()]
    with pytest.raises(BadInput, match="There is no release 'nothing'"):
        scenarist.get("nothing")
