"""A scenario of one's own: twenty stories and one command, as the how-to says."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.models.scenarios.user_scenarios import FEWEST, forget, taught_names, teach
from scenarist.verbs.detect import detect
from scenarist.verbs.scenarios import read_stories

WHERE = ("on the hill", "in the park", "at the shore", "behind the school", "on the wide field")
WHO = ("my brother", "Ann", "our neighbour", "the twins")


def stories() -> list[str]:
    """Twenty tellings of flying a kite, no two alike."""
    return [
        f"The wind was strong, so {who} and I took the kite {where}. We unrolled the string and checked the tail of the kite. "
        f"{who.capitalize()} held the kite up high while I ran against the wind with the string. The kite rose and I let out more string "
        f"from the spool. It danced above us {where} and pulled hard. When the wind fell the kite came down, and we wound up the string."
        for where in WHERE
        for who in WHO
    ]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    return tmp_path


TELLING = (
    "Last Sunday there was a fresh breeze. Cem brought his red kite to the meadow. He tied the string to the kite and I threw it up. "
    "He ran into the wind and let the string run off the spool. The kite climbed and its tail danced. Later he wound up the string."
)


def test_twenty_stories_and_one_command(home: Path) -> None:
    folder = home / "kites"
    folder.mkdir()
    for number, text in enumerate(stories()):
        (folder / f"{number}.txt").write_text(text)
    report = teach("flying a kite", read_stories(folder))
    assert report.stories == 20
    assert report.found >= 0.9
    assert report.false < 0.02
    assert {"kite", "string"} <= {word for phrase in report.words for word in phrase.split()}
    assert taught_names() == ["flying a kite"]
    found = detect(TELLING)
    assert found.segments
    assert found.segments[0].names[0] == "flying a kite"
    assert any("kite" in word or "string" in word for word in found.segments[0].why)
    forget("flying a kite")
    assert taught_names() == []
    assert all("flying a kite" not in one.names for one in detect(TELLING).segments)


def test_a_file_with_a_story_a_line(home: Path) -> None:
    path = home / "kites.txt"
    path.write_text("\n".join(stories()) + "\n\n")
    assert read_stories(path) == stories()


def test_what_cannot_be_taught_is_refused(home: Path) -> None:
    with pytest.raises(BadInput, match="at least"):
        teach("flying a kite", stories()[: FEWEST - 1])
    with pytest.raises(BadInput, match="inventory already"):
        teach("bake a cake", stories())
    with pytest.raises(BadInput, match="no such file"):
        read_stories(home / "nowhere")
    with pytest.raises(BadInput, match="no name"):
        teach("???", stories())
    with pytest.raises(Missing):
        forget("flying a kite")
