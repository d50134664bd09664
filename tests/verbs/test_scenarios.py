"""`scenarios` and its parts, and `show`, in Python."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import scenarist
from scenarist.errors import BadInput, Missing
from scenarist.verbs.scenarios import read_stories


def test_the_inventory_and_one_of_it() -> None:
    assert len(scenarist.scenarios()) == 200
    assert {scenario.name for scenario in scenarist.scenarios("shop")} <= {one.name for one in scenarist.scenarios()}
    assert all("mcscript" not in scenario.learned for scenario in scenarist.scenarios(unlearned=True))
    known = scenarist.scenario("fueling a car")
    assert scenarist.ScenarioRelation("paying for gas", "part of") in known.related_from
    assert known.words
    with pytest.raises(BadInput, match="Did you mean"):
        scenarist.scenario("fuelling a kar")


def test_show_gives_the_script_and_its_place() -> None:
    known = scenarist.show("bake a cake")
    assert known.scenario == "baking a cake" and known.tellers > 50
    assert {"mix", "frost"} <= {event.id.split("-")[0] for event in known.events}


@pytest.mark.parametrize("name", ["baking a cake", "taking a bath", "eating in a restaurant", "answering the phone"])
def test_what_hardly_anybody_tells_is_told_by_one_in_ten_at_most(name: str) -> None:
    """Where ten or more told the activity: the mark says what is counted beside it."""
    script = scenarist.show(name)
    assert script.tellers >= 10
    marked = [event for event in script.events if event.silent]
    assert all(event.told <= event.tellers / 10 for event in marked)
    (line,) = [line for line in scenarist.show_all() if line.scenario == script.scenario]
    assert line.silent == len(marked)


def test_stories_come_from_a_folder_an_archive_or_the_lines_of_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "kites"
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.txt").write_text(f"Story {number}.\nIt ends.\n")
    stories = ["Story 0.\nIt ends.", "Story 1.\nIt ends."]
    assert read_stories(folder) == stories
    with zipfile.ZipFile(tmp_path / "kites.zip", "w") as archive:
        archive.write(folder / "0.txt", "0.txt")
    assert read_stories(tmp_path / "kites.zip") == stories[:1]
    (tmp_path / "kites.txt").write_text("Story 0. It ends.\n\nStory 1. It ends.\n")
    assert read_stories(tmp_path / "kites.txt") == ["Story 0. It ends.", "Story 1. It ends."]


def test_what_was_not_added_cannot_be_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    assert scenarist.added_scenarios() == ()
    with pytest.raises(Missing):
        scenarist.forget_scenario("flying a kite")
    with pytest.raises(BadInput, match="at least"):
        scenarist.add_scenario("flying a kite", ["Ann flew her kite."])
