"""Story or Chain -> Item: which event is missing from this chain? Every event cloze of the literature, each difference a switch.

Chambers (2017) section 2.2 lists how the test changed from Chambers and Jurafsky's (2008) *narrative cloze* to the *LM cloze* of
Jans et al. (2012) and after; results contradict each other because these settings were not written down. Here they are
arguments with names, they stand in the signature, and ``PRESETS`` holds the combinations that have a name.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain as chain_up
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.learning.event_chains import Document, central, documents, filtered, renamed, variables
from scenarist.question import EventGap, Item
from scenarist.registry import suggest
from scenarist.story import Chain, Link


class Switches(msgspec.Struct, frozen=True):
    """What can differ between two event cloze tests."""

    position: str = "known"
    """``known``: the place of the gap is told; ``unknown``: it is not."""
    chains: str = "all"
    """``all`` chains of a document, or the ``central`` entity's only."""
    repeats: bool = True
    """Repeated events kept, or each event once."""
    be: bool = True
    """Forms of *be* in or out."""
    reporting: bool = True
    """Reporting verbs in or out."""
    min: int = 2
    """Events a chain must have, the missing one included, after the filters above."""
    gaps: str = "random"
    """``random``: one a chain; ``each`` event in turn; ``last``."""
    args: str = "single"
    """``single``: verb and role; ``multi``: verb and the variables of all its arguments; ``types``: verb and role are asked, and what else
    takes part in the chain's events is told, as labels or head words (Ahrendt and Demberg 2016)."""
    forms: str = "lemma"
    """``lemma`` or ``surface``."""
    choices: int = 0
    """0: open ranking; n: one right and n - 1 wrong candidates."""
    candidates: str = "random"
    """Wrong candidates: ``random`` events of other documents, or of like ``frequency``."""
    core: str = ""
    """Only core events are asked: ``labels`` (events with a script label), or a file with one event (or verb) a line."""
    tests: str = "auto"
    """``auto``, or a file of hand-made tests (``<TEST>``, ``<ANSWER>``, ``<INSERT_INDEX>``, ``<CLOZE>``)."""
    unshared: str = ""
    """Name of a corpus: documents that share a whole chain of five or more events with its train split are left out."""
    items: int = 4000
    """Gaps drawn by the seed, 0 for all."""


PRESETS: Mapping[str, Switches] = {
    "lm-cloze": Switches(),
    "narrative-cloze": Switches(
        position="unknown", chains="central", repeats=False, be=False, reporting=False, min=5, gaps="each"
    ),
    "cj08": Switches(position="unknown", chains="central", repeats=False, be=False, min=5, gaps="each"),
    "jans12": Switches(gaps="each"),
    "pm14": Switches(args="multi"),
    "gw16": Switches(chains="central", min=9, gaps="last", choices=5),
}
"""``lm-cloze`` and ``narrative-cloze`` are Chambers's (2017) two poles; the others follow the papers they are named for."""

ALLOWED = {
    "position": ("known", "unknown"), "chains": ("all", "central"), "gaps": ("random", "each", "last"),
    "args": ("single", "multi", "types"), "forms": ("lemma", "surface"), "candidates": ("random", "frequency"),
}  # fmt: skip
UNRELATED = ("unrel", "relnscr", "unclear", "other", "evoking", "screv_other")
"""How labels of InScript begin, in lower case, that do not say that an event belongs to the script (``UnrelEv``, ``RelNScrEv``, ...)."""


