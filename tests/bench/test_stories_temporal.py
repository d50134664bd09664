"""Figures of a corpus of stories, temporal links, and their pages."""

from __future__ import annotations

import json
import re

import pytest

from scenarist.bench.analyses.stories import events_of, figures
from scenarist.bench.analyses.stories import run as count_stories
from scenarist.bench.analyses.temporal import Tlink, forward, link_agreement, read_links, run, shares
from scenarist.errors import BadInput
from scenarist.pages.audit import audit_page
from scenarist.pages.stories import figures_page, quantile, spread, sunburst
from scenarist.store.home import resource
from scenarist.story import Story

TALES = [
    Story.from_sentences("a", ["Ann went out.", "She walked for an hour."], title="a long walk home"),
    Story.from_sentences("b", ["Bob stayed.", "He baked a cake and ate it."], title="A cake <b>"),
]


def test_figures_by_hand():
    found = figures(TALES)
    assert found.stories == 2
    assert found.sizes == (((3, 1), (4, 1)), ((6, 1), (8, 1)))
    assert found.positions[0] == (1, 3.5, 3.5, 2)  # "Ann went out ." and "Bob stayed ."
    assert dict(found.events)["walk"] == 1
    assert found.titles == ((("a", "long", "walk", "home", "end"), 1), (("a", "cake", "<", "b", ">"), 1))
    assert events_of("They were there and had done it.") == []


def test_the_page_is_safe_and_whole():
    text = figures_page(figures(TALES))
    assert text.count("<svg") == 2  # tokens by position, and titles
    assert "<b></title>" not in text
    assert "sentence 2" in text
    assert "no titles" in figures_page(figures([Story.from_sentences("c", ["Cem ran."])]))


def test_figure_two_is_a_distribution():
    """One long sentence among many short ones: the box stays where the many are, and the shape has its tail."""
    tales = [Story.from_sentences(str(number), ["Ann ran.", "Bob sat."]) for number in range(19)]
    tales.append(Story.from_sentences("long", ["Ann " + "really " * 20 + "ran.", "Bob sat."]))
    text = spread(figures(tales))
    assert "half of 20 sentences have 3 to 3 tokens, nine tenths 3 to 3" in text
    assert "mean 4.00, median 3" in text  # 19 times 3 and once 23
    assert quantile(((3, 19), (23, 1)), 0.96) == 23
    lengths = [words.count("L") for words in re.findall(r'd="M([^"]*)Z"', text)]
    assert lengths[0] == lengths[1]  # both positions are drawn to the same top


def test_titles_that_stand_once_share_an_arc():
    names = "apple bread cake dough eggs flour ginger honey ice jam".split()
    tales = [Story.from_sentences(str(at), ["Ann ran."], title=name) for at, name in enumerate(names)]
    tales += [Story.from_sentences(f"t{at}", ["Ann ran."], title="the day") for at in range(5)]
    text = sunburst(figures(tales).titles)
    assert "10 once" in text
    assert "the 33.3 %" in text
    assert "apple" not in text
    assert "honey" in sunburst(figures(tales[:8]).titles)  # few are drawn one by one


@pytest.mark.data
def test_less_than_two_percent_is_a_share_of_forms():
    """Each of go and get: 1.9 to 2.1 % of the words as they stand that have a noun sense of happening, over 4 % of their lemmas."""
    rows = {row.model: row.scores for row in count_stories(limit=3000).rows}
    for name in ("go", "get"):
        assert 0.015 < rows["rocstories-any-sense"][f"share/{name}"].value < 0.024
        assert rows["rocstories-any-sense-lemmas"][f"share/{name}"].value > 0.038
    assert "tokens/sentence-1" not in rows["rocstories-any-sense"]


def test_temporal_shares_by_hand():
    links = [
        Tlink("s", 0, 1, "before"),
        Tlink("s", 2, 1, "after"),
        Tlink("s", 3, 1, "before"),
        Tlink("s", 0, 2, "simultaneous"),
    ]
    assert shares(links) == {"before": 0.75, "simultaneous": 0.25, "text_order": 0.5}


def test_two_passes_over_twenty_stories():
    rows = {row.model: row.scores for row in run().rows}
    assert rows["toy-first-pass"]["before/tlinks"].n == 200 == rows["toy-second-pass"]["before/tlinks"].n
    both = rows["first-pass and second-pass"]
    assert both["agreement/tlinks"].groups == 20
    assert both["agreement/tlinks"].value == 0.98  # four links of 200, counted by hand
    assert both["kappa/tlinks"].low < both["kappa/tlinks"].value < both["kappa/tlinks"].high


def test_kappa_of_links_is_scikit_learns():
    from sklearn.metrics import cohen_kappa_score

    first, second = (read_links(resource(f"temporal/{name}-pass.xml")) for name in ("first", "second"))
    ours, theirs = dict(map(forward, first)), dict(map(forward, second))
    expected = cohen_kappa_score([ours[link] for link in ours], [theirs[link] for link in ours])
    assert link_agreement(first, second).kappa.value == pytest.approx(expected)


def test_a_link_written_backwards_is_the_same_link():
    agreement = link_agreement([Tlink("s", 0, 1, "before")], [Tlink("s", 1, 0, "after")])
    assert (agreement.same.value, agreement.kappa.value, agreement.lost) == (1.0, 1.0, 0)


def test_one_annotator_and_nothing_shared(tmp_path):
    (tmp_path / "ann.xml").write_bytes(resource("temporal/first-pass.xml").read_bytes())
    assert "no agreement" in run(annotations=str(tmp_path)).more["remarks"][0]
    with pytest.raises(BadInput, match="no such file or folder"):
        read_links(tmp_path / "nowhere.xml")
    with pytest.raises(BadInput, match="no link"):
        link_agreement([Tlink("s", 0, 1, "before")], [Tlink("t", 0, 1, "before")])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<stories>", "not a readable"),
        ("<stories/>", "no <tlink>"),
        (
            '<stories><story id="x"><event id="e1"/><tlink from="e1" to="e9" relation="BEFORE"/></story></stories>',
            "unknown event",
        ),
        (
            '<stories><story id="x"><event id="e1"/><tlink from="e1" to="e1" relation="NEAR"/></story></stories>',
            "relation 'near'",
        ),
    ],
)
def test_bad_annotation(tmp_path, text, words):
    path = tmp_path / "t.xml"
    path.write_text(text)
    with pytest.raises(BadInput, match=words):
        read_links(path)


def test_the_audit_shows_the_gain():
    sheet = {
        "rows": [
            {
                "model": "ending-only",
                "role": "baseline",
                "scores": {"accuracy/2016": {"value": 0.7, "low": 0.68, "high": 0.72, "n": 9}},
            },
            {
                "model": "labelled",
                "role": "ours",
                "scores": {"accuracy/2016": {"value": 0.9, "low": 0.88, "high": 0.92, "n": 9}},
            },
        ],
        "tests": [
            {
                "row": "labelled",
                "reference": "ending-only",
                "column": "accuracy/2016",
                "difference": 0.2,
                "low": 0.17,
                "high": 0.23,
            }
        ],
        "signature": "x|<y>",
    }
    text = audit_page(json.loads(json.dumps(sheet)))
    assert "+20.0 points (+17.0 to +23.0)" in text
    assert "x|&lt;y&gt;" in text
