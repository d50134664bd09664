"""Folder of counts -> LearnedChains: which events happen to one protagonist, in their order (Chambers and Jurafsky 2008).

`learn_chains` makes them of what `learn` counted and keeps them in the same folder; `show_chains` gives them again, all or those that
have a verb.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from scenarist.answers import LearnedChains
from scenarist.errors import BadInput
from scenarist.learning.event_counts import EventCounts, in_our_roles
from scenarist.learning.learn import read_card
from scenarist.learning.library.pair_orders import PairOrders, StepOrder
from scenarist.learning.narrative.clusters import USUAL, Grouping, event_groups
from scenarist.learning.narrative.orders import ORDERS, narrative_chain
from scenarist.noun import from_json, to_json
from scenarist.registry import make, suggest
from scenarist.store.home import write_whole
from scenarist.story import Link
from scenarist.verbs.fill import counts_file

FILE = "narrative-chains.json"
MOST = 100
"""Chains that are kept."""


def learn_chains(folder: str | Path, ordered: str = "text", grouping: Grouping = USUAL) -> LearnedChains:
    """Make narrative chains of a learned folder and keep them in it.

    ``ordered``: ``text``, by which event comes first in texts, or ``classifier``, by a classifier of pairs learned from the crowd-written
    scripts of proScript (train), which then must be on the search path.
    """
    if ordered not in ORDERS:
        raise suggest(ordered, list(ORDERS), "order of narrative chains")
    place = Path(folder)
    card = read_card(place)
    if card.args != "single":
        raise BadInput(
            f"{place} was counted with --args {card.args}; narrative chains need events of one protagonist: --args single."
        )
    counts = in_our_roles(EventCounts.load(counts_file(place)[0]))
    groups = event_groups(counts, grouping)[:MOST]
    if not groups:
        raise BadInput(f"{place}: no three events share a protagonist often enough. Learn from more texts.")
    classifier, table = order_classifier() if ordered == "classifier" else None, counts.ordered()
    chains = tuple(narrative_chain(counts, table, group, classifier) for group in groups)
    narrative = LearnedChains(card.corpus, card.documents, ordered, chains)
    write_whole(place / FILE, [to_json(narrative)])
    return narrative


def order_classifier() -> PairOrders:
    """The classifier of pairs, learned from proScript's train part and the votes of the library's scripts."""
    from scenarist.learning.library.evidence import library_scripts
    from scenarist.learning.library.orders import ScriptLibrary, library_order

    scripts = make("corpus", "proscript", split="train")
    steps = [order for script in scripts if (order := StepOrder.of(script)) is not None]
    library = {name: library_order(known.script, known.evidence) for name, known in library_scripts().items()}
    return PairOrders(ScriptLibrary(library)).fit(steps)


def show_chains(folder: str | Path, verb: str = "") -> LearnedChains:
    """The narrative chains of a folder; with a ``verb`` (or an event, ``arrest:obj``) those that have it."""
    path = Path(folder) / FILE
    if not path.exists():
        raise BadInput(
            f"{folder} holds no narrative chains. Make them with: scenarist learn CORPUS -o {folder} --chains"
        )
    narrative = from_json(path.read_bytes(), LearnedChains, str(path))
    if not verb:
        return narrative
    chains = tuple(chain for chain in narrative.chains if any(has(event, verb) for event in chain.events))
    if not chains:
        verbs = sorted({Link.parse(event).predicate for chain in narrative.chains for event in chain.events})
        raise suggest(verb, verbs, "verb of these chains")
    return msgspec.structs.replace(narrative, chains=chains)


def has(event: str, verb: str) -> bool:
    """Is this the event, or one of the verb?"""
    return verb in (event, Link.parse(event).predicate)