class EventCloze:
    """The exam; keyword arguments overrule the preset."""

    name = "eventcloze"

    def __init__(
        self, preset: str = "lm-cloze", seed: int = 13, train: Iterable[Any] | None = None, **switches: Any
    ) -> None:
        """``train``: the train part of the corpus that ``unshared`` names, which the runner hands over."""
        if preset not in PRESETS:
            raise suggest(preset, list(PRESETS), "preset of eventcloze")
        unknown = sorted(set(switches) - set(Switches.__struct_fields__))
        if unknown:
            raise suggest(unknown[0], list(Switches.__struct_fields__), "switch of eventcloze", all_named=True)
        self.preset, self.seed, self.train = preset, seed, train
        try:
            whole = {**msgspec.structs.asdict(PRESETS[preset]), **switches}
            self.switches = msgspec.convert(whole, Switches)
        except msgspec.ValidationError as error:
            raise BadInput(f"eventcloze: {error}") from error
        for name, values in ALLOWED.items():
            if (value := getattr(self.switches, name)) not in values:
                raise BadInput(f"eventcloze: {name} is one of {', '.join(values)}, not {value!r}.")
        if self.switches.min < 2:
            raise BadInput("eventcloze: min must be 2 or more; a chain of one event leaves nothing to predict from.")
        idle = sorted(set(switches) - {"tests", "position", "items"})
        if self.switches.tests != "auto" and idle:
            raise BadInput(
                f"eventcloze: hand-made tests are taken as they are (tests={self.switches.tests}); {', '.join(idle)} would do nothing. "
                "Only position and items go with tests."
            )
        if self.switches.choices == 1 or self.switches.choices < 0:
            raise BadInput("eventcloze: choices is 0 (open ranking) or 2 and more.")
        if self.switches.unshared and train is None:
            raise BadInput(
                f"eventcloze: unshared needs the train part of {self.switches.unshared}: pass train=make('corpus', "
                f"{self.switches.unshared!r}, split='train'), or let `scenarist bench` and `scenarist exam` hand it over."
            )

    def settings(self) -> Mapping[str, object]:
        """All switches, for the signature: the preset, and whatever it does not say."""
        plain = msgspec.structs.asdict(self.switches)
        base = msgspec.structs.asdict(PRESETS[self.preset])
        always = ("forms", "min", "position", "chains", "repeats", "gaps", "items")
        return {"preset": self.preset, **{key: plain[key] for key in plain if key in always or plain[key] != base[key]}}

    def set(self, stories: Iterable[Any]) -> Iterator[Item]:
        """The items, in document order."""
        switches = self.switches
        if switches.tests != "auto":
            yield from self.drawn(list(hand_made(Path(switches.tests), switches.position)))
            return
        things = iter(stories)
        first = next(things, None)
        if isinstance(first, Item):  # a corpus of ready-made tests (MCNC)
            yield from self.drawn([one for one in chain_up([first], things) if isinstance(one, Item)])
            return
        stories = chain_up([] if first is None else [first], things)
        items: list[Item] = []
        pool: Counter[Link] = Counter()
        shared = long_chains(self.train) if switches.unshared and self.train is not None else frozenset()
        core = None if switches.core in ("", "labels") else core_list(Path(switches.core))
        for document in documents(stories, switches.forms, "types" if switches.args == "types" else "raw"):
            if shared and any(chain.links in shared for chain in document.chains):
                continue
            for order, chain in enumerate(self.kept(document)):
                if switches.choices:
                    pool.update(chain.links)
                items.extend(self.gaps_of(chain, document, str(order), core))
        chosen = self.drawn(items)
        yield from (self.with_choices(item, pool) for item in chosen) if switches.choices else chosen

    def kept(self, document: Document) -> Iterator[Chain]:
        """The chains of a document that are tested."""
        switches = self.switches
        chains: Sequence[Chain] = document.chains
        if switches.chains == "central":
            longest = central(chains)
            chains = [longest] if longest is not None else []
        for chain in chains:
            if switches.args == "single":
                bare = tuple(Link(link.predicate, link.role) if link.args else link for link in chain.links)
                chain = msgspec.structs.replace(chain, links=bare)
            short = filtered(chain, switches.be, switches.reporting, switches.repeats)
            if len(short) >= switches.min:
                yield short

    def gaps_of(self, chain: Chain, document: Document, place: str, core: frozenset[str] | None) -> Iterator[Item]:
        """The items of one chain."""
        switches = self.switches
        open_gaps = [at for at in range(len(chain)) if self.is_core(chain, at, document, core)]
        if switches.gaps == "last":
            open_gaps = [at for at in open_gaps if at == len(chain) - 1]
        elif switches.gaps == "random" and open_gaps:
            open_gaps = [open_gaps[draw(self.seed, f"{document.id}/{place}", len(open_gaps))]]
        for at in open_gaps:
            links, key = removed(chain, at, switches.args)
            yield Item(
                id=f"{document.id}/{place}/{at}",
                question=EventGap(links, at if switches.position == "known" else None),
                key=str(key),
                group=document.id,
                tags=(f"length:{band(len(chain))}",),
            )

    def is_core(self, chain: Chain, at: int, document: Document, core: frozenset[str] | None) -> bool:
        """May this event be asked?"""
        if self.switches.core == "labels":
            labels = document.labels
            label = labels[chain.places[at]].lower() if chain.places else ""
            return bool(label) and not label.startswith(UNRELATED)
        link = chain.links[at]
        return core is None or link.predicate in core or str(Link(link.predicate, link.role)) in core

    def drawn(self, items: list[Item]) -> list[Item]:
        """As many items as asked for, chosen by the seed, in document order."""
        if not self.switches.items or len(items) <= self.switches.items:
            return items
        picked = random.Random(f"eventcloze/{self.seed}").sample(range(len(items)), self.switches.items)
        return [items[at] for at in sorted(picked)]

    def with_choices(self, item: Item, pool: Counter[Link]) -> Item:
        """The item with its wrong candidates, in an order that does not tell the right one."""
        question = item.question
        assert isinstance(question, EventGap)
        right = next((link for link in pool if str(link) == item.key), Link.parse(str(item.key)))
        taken = {right, *question.links}
        others = [link for link in pool if link not in taken]
        need = self.switches.choices - 1
        if len(others) < need:
            raise BadInput(
                f"eventcloze: {need} wrong candidates were asked for, the corpus has {len(others)} other events."
            )
        rng = random.Random(f"{self.seed}/{item.id}")
        if self.switches.candidates == "frequency":
            others.sort(key=lambda link: (abs(pool[link] - pool[right]), str(link)))
            wrong = rng.sample(others[: max(need, 50)], need)
        else:
            wrong = rng.choices(others, weights=[pool[link] for link in others], k=need * 20)
            wrong = list(dict.fromkeys(wrong))[:need]
            wrong += [link for link in others if link not in wrong][: need - len(wrong)]
        choices = sorted(
            [right, *wrong], key=lambda link: hashlib.sha1(f"{self.seed}{item.id}{link}".encode()).digest()
        )
        return msgspec.structs.replace(item, question=msgspec.structs.replace(question, choices=tuple(choices)))


