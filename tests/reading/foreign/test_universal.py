"""Foreign label schemes -> UD v2: each sentence is written in its scheme and must come out the same."""

from __future__ import annotations

from scenarist.reading.foreign.universal import ParsedWord, to_ud2

HEADS = dict[str, tuple[str, str]]


def tree(rows: list[ParsedWord]) -> HEADS:
    """word -> (its head's word, label)."""
    return {row.form: (rows[row.head].form if row.head >= 0 else "", row.dep) for row in rows}


def clear(*words: tuple[str, str, int, str]) -> HEADS:
    """(form, pos, head from 1, label) -> the tree after mapping."""
    return tree(
        to_ud2(
            [
                ParsedWord(form, "be" if form in ("was", "is") else form.lower(), pos, "", "", head - 1, dep)
                for form, pos, head, dep in words
            ]
        )
    )


def test_clearnlp_prepositions_become_case() -> None:
    found = clear(
        ("She", "PRON", 2, "nsubj"),
        ("waited", "VERB", 0, "ROOT"),
        ("in", "ADP", 2, "prep"),
        ("lobbies", "NOUN", 3, "pobj"),
    )
    assert found == {
        "She": ("waited", "nsubj"),
        "waited": ("", "root"),
        "in": ("lobbies", "case"),
        "lobbies": ("waited", "obl"),
    }


def test_clearnlp_passive_with_agent() -> None:
    found = clear(
        ("Tom", "PROPN", 3, "nsubjpass"), ("was", "AUX", 3, "auxpass"), ("seen", "VERB", 0, "ROOT"),
        ("by", "ADP", 3, "agent"), ("guards", "NOUN", 4, "pobj"),
    )  # fmt: skip
    assert found["guards"] == ("seen", "obl:agent")
    assert found["by"] == ("guards", "case")
    assert found["Tom"] == ("seen", "nsubj:pass")
    assert found["was"] == ("seen", "aux:pass")


def test_clearnlp_copula_is_lowered() -> None:
    found = clear(
        ("Ben", "PROPN", 2, "nsubj"), ("was", "AUX", 0, "ROOT"), ("not", "PART", 2, "neg"), ("tired", "ADJ", 2, "acomp")
    )
    assert found == {
        "Ben": ("tired", "nsubj"),
        "was": ("tired", "cop"),
        "not": ("tired", "advmod"),
        "tired": ("", "root"),
    }


def test_a_full_verb_keeps_its_complement() -> None:
    found = clear(("Ben", "PROPN", 2, "nsubj"), ("looked", "VERB", 0, "ROOT"), ("tired", "ADJ", 2, "acomp"))
    assert found["tired"] == ("looked", "xcomp")


def test_clearnlp_gerund_under_a_preposition() -> None:
    found = clear(("left", "VERB", 0, "ROOT"), ("without", "ADP", 1, "prep"), ("paying", "VERB", 2, "pcomp"))
    assert found["paying"] == ("left", "advcl")
    assert found["without"] == ("paying", "mark")


def test_stanford_collapsed() -> None:
    found = clear(
        ("Dine", "VERB", 0, "root"), ("out", "ADP", 0, ""), ("of", "ADP", 0, ""), ("tins", "NOUN", 1, "prep_out_of"),
        ("pots", "NOUN", 4, "conj_and"),
    )  # fmt: skip
    assert found["tins"] == ("Dine", "obl")
    assert found["out"] == found["of"] == ("tins", "case")
    assert found["pots"] == ("tins", "conj")
    assert clear(("beaten", "VERB", 0, "root"), ("farmers", "NOUN", 1, "agent"))["farmers"] == ("beaten", "obl:agent")


def test_ud_v1() -> None:
    found = clear(
        ("He", "PRON", 2, "nsubj"), ("gave", "VERB", 0, "ROOT"), ("it", "PRON", 2, "dobj"), ("to", "ADP", 5, "case"),
        ("Ann", "PROPN", 2, "nmod"), ("today", "NOUN", 2, "nmod:tmod"), ("friend", "NOUN", 5, "nmod"),
    )  # fmt: skip
    assert found["it"] == ("gave", "obj")
    assert found["Ann"] == ("gave", "obl")
    assert found["today"] == ("gave", "obl:tmod")
    assert found["friend"] == ("Ann", "nmod")


def test_ud_v2_passes_unchanged() -> None:
    words = (
        ("Tom", "PROPN", 2, "nsubj"), ("left", "VERB", 0, "root"), ("the", "DET", 4, "det"), ("city", "NOUN", 2, "obj"),
        ("on", "ADP", 6, "case"), ("foot", "NOUN", 2, "obl"), ("that", "PRON", 8, "obj"), ("saw", "VERB", 4, "acl:relcl"),
    )  # fmt: skip
    assert clear(*words) == {form: (words[head - 1][0] if head else "", dep) for form, _, head, dep in words}
