"""EventCounts -> discrete narrative chains: Chambers and Jurafsky's (2008, section 6) clustering of PMI, as ordered lists.

A chain grows from its strongest pair: at each step the event joins whose summed PMI with the chain's members is highest, as long as it is
at least ``least`` on average; an event belongs to one chain only. Events are shown in the order in which texts tell them: by how often each
comes before the others. Rare events are left out by ``cutoff``, and pairs by ``support``, for PMI prefers what was seen once.
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_chains import BE, REPORTING
from scenarist.learning.event_counts import EventCounts, Floats
from scenarist.story import Link


class NarrativeChain(msgspec.Struct, frozen=True):
    """Events that belong together, in the order texts tell them."""

    events: tuple[str, ...]
    strength: float
    """Mean PMI of its pairs."""
    order: float
    """How often texts agree with the order shown, of all pairs that were seen."""

    def __str__(self) -> str:
        return " -> ".join(self.events)


def narrative_chains(
    counts: EventCounts, most: int = 20, size: int = 8, cutoff: int = 30, support: int = 3, least: float = 1.0
) -> list[NarrativeChain]:
    """The strongest chains of some counts, each of up to ``size`` events."""
    if size < 2 or most < 1:
        raise BadInput("narrative_chains: size is 2 or more, most 1 or more.")
    kept = [at for at, name in enumerate(counts.types) if counts.events[at] >= cutoff and wanted(name)]
    pmi, before = tables(counts, np.array(kept, np.int64), support)
    free = np.ones(len(kept), bool)
    found: list[NarrativeChain] = []
    while len(found) < most and free.sum() >= 2:
        open_pairs = np.where(free[:, None] & free[None, :], pmi, -np.inf)
        np.fill_diagonal(open_pairs, -np.inf)
        best = np.unravel_index(int(open_pairs.argmax()), open_pairs.shape)
        if not open_pairs[best] >= least:
            break
        members = [int(best[0]), int(best[1])]
        while len(members) < size:
            gain = np.where(free, pmi[members].mean(axis=0), -np.inf)
            gain[members] = -np.inf
            joins = int(gain.argmax())
            if not gain[joins] >= least:
                break
            members.append(joins)
        free[members] = False
        found.append(shown(members, [counts.types[kept[at]] for at in members], pmi, before))
    return found


def wanted(name: str) -> bool:
    """No *be*, no reporting verbs, as in the paper."""
    return Link.parse(name).predicate.partition(":")[0] not in BE | REPORTING


def tables(counts: EventCounts, kept: npt.NDArray[np.int64], support: int) -> tuple[Floats, Floats]:
    """PMI and C(before) between the events kept; a pair seen less than ``support`` times counts as independent (0)."""
    place = np.full(len(counts), -1)
    place[kept] = np.arange(len(kept))
    inside = (place[counts.pairs[:, 0]] >= 0) & (place[counts.pairs[:, 1]] >= 0)
    before = np.zeros((len(kept), len(kept)))
    np.add.at(before, (place[counts.pairs[inside, 0]], place[counts.pairs[inside, 1]]), counts.pair_counts[inside])
    both = before + before.T
    p = counts.events[kept] / counts.total
    total = max(float(counts.pair_counts.sum()), 1.0) * 2
    with np.errstate(divide="ignore"):
        pmi = np.where(both >= support, np.log(both / total) - np.log(p)[:, None] - np.log(p)[None, :], 0.0)
    return pmi, before


def shown(members: list[int], names: list[str], pmi: Floats, before: Floats) -> NarrativeChain:
    """A chain in text order, with how strong it is and how far texts agree on the order."""
    inner = before[np.ix_(members, members)]
    lead = (inner - inner.T).sum(axis=1)
    order = np.argsort(-lead, kind="stable")
    ranked = inner[np.ix_(order, order)]
    agree, all_pairs = float(np.triu(ranked, 1).sum()), float(ranked.sum() - np.trace(ranked))
    pairs = pmi[np.ix_(members, members)][np.triu_indices(len(members), 1)]
    return NarrativeChain(
        tuple(names[at] for at in order), float(pairs.mean()), agree / all_pairs if all_pairs else 0.5
    )
