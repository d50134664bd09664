"""Signatures: one order, readable back, sayable in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.signature import content_hash, explain, parse, sign

values = st.one_of(
    st.booleans(), st.integers(), st.text(max_size=8), st.none(), st.lists(st.text("ab|: ", max_size=3), max_size=3)
)
keys = st.text("abcdefgh", min_size=1, max_size=6)


@given(st.dictionaries(keys, values, min_size=1))
def test_what_is_signed_can_be_parsed(fields):
    metric, found = parse(sign("f1", fields))
    assert metric == "f1"
    assert set(found) == set(fields)


def test_version_and_seed_stand_last():
    assert sign("f1", {"v": "1", "seed": 3, "b": 1, "data": "x#1", "exam": "e"}) == "f1|exam:e|b:1|data:x#1|seed:3|v:1"


def test_explain_says_every_field():
    lines = explain("recall@50|exam:eventcloze|ties:expected|data:toy#12|odd:5|v:0.1")
    assert len(lines) == 6
    assert "expected rank" in lines[2]


def test_nonsense_is_refused():
    with pytest.raises(BadInput, match="Not a signature"):
        explain("hello")


def test_hash_depends_on_order_and_on_parts():
    assert content_hash([b"ab", b"c"]) != content_hash([b"a", b"bc"]) != content_hash([b"bc", b"a"])
