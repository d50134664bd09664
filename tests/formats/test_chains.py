from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.formats import chains
from scenarist.question import EventGap
from scenarist.story import Link

FILE = "<DOCNAME>D1\n<UUID>x\neat->nsubj pay->nsubj \nserve->prep_to \n\n<DOCNAME>D2\n<UUID>y\n\n"
CLOZE = "<DOCNAME> d\n\n<CHAIN> len:3\n<TEST>\n<ANSWER> pay->nsubj\n<INSERT_INDEX> 1\n<CLOZE> eat->nsubj leave->nsubj\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_and_round_trip(tmp_path: Path) -> None:
    first, second = found = list(chains.documents(write(tmp_path / "c", FILE)))
    assert [str(chain) for chain in first.chains] == ["eat:nsubj pay:nsubj", "serve:prep_to"]
    assert first.chains[1].story == "D1"
    assert second.chains == ()
    chains.write(tmp_path / "again", found)
    assert list(chains.documents(tmp_path / "again")) == found


def test_cloze(tmp_path: Path) -> None:
    (item,) = chains.cloze(write(tmp_path / "c", CLOZE))
    assert item.key == "pay:nsubj"
    assert item.question == EventGap((Link("eat", "nsubj"), Link("leave", "nsubj")), 1)
    assert (item.id, item.group) == ("d/1/1", "d/1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("eat->nsubj\n", "line 1: expected <DOCNAME> before the first chain"),
        ("<DOCNAME>D\neat nsubj\n", "line 2: expected an event as verb->dep, got 'eat'"),
        ("<DOCNAME>\n", "line 1: <DOCNAME> without a name"),
    ],
)
def test_bad_chains(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        list(chains.documents(write(tmp_path / "c", text)))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<INSERT_INDEX> 1", "<INSERT_INDEX> one", "line 6: <INSERT_INDEX> must be a whole number"),
        ("<INSERT_INDEX> 1", "<INSERT_INDEX> 3", "line 7: expected <ANSWER> and <INSERT_INDEX> <= 2"),
        ("<TEST>", "<HUH>", "line 4: expected <DOCNAME>"),
    ],
)
def test_bad_cloze(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        list(chains.cloze(write(tmp_path / "c", CLOZE.replace(old, new))))
