"""`read` and `detect` give the same scenarios for the same text, and what a user adds is known to `detect`, `read` and `show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scenarist
from scenarist.cli.main import run
from scenarist.errors import BadInput
from scenarist.models.scenarios.user_scenarios import LearnedScenario, forget, teach
from scenarist.registry import make
from scenarist.verbs.detect import detect

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.txt"))
NAME = "flying a kite"
KITES = (
    "On Sunday the wind was strong, so my daughter and I took the kite out of the closet and drove to the beach. I "
    "tied the string to the kite and she held it above her head. I walked backwards and unrolled the string. When a "
    "gust came I shouted, and she let go of the kite. It rose quickly and I let out more string. We watched it dance "
    "for half an hour. Then I wound up the string and we went home.",
    "My grandfather built me a kite out of paper and thin sticks. We carried it up the hill behind his house. He held "
    "the kite while I took the spool. I ran against the wind as fast as I could, and he let go of it. The kite "
    "climbed into the sky. I let out more string until it was a tiny dot. After a while the wind died and the kite "
    "fell into the grass. I rolled up the string and we walked back.",
    "I wanted to fly a kite before the summer ended. First I bought a kite at the toy store. At the park I put the "
    "kite together and tied the string to the frame. I checked the wind and held the kite up high. The wind lifted it "
    "and I let out the string slowly. I pulled the string whenever the kite began to sink. When my arms were tired I "
    "wound up the string and packed the kite.",
    "The whole class went to the field to fly kites. Our teacher showed us how to tie the string. I unrolled the "
    "string and gave the kite to Tom. Tom held the kite and I started to run. At first the kite fell down, but we "
    "tried again. The second time the wind caught the kite and it flew over the trees. I let out more string and "
    "everybody clapped. At noon we wound up the string and ate our sandwiches.",
    "Last Saturday we drove to the lake because it was windy. My brother took the kite out of its bag and tied the "
    "tail to it. I held the kite and he unrolled the string. Then he ran along the shore and I let go of the kite. It "
    "went up at once. He let out more string and the kite pulled hard. We took turns until evening. Before we left, "
    "he wound up the string and put the kite into the bag.",
    "Ann brought her new kite to the meadow. She tied the string to the kite and checked the knots. Her friend held "
    "the kite while Ann ran into the wind. The kite lifted and turned, and Ann pulled the string to steady it. She "
    "let out more string and watched it fly above the roofs. When it began to rain she pulled the kite down and wound "
    "up the string.",
    "It was a windy day in March. I grabbed my kite and walked to the hill. I unrolled the string, held the kite "
    "above my head and waited for the wind. I ran down the hill and the kite rose behind me. I let out more string. "
    "It flew higher than the church. A dog chased its tail and I laughed. In the end I wound up the string and went "
    "home happy.",
)
TELLING = (
    "Yesterday there was a good breeze, so Leo and I went up the hill with his red kite. He tied the string to the kite "
    "and I held it above my head. Leo ran and the kite climbed. Its tail danced over the trees. At dusk we walked home."
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def learned(home: Path) -> LearnedScenario:
    return teach(NAME, KITES)


def texts() -> list[str]:
    """The examples, and twenty toy stories."""
    toy = [story.text for split in ("train", "dev") for story in make("corpus", "toy", split=split)]
    return [*(path.read_text(encoding="utf-8") for path in EXAMPLES), *toy[:20]]


def test_read_and_detect_agree_on_every_text(home: Path) -> None:
    assert len(EXAMPLES) == 12
    assert len(texts()) == 32
    read = scenarist.read_all((str(number), text, "") for number, text in enumerate(texts()))
    told = 0
    for text, interpretation in zip(texts(), read, strict=True):
        assert interpretation.story.segments == detect(text).segments
        told += bool(interpretation.story.segments)
    assert told >= 25


def test_odd_characters_do_not_part_them(home: Path) -> None:
    text = "I ran a bath.\0 I undressed! \ud800 Then I got in? i washed my hair with shampoo... and relaxed in the tub"
    assert scenarist.read(text).story.segments == detect(text).segments
    assert detect(text).segments


def test_an_added_scenario_is_detected_read_and_shown(learned: LearnedScenario) -> None:
    assert learned.stories == 7
    detected = detect(TELLING)
    interpretation = scenarist.read(TELLING)
    assert [segment.names[0] for segment in detected.segments] == [NAME]
    assert interpretation.story.segments == detected.segments
    unsaid = {event.event: event for event in interpretation.untold}
    assert {"let_out string", "wind_up string"} <= set(unsaid)
    assert unsaid["wind_up string"].probability > 0.5
    assert "6 of 7 tellers" in unsaid["wind_up string"].reason.text
    assert not {"tie string", "hold kite"} & set(unsaid)  # told
    script = scenarist.show(NAME)
    assert script.scenario == NAME
    assert script.tellers == 7
    assert learned.events == len(script.events)
    assert {event.source for event in script.events} == {"learned"}
    assert {"let_out string", "hold kite"} <= {event.id for event in script.events}


def test_what_is_forgotten_is_gone_everywhere(learned: LearnedScenario) -> None:
    assert detect(TELLING).segments[0].names[0] == NAME
    forget(NAME)
    assert all(NAME not in segment.names for segment in detect(TELLING).segments)
    assert all(event.scenario != NAME for event in scenarist.read(TELLING).untold)
    with pytest.raises(BadInput, match=NAME):
        scenarist.show(NAME)
    assert not list((Path(learned.file).parent).iterdir())


def test_as_it_is_typed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = home / "kites"
    folder.mkdir()
    for number, text in enumerate(KITES):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    (home / "mine.txt").write_text(TELLING, encoding="utf-8")
    assert run(["scenarios", "add", NAME, str(folder)]) == 0
    assert "`read` and `show`" in capsys.readouterr().out
    assert run(["detect", str(home / "mine.txt"), "--json"]) == 0
    (detected,) = json.loads(capsys.readouterr().out)
    assert run(["read", str(home / "mine.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["story"]["segments"] == detected["segments"]
    assert run(["show", NAME]) == 0
    assert "what 7 tellers tell" in capsys.readouterr().out
