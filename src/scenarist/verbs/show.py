"""Name of a scenario -> KnownScript: its script, what tellers say of it, and its place in the inventory.

The library of written scripts and the counts beside it are what is shown (`resources/scripts`); of a scenario that the user added, or
with a folder of scripts of one's own, those. Each event says where it is known from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scenarist.answers import KnownEvent, KnownScript, ScriptGap, ScriptSummary
from scenarist.errors import BadInput
from scenarist.learning.library.evidence import HAPPENS, LibraryScript, library_scripts, likely, origin
from scenarist.learning.library.learned import plain
from scenarist.learning.library.wordings import Clause, WeighedMatcher
from scenarist.script import Scenario, ToldGap, WrittenEvent, WrittenScript

SLOT = re.compile(r"\{([^{}]*)\}")
MADE = "scenarist's library of everyday scripts, version 1, CC BY 4.0"
"""Who made the library; its datasheet is `resources/scripts/CARD.md`."""
GAPS = 8
"""Events that are only learned, at most so many of a script."""
HARDLY, TELLERS = 0.1, 10
"""Hardly anybody tells what at most so many tellers tell, where there are so many tellers or more."""


def show(name: str, scripts: str | Path = "") -> KnownScript:
    """What is known of a scenario, by its name or an alias; ``scripts``: a folder of one's own scripts, written or learned.

    >>> bath = show("taking a bath")
    >>> bath.scenario, bath.event("turn-on-water").source
    ('taking a bath', 'both')
    """
    if str(scripts).endswith(".json"):
        from scenarist.formats.scripts.sdf import read_sdf

        script = read_sdf(Path(scripts))
        if name not in (script.scenario, ""):
            raise BadInput(f"{scripts} holds the script of {script.scenario!r}, not of {name!r}.")
        return script
    return known_script(*found(name, scripts))


def show_all(scripts: str | Path = "") -> tuple[ScriptSummary, ...]:
    """All scripts that are known, a line each."""
    return tuple(summary(one) for one in library_scripts(str(scripts)).values())


def save_script(path: Path, script: KnownScript, form: str = "html") -> Path:
    """Write a script as a page (``html``), typicality norms (``csv``), KAIROS SDF 2.3 (``sdf``) or a graph (``graphml``)."""
    from scenarist.formats.scripts import graphml, norms, sdf
    from scenarist.pages.script import script_page
    from scenarist.verbs.save import save_page

    writers = {"html": script_page, "csv": norms.norms, "sdf": sdf.write_sdf, "graphml": graphml.graphml}
    if form not in writers:
        raise BadInput(f"expected one of {', '.join(writers)}, got {form!r}.")
    return save_page(path, writers[form](script))


def save_scripts(folder: Path, scripts: str | Path = "") -> tuple[Path, ...]:
    """Write the index of all scripts and a page for each into a folder."""
    from scenarist.formats.script_file import file_name
    from scenarist.pages.script import index_page, script_page
    from scenarist.verbs.save import save_page

    if folder.suffix == ".html":
        raise BadInput(f"{folder}: the index and a page a script need a folder. Write for example: --html scripts/")
    summaries = show_all(scripts)
    links = {one.scenario: Path(file_name(one.scenario)).with_suffix(".html").name for one in summaries}
    made = MADE if not scripts else f"scripts of {scripts}"
    folder.mkdir(parents=True, exist_ok=True)
    index = save_page(folder / "index.html", index_page(summaries, links, made))
    return (
        index,
        *(save_page(folder / links[one.scenario], script_page(show(one.scenario, scripts))) for one in summaries),
    )


def script_gaps(name: str, least: float = 0.1) -> tuple[ScriptGap, ...]:
    """What so many of the tellers of an activity tell, at least, and no event of its script says.

    >>> [gap.phrase for gap in script_gaps("taking a bath", least=0.9)]
    []
    """
    library, _ = found(name)
    size = library.evidence.stories
    return tuple(
        ScriptGap(plain(gap.phrase), gap.tellers, size, gap.place, nearest(library, gap))
        for gap in fresh_gaps(library)
        if size and gap.tellers >= least * size
    )


def found(name: str, scripts: str | Path = "") -> tuple[LibraryScript, Scenario]:
    """A script and its scenario by name or alias."""
    from scenarist import inventory
    from scenarist.registry import suggest

    known = library_scripts(str(scripts))
    scenario = inventory.find(name) if inventory.known(name) else Scenario(name)
    for key in (name, scenario.name):
        if key in known:
            return known[key], scenario
    if scripts or not inventory.known(name):
        raise suggest(name, sorted(known), "script" if scripts else "scenario")
    raise BadInput(f"The inventory lists {scenario.name!r}, but it has no script. See: scenarist scenarios")


def known_script(library: LibraryScript, scenario: Scenario) -> KnownScript:
    """A script with its evidence, as it is shown."""
    script, evidence = library.script, library.evidence
    tellers = evidence.stories + evidence.lists
    words = {
        participant.name: plain(participant.name) if participant.kind in ("person", "group") else participant.words[0]
        for participant in script.participants
    }
    events = []
    for number, event in enumerate(script.events):
        said = evidence.events[number] if evidence.events else None
        told = said.in_stories + said.in_lists if said else 0
        happened = likely(event, evidence, number) if said else HAPPENS[event.happens]
        if library.learned:
            happened = raised(told, tellers)
        hardly = hardly_told(event, told, tellers)
        events.append(
            KnownEvent(
                event.id, plain(event.id) if library.learned else phrase_of(event.say, words),
                origin(said, library.learned) if said else "written", round(happened, 3),
                told, tellers, "" if library.learned else event.happens, hardly, event.scene, event.by, event.say,
                event.wordings, event.one_of, event.after, event.after_usually, event.needs, event.results, event.sub,
                said.place if said else -1.0, said.after if said else (), said.before if said else (),
                said.fillers if said else (),
            )
        )  # fmt: skip
    events += [
        KnownEvent(
            gap.phrase, plain(gap.phrase), "learned", round(raised(gap.tellers, evidence.stories), 3),
            gap.tellers, evidence.stories, place=gap.place,
        )
        for gap in fresh_gaps(library)[:GAPS]
    ]  # fmt: skip
    return KnownScript(
        script.scenario, tuple(events), script.scenes, script.participants, evidence.sources, tellers, scenario.aliases,
        scenario.relations, "" if library.learned else MADE,
    )  # fmt: skip


def hardly_told(event: WrittenEvent, told: int, tellers: int) -> bool:
    """Does it happen and hardly anybody says so? By its writer, unless more than one in ten of ten tellers or more tell it.

    >>> event = WrittenEvent("boil", "cook", "water", "{water} boils", (), "always", silent=True)
    >>> hardly_told(event, 2, 20), hardly_told(event, 3, 20), hardly_told(event, 3, 9)
    (True, False, True)
    """
    return event.silent and (tellers < TELLERS or told <= HARDLY * tellers)


def raised(told: int, tellers: int) -> float:
    """How likely an event happened that nobody wrote: *sometimes*, raised by those who tell it."""
    return 1 - (1 - HAPPENS["sometimes"]) * (1 - told / max(1, tellers))


def fresh_gaps(library: LibraryScript) -> list[ToldGap]:
    """The gaps that no event of the script says, in the words that it knows today."""
    matcher = WeighedMatcher(library.script)
    return [gap for gap in library.evidence.gaps if matcher.event_of(Clause.of(plain(gap.phrase))) is None]


def nearest(library: LibraryScript, gap: ToldGap, most: int = 2) -> tuple[str, ...]:
    """The told events that stand nearest to a gap in the telling."""
    told = [event for event in library.evidence.events if event.place >= 0]
    return tuple(event.id for event in sorted(told, key=lambda event: abs(event.place - gap.place))[:most])


def phrase_of(say: str, words: dict[str, str]) -> str:
    """A clause with its slots filled by the participants' commonest words.

    >>> phrase_of("{guest} sits down at {table}", {"guest": "guest", "table": "table"})
    'guest sits down at table'
    """
    return SLOT.sub(lambda match: words.get(match[1], match[1]), say)


def summary(library: LibraryScript) -> ScriptSummary:
    """A script as a line of the index."""
    script, evidence = library.script, library.evidence
    tellers = evidence.stories + evidence.lists
    told = [event.in_stories + event.in_lists for event in evidence.events] or [0] * len(script.events)
    hardly = (hardly_told(event, count, tellers) for event, count in zip(script.events, told, strict=True))
    return ScriptSummary(
        script.scenario, len(script.events), len(script.scenes), sum(hardly), tellers,
        0 if library.learned else len(evidence.gaps), "learned" if library.learned else "both" if tellers else "written",
    )  # fmt: skip


def sub_scripts(script: KnownScript | WrittenScript) -> Iterator[tuple[str, str]]:
    """(event, scenario) for each event that is a script of its own."""
    return ((event.id, event.sub) for event in script.events if event.sub)
