"""Affinity: labels one can believe on texts of our own, labels of one's own by a command, cut-off and quota."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarist.cli.main import run
from scenarist.errors import BadInput
from scenarist.learning.affinity import ALL, Affinity, Choosing, rank, regression
from scenarist.story import Story
from scenarist.verbs.corpus import fit_affinity, rank_corpus

TOLD = {
    "throwing a party going to a party sending party invitations": "We invited thirty people to our house on Saturday. I bought balloons and drinks. "
    "The guests came to the party at eight, and we danced until midnight.",
    "paying for gas fueling a car": "The light on the dashboard came on, so I drove to the gas station. I put the nozzle into the tank and filled it with gas. "
    "Then I went inside and paid the cashier.",
    "washing clothes doing laundry drying clothes": "I put the laundry into the washer with detergent. Then I moved the clothes to the dryer and folded the clothes.",
    "visiting the dentist going to the dentist": "My tooth hurt, so I made an appointment. The dentist drilled a hole in my tooth and put in a filling.",
    "borrow a book from the library": "I looked for a novel on the shelves of the library. The librarian scanned my card and the book.",
    "planting a tree": "I dug a deep hole in the yard with a shovel. I put the tree into the hole, filled it with soil and watered the tree.",
}
OTHER = "The treaty was signed in autumn by both ministers. Parliament will vote on it in May."
MINE = {
    "flying a kite": "The wind was strong, so we took the kite to the hill. I ran with the kite and it rose on its string. {}",
    "tuning a guitar": "I turned the peg until the string of the guitar sounded right. Then I played a chord on the guitar. {}",
    "milking a cow": "I sat on the stool beside the cow and washed the udder. The milk ran into the bucket. {}",
}
ENDS = (
    "It was late.",
    "We laughed.",
    "My brother helped me.",
    "It took an hour.",
    "The morning was cold.",
    "I was tired.",
)


def test_labels_are_right_and_other_texts_are_low() -> None:
    """A party and petrol were *going dancing* and *playing a movie* once."""
    stories = [Story(right, text) for right, text in TOLD.items()]
    ranked = {text.id: text for text in rank([*stories, Story("other", OTHER), Story("empty", "...")])}
    assert sum(ranked[right].scenario in right for right in TOLD) >= 5
    assert min(ranked[right].affinity for right in TOLD) > ranked["other"].affinity
    assert ranked["empty"].affinity == 0 and ranked["empty"].scenario == ""


def test_what_is_kept_can_be_chosen() -> None:
    stories = [Story(f"{number}", text) for number, text in enumerate([*TOLD.values(), *TOLD.values(), OTHER])]
    every = rank(stories)
    assert [text.affinity for text in every] == sorted((text.affinity for text in every), reverse=True)
    assert rank(stories, Choosing(top=2)) == every[:2]
    once = rank(stories, Choosing(quota=1))
    assert len({text.scenario for text in once}) == len(once) < len(every)
    assert rank(stories, Choosing(top=1, quota=1)) == once[:1]
    high = rank(stories, Choosing(cutoff=every[3].affinity))
    assert high and all(text.affinity >= every[3].affinity for text in high)
    assert rank([Story("empty", "...")], Choosing(least=1)) == []
    for wrong in (Choosing(top=0), Choosing(cutoff=2), Choosing(quota=-1)):
        with pytest.raises(BadInput):
            rank(stories, wrong)
    assert Choosing() == ALL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts of three scenarios of one's own, a folder each, and some to rank."""
    for name, text in MINE.items():
        place = tmp_path / "labelled" / name.replace(" ", "_")
        place.mkdir(parents=True)
        for number, end in enumerate(ENDS):
            (place / f"{number}.txt").write_text(text.format(end))
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "kite.txt").write_text("My kite has a long string. On the hill the wind took the kite up.")
    (texts / "kites.txt").write_text("Two kites rose in the wind over the hill. One string broke.")
    (texts / "cow.txt").write_text("The cow stood still while the milk ran into my bucket.")
    (texts / "treaty.txt").write_text(OTHER)
    return tmp_path


def test_labels_of_ones_own_by_a_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "mine.npz"
    assert run(["corpus", "affinity", f"texts:{folder / 'labelled'}", "-o", str(file)]) == 0
    assert "3 scenarios" in capsys.readouterr().out
    assert (
        run(["corpus", "affinity", f"texts:{folder / 'labelled'}", "-o", str(file)]) == 2
    )  # a file is not written over unasked
    assert run(["corpus", "affinity", f"texts:{folder / 'labelled'}", "-o", str(file), "--force"]) == 0
    texts = f"texts:{folder / 'texts'}"
    ranked = {text.id: text for text in rank_corpus(texts, affinity=file)}
    assert (ranked["kite"].scenario, ranked["kites"].scenario, ranked["cow"].scenario) == (
        "flying a kite",
        "flying a kite",
        "milking a cow",
    )
    assert ranked["treaty"].affinity < min(ranked[name].affinity for name in ("kite", "cow"))
    capsys.readouterr()
    assert run(["corpus", "rank", texts, "--affinity", str(file), "--quota", "1", "--cutoff", "0.6", "--quiet"]) == 0
    assert sorted(capsys.readouterr().out.split()) in (["cow", "kite"], ["cow", "kites"])
    assert run(["corpus", "rank", texts, "--affinity", str(folder / "texts" / "cow.txt")]) == 2
    assert "corpus affinity" in capsys.readouterr().err


def test_the_papers_features_with_topics_of_ones_own(folder: Path) -> None:
    file = folder / "topics.npz"
    scenarios = fit_affinity(f"texts:{folder / 'labelled'}", file, features="topics", words="stems", topics=6)
    assert scenarios == tuple(sorted(MINE))
    model = Affinity.load(file)
    assert model.topics == 6 and model.kinds == ("topics",) and model.words == "stems" and not model.vocabulary_
    again = Affinity("topics", "stems", 6).fit(
        [
            Story(str(number), text.format(end), scenario=name)
            for name, text in MINE.items()
            for number, end in enumerate(ENDS)
        ]
    )
    story = Story("kite", "The kite rose on its string in the wind on the hill.")
    assert model.rate(story).scenario == again.rate(story).scenario == "flying a kite"


def test_bad_settings_are_named(folder: Path) -> None:
    with pytest.raises(BadInput, match="features"):
        Affinity("topic")
    with pytest.raises(BadInput, match="two scenarios"):
        Affinity().fit([Story("a", "We ate.", scenario="eating")])
    with pytest.raises(BadInput, match="not a file of affinities"):
        Affinity.load(folder / "nowhere.npz")


def test_the_regression_learns_what_can_be_told_apart() -> None:
    rows = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.2, 0.8]])
    labels, weights, bias = regression(rows, ["a", "a", "b", "b"])
    assert labels == ("a", "b") and (rows @ weights + bias).argmax(axis=1).tolist() == [0, 0, 1, 1]
