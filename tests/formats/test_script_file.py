"""Script files: what is wrong is said with its line; what is right comes back as it stands."""

import re

import msgspec
import pytest

from scenarist.corpora.library import Library
from scenarist.errors import BadInput
from scenarist.formats.script_file import ScriptEntry, file_name, parse_script, script_data, script_faults
from scenarist.inventory import inventory


def script_text(events: int = 15, **changes: str) -> str:
    """A valid script of our own; ``changes`` replaces lines of the third event."""
    lines = [
        "schema = 1",
        'scenario = "flying a kite"',
        'scenes = ["going out", "flying"]',
        "[participants]",
        'flyer = { kind = "person", words = ["boy", "girl"] }',
        'kite = { kind = "thing", words = ["kite"], definite = true }',
    ]
    for number in range(events):
        fields = {
            "id": f'"step-{number}"',
            "scene": '"going out"' if number < 5 else '"flying"',
            "by": '"flyer"',
            "say": '"{flyer} holds {kite}"',
            "wordings": f'["hold {{kite}} {number}"]',
            "happens": '"always"',
            "after": f'["step-{number - 1}?"]' if number else "[]",
        }
        if number == 2:
            fields.update(changes)
        lines += ["[[event]]", *(f"{name} = {value}" for name, value in fields.items())]
    return "\n".join(lines) + "\n"


def test_a_right_file_is_read():
    script = parse_script(script_text(), "kite.toml")
    assert script.scenario == "flying a kite"
    assert script.participant("kite").definite
    assert script.events[2].after == ()
    assert script.events[2].after_usually == ("step-1",)


@pytest.mark.parametrize(
    ("change", "value", "says"),
    [
        ("after", '["step-9"]', "circle"),
        ("by", '"pilot"', "unknown participant 'pilot'"),
        ("wordings", '["hold {rope}"]', "slot {rope}"),
        ("scene", '"landing"', "unknown scene 'landing'"),
        ("after", '["step-99"]', "unknown event 'step-99'"),
        ("happens", '"never"', "step-2"),
        ("say", '"{kite} rises"', "begins with the one who does it"),
        ("one_of", '"ways"', "alone in the group"),
    ],
)
def test_a_fault_names_file_and_line(change: str, value: str, says: str):
    text = script_text(**{change: value})
    if says == "circle":
        text = text.replace('id = "step-9"', 'id = "step-9"\none_of = ""').replace(
            'after = ["step-8?"]', 'after = ["step-2"]'
        )
    with pytest.raises(BadInput, match=re.escape(says)) as caught:
        parse_script(text, "kite.toml")
    line = int(re.search(r"line (\d+)", str(caught.value))[1])
    assert "step-" in text.splitlines()[line - 1]


def test_an_unused_participant_and_too_few_events_are_faults():
    with pytest.raises(BadInput, match="takes part in no event"):
        parse_script(
            script_text().replace("[participants]", '[participants]\ndog = { kind = "animal", words = ["dog"] }'), "k"
        )
    with pytest.raises(BadInput, match="expected 15 to 40 events, got 3"):
        parse_script(script_text(3), "k")


def test_a_folder_without_scripts_is_named(tmp_path):
    with pytest.raises(BadInput, match="expected script files"):
        list(Library(target=tmp_path))


def test_the_library_has_a_right_script_for_each_scenario_and_comes_back_whole():
    scripts = {script.scenario: script for script in Library()}
    assert {scenario.name for scenario in inventory()} <= set(scripts)
    assert len(scripts) == 220
    for script in scripts.values():
        entry = msgspec.convert(script_data(script), ScriptEntry)
        assert list(script_faults(entry)) == []
        assert file_name(script.scenario) in {path.name for path in Library().files()}
        assert any(event.silent for event in script.events)
