"""The inventory: 200 scenarios, their names, aliases and relations."""

from __future__ import annotations

import pytest

from scenarist.errors import BadInput
from scenarist.inventory import find, inventory, known, nearest, plain, related, unknown
from scenarist.registry import make

KINDS = {"specialises", "part of", "shares participants with"}


def test_the_paper_s_two_hundred() -> None:
    names = [one.name for one in inventory()]
    assert len(names) == len(set(names)) == 200
    assert (inventory()[0].name, inventory()[0].documents, inventory()[0].sentences) == (
        "eating in a restaurant",
        21,
        387,
    )
    assert sum(one.sentences > 0 for one in inventory()) == 181  # the scenarios that occur as gold labels
    assert inventory()[-1].name == "emptying the kitchen sink"


def test_every_name_and_alias_is_one_scenario_s() -> None:
    for one in inventory():
        assert find(one.name) is one
        for alias in one.aliases:
            assert find(alias) is one, alias


def test_names_are_found_in_the_forms_papers_print_them() -> None:
    assert find("go to the dentist").name == "going to the dentist"
    assert find("washing one’s hair").name == find("washing ones hair").name == "washing ones hair"
    assert find("repairing a flat bicycle tire").name == "repairing a bicycle"
    assert plain("Baking a Cake") == plain("bake cake")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="baking a cake"):
        find("baking a caek")
    assert "going shopping" in nearest("shopping")
    assert set(unknown(["baking a cake", "juggling cats"])) == {"juggling cats"}
    assert not known("juggling cats")


def test_relations_name_scenarios_of_the_inventory() -> None:
    names = {one.name for one in inventory()}
    for one in inventory():
        for kind, other in one.relations:
            assert kind in KINDS
            assert other in names
            assert other != one.name
            if kind == "shares participants with":
                back = next(entry for entry in inventory() if entry.name == other)
                assert ("shares participants with", one.name) in back.relations
    assert related("shopping for clothes", "going shopping") == "specialises"
    assert related("checking in at an airport", "flying in a plane") == "part of"
    assert related("going bowling", "making tea") == ""


def test_no_cycles_among_parts_and_kinds() -> None:
    above = {
        one.name: [other for kind, other in one.relations if kind != "shares participants with"] for one in inventory()
    }

    def reach(name: str, seen: tuple[str, ...]) -> None:
        assert name not in seen, (*seen, name)
        for other in above[name]:
            reach(other, (*seen, name))

    for name in above:
        reach(name, ())


@pytest.mark.data("mcscript")
def test_mcscript_s_names_map_onto_it() -> None:
    names = {story.scenario for split in ("train", "dev") for story in make("corpus", "mcscript", split=split)}
    canonical = {one.name.lower() for one in inventory()}
    assert all(known(name) for name in names)
    assert sum(name.lower() not in canonical for name in names) == 15  # those that need an alias
    without = {one.name for one in inventory()} - {find(name).name for name in names}
    assert without == {"taking care of children", "making breakfast", "going to the theater", "planning a holiday trip"}
    assert without == {one.name for one in inventory() if "mcscript" not in one.learned}
