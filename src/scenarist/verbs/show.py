"""Name of a scenario -> KnownScript: its script and its place in the inventory."""

from __future__ import annotations

from scenarist.answers import KnownScript
from scenarist.errors import BadInput
from scenarist.script import Scenario


def show(name: str) -> KnownScript:
    """What is known of a scenario, by its name or an alias: its script and its place in the inventory.

    >>> show("taking a bath").script.scenario
    'taking a bath'
    """
    from scenarist import inventory
    from scenarist.learning.scripts import known_scripts

    scripts = known_scripts()
    if name in scripts and not inventory.known(name):
        return KnownScript(scripts[name], Scenario(name))
    scenario = inventory.find(name)
    if scenario.name not in scripts:
        raise BadInput(
            f"The inventory lists {scenario.name!r}, but no stories of it were at hand to learn from. See: scenarist scenarios"
        )
    return KnownScript(scripts[scenario.name], scenario)
