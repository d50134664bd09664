"""The inventory of everyday scenarios -> Scenario, KnownScenario; a name and stories -> a scenario of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scenarist.answers import KnownScenario, ScenarioRelation
from scenarist.formats.archive import is_archive, is_zip
from scenarist.script import Scenario
from scenarist.verbs.inputs import named_texts

if TYPE_CHECKING:
    from scenarist.models.scenarios.user_scenarios import LearnedScenario


def scenarios(find: str = "", unlearned: bool = False) -> tuple[Scenario, ...]:
    """All scenarios of Wanzare et al. (2019), Appendix B, with the paper's counts.

    ``find`` keeps those whose name or alias contains it, ``unlearned`` those without labelled text at hand.

    >>> [scenario.name for scenario in scenarios("haircut")]
    ['getting a haircut']
    """
    from scenarist.inventory import inventory

    word = find.lower()
    named = [one for one in inventory() if any(word in name.lower() for name in (one.name, *one.aliases))]
    return tuple(scenario for scenario in named if not unlearned or "mcscript" not in scenario.learned)


def scenario(name: str) -> KnownScenario:
    """One scenario by a name or alias: counts, aliases, relations both ways, and the words that speak for it most."""
    from scenarist.inventory import find, inventory
    from scenarist.models.scenarios.phrase_network import carried, strongest

    known = find(name)
    back = tuple(
        ScenarioRelation(other.name, kind)
        for other in inventory()
        for kind, target in other.relations
        if target == known.name and kind != "shares participants with"
    )
    return KnownScenario(known, tuple(strongest(carried(), known.name)), back)


def added_scenarios() -> tuple[str, ...]:
    """The names of the scenarios you added."""
    from scenarist.models.scenarios.user_scenarios import taught_names

    return tuple(taught_names())


def add_scenario(name: str, stories: Path | Sequence[str]) -> LearnedScenario:
    """Teach a scenario of your own from about twenty stories: their texts, a folder of files, or a file with a story a line."""
    from scenarist.models.scenarios.user_scenarios import teach

    return teach(name, read_stories(stories) if isinstance(stories, Path) else list(stories))


def read_stories(path: Path) -> list[str]:
    """The stories of a folder or an archive, one a file, or of a file, one a line."""
    texts = list(named_texts([path], "scenarios add NAME"))
    one_file = path.is_file() and not (is_archive(path) or is_zip(path))
    lines = texts[0].text.splitlines() if one_file else [text.text for text in texts]
    return [line.strip() for line in lines if line.strip()]


def forget_scenario(name: str) -> Path:
    """Take back a scenario you added; gives the file that is gone."""
    from scenarist.models.scenarios.user_scenarios import forget

    return forget(name)
