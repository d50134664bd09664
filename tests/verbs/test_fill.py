"""Filling a chain as a person types it: parsing, the package's own counts, a learned folder with sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.errors import BadInput
from scenarist.learning.event_chains import Document
from scenarist.learning.event_counts import EventCounts, in_our_roles
from scenarist.pages.eventcloze import compared_page, filled_page
from scenarist.story import Chain, Link
from scenarist.verbs.compare_models import compare_models
from scenarist.verbs.fill import fill_chain, parse_chain


def test_chains_are_read_as_typed() -> None:
    assert parse_chain("arrest:obj, escape:subj ?").gap == 2
    assert parse_chain("? arrest->dobj").links == (Link("arrest", "dobj"),)
    assert parse_chain("arrest:obj escape:subj").gap is None
    for wrong in ("", "?", "arrest:obj ? ?", "arrest ?"):
        with pytest.raises(BadInput):
            parse_chain(wrong)


def test_the_packages_own_counts_fill_a_chain() -> None:
    filled = fill_chain("arrest:obj escape:subj ?", "pmi-discounted", settings={"cutoff": 20}, source="news")
    names = [one.event for one in filled.candidates]
    assert {"convict:obj", "charge:obj", "serve:subj"} & set(names[:5])
    assert filled.candidates[0].votes
    assert not filled.candidates[0].seen, "the package's own counts name no documents; a learned folder does"
    page = filled_page(filled)
    assert "arrest X" in page
    assert page.count("<tr>") == len(names) + 1


def test_a_person_who_asks_gets_events_that_tell_something() -> None:
    filled = fill_chain("arrest:obj escape:subj ?", source="news")
    best = [one.event.split(":")[0] for one in filled.candidates[:5]]
    assert {"convict", "charge"} <= set(best)
    assert not {"say", "be", "have"} & set(best)
    assert all(one.votes for one in filled.candidates[:5])


def test_everyday_chains_are_filled_from_stories() -> None:
    filled = fill_chain("order:subj eat:subj ?", top=20)
    names = [one.event for one in filled.candidates]
    assert "everyday stories" in filled.learned
    assert "pay:subj" in names
    assert not {"order:subj", "eat:subj"} & set(names), "an event of the chain is never its missing one"
    assert not [name for name in names if "nsubj" in name or "dobj" in name], "roles in one dialect"
    assert any("eating in a restaurant" in one.scripts for one in filled.candidates), "scripts one can open"
    with pytest.raises(BadInput, match="stories"):
        fill_chain("order:subj ?", source="storys")


def test_passive_and_object_are_one_event() -> None:
    asked = [fill_chain(f"arrest{role} escape:subj ?", source="news") for role in (":obj", "->dobj", "->nsubjpass")]
    assert asked[0] == asked[1] == asked[2]
    counts = EventCounts.of(
        [
            Document(
                "d",
                (
                    Chain(tuple(map(Link.parse, ("arrest:dobj", "flee:nsubj")))),
                    Chain(tuple(map(Link.parse, ("arrest:nsubjpass", "flee:nsubj")))),
                ),
            )
        ]
    )
    merged = in_our_roles(counts)
    assert dict(zip(merged.types, merged.events.tolist(), strict=True)) == {"arrest:obj": 2, "flee:subj": 2}
    assert merged.pair_counts.tolist() == [2]
    assert merged.evidence(0, 1) == ["d"]


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert (
        run(["fill", "--chain", "arrest:obj escape:subj ?", "--by", "bigram", "--from", "news", "--json", "--top", "3"])
        == 0
    )
    assert len(json.loads(capsys.readouterr().out)["candidates"]) == 3
    assert run(["fill", "--chain", "arrest:obj ?", "--by", "unigram", "--from", "news", "-q"]) == 0
    assert capsys.readouterr().out.strip() == "say:subj"
    assert run(["fill", "--chain", "flabbergastize:subj ?", "--by", "bigram", "--html", str(tmp_path / "f.html")]) == 0
    assert "never seen in training" in capsys.readouterr().out
    assert (tmp_path / "f.html").exists()
    assert run(["fill"]) == 2
    assert run(["fill", "--chain", "arrest:obj ?", "--model", str(tmp_path)]) == 2
    assert "no learned model" in capsys.readouterr().err


def test_a_learned_folder_gives_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ibis")
    pytest.importorskip("pyarrow")
    from scenarist.formats.chain_file import ChainRow, SentenceRow, write_chains, write_sentences
    from scenarist.learning import counting
    from scenarist.learning.event_counts import SCHEMA
    from scenarist.learning.learn import CountsCard, counts_of_folder, write_tables

    rows = [ChainRow(f"d{n}", 0, "x", "", ("climb:subj", "fall:subj"), (), (0, 1)) for n in range(4)]
    write_chains(tmp_path / "chains" / "part-00000.parquet", rows)
    lines = [
        SentenceRow(f"d{n}", at, text)
        for n in range(4)
        for at, text in enumerate(("Mia climbed the tree.", "She fell."))
    ]
    write_sentences(tmp_path / "sentences" / "part-00000.parquet", lines)
    with counting.duckdb_engine() as base:
        write_tables(base, tmp_path, 2, 24, lambda *_: None)
    counts_of_folder(tmp_path).save(tmp_path / "counts.npz")
    card = CountsCard(SCHEMA, "mine", "default", "duckdb", "single", 2, 24, 4, 0, 0, "none", 4, 8, 1, "", {})
    (tmp_path / "card.json").write_text(
        json.dumps({key: getattr(card, key) for key in card.__struct_fields__}), encoding="utf-8"
    )
    filled = fill_chain("climb:subj ?", "bigram", tmp_path)
    assert filled.candidates[0].event == "fall:subj"
    assert filled.candidates[0].seen[0] == "d0: Mia climbed the tree. ... She fell."
    assert "mine" in filled.learned
    with pytest.raises(BadInput, match="no scenario"):
        fill_chain("climb:subj ?", "bigram", tmp_path, scenario="climbing trees")


def test_models_stand_side_by_side_on_one_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Table 4 of Chambers (2017) for any test: what is frequent leads the n-grams, and PMI says rarer things."""
    compared = compare_models("arrest:obj escape:subj ?", answer="convict:obj", source="news", top=5)
    unigram, bigram, pmi = compared.columns
    assert unigram.events[0] == "say:subj" and "say:subj" not in pmi.events
    assert all(len(column.events) == 5 for column in compared.columns)
    solver = fill_chain("arrest:obj escape:subj ?", "bigram", source="news", top=50)
    assert bigram.rank is not None and unigram.rank is not None and bigram.rank < unigram.rank
    listed = [one.event for one in solver.candidates]
    if bigram.rank <= 40:
        assert "convict:obj" in listed
    page = compared_page(compared)
    assert "X say" in page and "rank of convict X" in page
    assert compare_models("zorp:subj ?", ["unigram"], answer="blick:obj").notes == (
        "never seen in training, so events are ranked by frequency alone: zorp:subj",
        "blick:obj was never seen in training: it stands behind all events",
    )
    html = tmp_path / "compared.html"
    asked = [
        "fill",
        "--chain",
        "arrest:obj escape:subj ?",
        "--from",
        "news",
        "--compare",
        "unigram,pmi",
        "--answer",
        "convict:obj",
    ]
    assert run([*asked, "--html", str(html)]) == 0
    printed = capsys.readouterr().out
    assert "unigram" in printed and "rank of convict:obj" in printed and html.exists()
    assert run([*asked, "--json"]) == 0
    assert [column["model"] for column in json.loads(capsys.readouterr().out)["columns"]] == ["unigram", "pmi"]
    assert run([*asked, "--by", "unigram"]) == 2
    assert run(["fill", "--chain", "arrest:obj ?", "--answer", "convict:obj"]) == 2
    assert run([*asked[:-4], "--compare", "unigrm"]) == 2
    with pytest.raises(BadInput, match="has no role"):
        compare_models("arrest:obj ?", answer="convict")


def test_the_rule_by_name_is_the_row_of_the_table() -> None:
    """`fill --by rule` asks what `storycloze2016` measures as story-rule, seed 1."""
    from scenarist.bench.spec import load
    from scenarist.verbs.endings import NAMES

    row = next(row for row in load("storycloze2016").row if row.label == "story-rule")
    name, settings = NAMES["rule"]
    assert name == row.model
    members = [
        [member, {"weights": own["weights"].format(seed=1)}, weight] for member, own, weight in row.settings["members"]
    ]
    assert settings == {"members": members}
