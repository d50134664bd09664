"""Name of a scenario -> Script and Scenario: what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarist.script import Scenario, Script


def show(name: str) -> tuple[Script, Scenario]:
    """What is known of a scenario, by its name or an alias: its script and its place in the inventory."""
    from scenarist import inventory as scenario_inventory
    from scenarist.errors import BadInput
    from scenarist.learning.user_scripts import known_scripts

    scripts = known_scripts()
    if name in scripts and not scenario_inventory.known(name):
        from scenarist.script import Scenario

        return scripts[name], Scenario(name)
    scenario = scenario_inventory.find(name)
    if scenario.name not in scripts:
        raise BadInput(
            f"The inventory lists {scenario.name!r}, but no stories of it were at hand to learn from. See: scenarist scenarios"
        )
    return scripts[scenario.name], scenario