def removed(chain: Chain, at: int, args: str) -> tuple[tuple[Link, ...], Link]:
    """The chain without one event, and that event. Variables are named from what is left, so they tell nothing of the gap."""
    links, key = chain.links[:at] + chain.links[at + 1 :], chain.links[at]
    if args == "types":
        key = Link(key.predicate, key.role)
    if args == "multi":
        names = variables(links, chain.entity)
        links, key = tuple(renamed(link, names) for link in links), renamed(key, names)
    return links, key


def band(length: int) -> str:
    """A chain's length as a band for breakdowns."""
    return next((name for most, name in ((2, "2"), (4, "3-4"), (8, "5-8"), (16, "9-16")) if length <= most), "17+")


def draw(seed: int, name: str, below: int) -> int:
    """A number below ``below`` that depends on the seed and the name alone, not on what else is in the corpus."""
    return int.from_bytes(hashlib.sha1(f"{seed}/{name}".encode()).digest()[:8], "big") % below


def long_chains(stories: Iterable[Any]) -> frozenset[tuple[Link, ...]]:
    """The chains of five or more events of a corpus."""
    return frozenset(chain.links for document in documents(stories) for chain in document.chains if len(chain) >= 5)


def core_list(path: Path) -> frozenset[str]:
    """Core events that people named: one ``verb:role`` or verb a line, ``#`` begins a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected a text file with one core event a line ({error}).") from error
    core = frozenset(str(Link.parse(text)) for line in lines if (text := line.split("#")[0].strip()))
    if not core:
        raise BadInput(f"{path}: no core event in it; expected one 'verb:role' or verb a line.")
    return core


def hand_made(path: Path, position: str) -> Iterator[Item]:
    """Tests from a cloze file: ``<DOCNAME>``, ``<CHAIN>``, then ``<TEST>``, ``<ANSWER>``, ``<INSERT_INDEX>``, ``<CLOZE>`` lines."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected a file of cloze tests ({error}).") from error
    story, answer, at, number = path.stem, "", -1, 0
    for row, line in enumerate(lines, start=1):
        tag, _, rest = line.strip().partition(">")
        rest = rest.strip()
        if tag == "<DOCNAME":
            story = rest
        elif tag == "<ANSWER":
            answer = rest
        elif tag == "<INSERT_INDEX":
            if not rest.isdigit():
                raise BadInput(f"{path}, line {row}: <INSERT_INDEX> needs a number, not {rest!r}.")
            at = int(rest)
        elif tag == "<CLOZE":
            links = tuple(Link.parse(text) for text in rest.split())
            if not answer or not 0 <= at <= len(links):
                raise BadInput(
                    f"{path}, line {row}: <CLOZE> without an <ANSWER> or with <INSERT_INDEX> beyond the chain."
                )
            question = EventGap(links, at if position == "known" else None)
            yield Item(f"{story}/{number}", question, str(Link.parse(answer)), group=story)
            answer, at, number = "", -1, number + 1
        elif tag not in ("", "<CHAIN", "<TEST", "<UUID"):
            raise BadInput(
                f"{path}, line {row}: expected <DOCNAME>, <CHAIN>, <TEST>, <ANSWER>, <INSERT_INDEX> or <CLOZE>."
            )
