"""Instructions of a recipe -> steps: what is read, what is chosen, what is refused, and faults of the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.reading.recipes.instruction import read_clauses
from scenarist.reading.recipes.kitchen import kitchen, read_kitchen
from scenarist.reading.recipes.steps import explain_words


def steps(text: str) -> list[str]:
    return [step.text for part in explain_words(text.replace(",", " ,").split()) for step in part.steps]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("drain the pasta", [("drain", ("pasta",))]),
        ("peel and chop the carrots", [("peel", ("carrot",)), ("chop", ("carrot",))]),
        ("brown the ground beef and drain the fat", [("brown", ("ground beef",)), ("drain", ("fat",))]),
        ("mix flour and butter", [("mix", ("flour", "butter"))]),
        ("boil the potatoes, drain them", [("boil", ("potato",)), ("drain", ("potato",))]),
        ("take the cake out of the oven", [("take", ("cake",))]),
        ("let the dough rise", [("let rise", ("dough",))]),
        ("bring the broth to a boil", [("bring to a boil", ("broth",))]),
        ("gently fold in the egg whites", [("fold in", ("egg white",))]),
    ],
)
def test_what_is_done_to_what(text: str, clauses: list[tuple[str, tuple[str, ...]]]) -> None:
    found = read_clauses(text.replace(",", " ,").split(), kitchen())
    assert [(clause.verb, clause.heads) for clause in found] == clauses


def test_a_way_is_chosen_by_what_it_is_done_to() -> None:
    assert "shell" in " ".join(steps("peel the egg"))
    assert "peeler" in " ".join(steps("peel the potatoes"))
    assert "stem" in " ".join(steps("peel the banana"))
    assert "wedges" in " ".join(steps("cut the lemon into wedges"))
    assert "flour" in " ".join(steps("cut the butter into the flour"))


def test_slots_are_filled_and_agree() -> None:
    told = steps("poach the salmon in white wine for 6 minutes")
    assert "Heat white wine in a wide pan until it steams, but does not boil." in told
    assert any("for 6 minutes" in step for step in told)
    assert any("until they are golden brown" in step for step in steps("fry the onions until golden brown"))
    assert all("{" not in step and "[" not in step for step in told)


@pytest.mark.parametrize(
    ("text", "word"),
    [("xyzzy the pasta", "xyzzy"), ("boil the car", "car"), ("peel the moon", "moon"), ("whisk the democracy", "democracy"),
     ("stuff the chicken with sadness", "sadness")],
)  # fmt: skip
def test_what_is_no_kitchen_is_refused_by_name(text: str, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        explain_words(text.split())


def test_every_word_knows_where_it_was_told_from() -> None:
    words = "mash the potatoes with butter".split()
    (part,) = explain_words(words)
    owners = {word: words[place] for step in part.steps for word, place in zip(step.words, step.path, strict=True)}
    assert owners["potatoes"] == "potatoes"
    assert owners["butter"] == "butter"
    assert owners["masher"] == "mash"


def test_every_way_can_be_told() -> None:
    """Each way, done to something it is for: no slot stays open, every step is a sentence."""
    known = kitchen()
    for way in known.ways:
        thing = next((name for name in way.of if name != "-"), "" if way.of else "mixture")
        things = {**{word: {kind} for word, kind in known.tools.items()}, **known.classes}
        food = next((word for word, classes in things.items() if thing in classes), thing)
        words = f"{way.verbs[0]} {food}".split()
        try:
            parts = explain_words(words, known)
        except BadInput:  # a way for a named part, or for a food in a state
            assert way.part or way.state or way.of == ("-",), way.place
            continue
        for step in parts[-1].steps:
            assert "{" not in step.text and "[" not in step.text and step.text.endswith("."), (way.place, step.text)


@pytest.mark.parametrize(
    ("actions", "fault"),
    [
        ('[[way]]\ndo = "boil"\nsteps = "Take {nothing}."', "actions.toml:2: nothing fills the slot {nothing}"),
        ('[[way]]\ndo = ""\nsteps = "Take it."', "needs verbs"),
        ('[[way]]\ndo = "boil"\nwhere = "x"\nsteps = "Take it."', "got where"),
        ('[[way]]\ndo = "boil"\nstate = "asleep"\nsteps = "Take it."', "no state 'asleep'"),
        ('[[way]]\ndo = "boil"\nsteps = "Take [it."', "bracket"),
        ("[[way", "expected a TOML file"),
    ],
)
def test_faults_of_a_file_are_named(tmp_path: Path, actions: str, fault: str) -> None:
    (tmp_path / "foods.toml").write_text("schema = 1\n[classes]\npasta = 'pasta'\n")
    (tmp_path / "actions.toml").write_text(f"schema = 1\n{actions}\n")
    with pytest.raises(BadInput) as caught:
        read_kitchen(tmp_path)
    assert fault in str(caught.value)


def test_what_an_earlier_clause_has_done_is_not_done_again() -> None:
    told = steps("peel and slice the cucumbers")
    assert sum("wash" in step.lower() for step in told) == 1
    assert "peeler" in " ".join(told)
    assert sum("roll" in step.lower().split() for step in steps("roll out the pastry and cut it into circles")) == 1


def test_food_is_not_poured_into_the_sink() -> None:
    with pytest.raises(BadInput, match="would be lost"):
        steps("pour the pasta into the sink")
    assert steps("pour the water into the sink")


def test_flour_goes_into_the_sauce_that_is_there() -> None:
    assert "sauce" in steps("stir the flour into the sauce")[0]
    assert "the juice" not in " ".join(steps("squeeze the juice of a lemon into the bowl"))
    assert "colander" in " ".join(steps("drain the noodles and rinse them with cold water"))
