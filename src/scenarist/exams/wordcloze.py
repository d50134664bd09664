"""Pair -> Item: which word fills the blank, left to right? (Bisk et al. 2019, sections 2.2 and 4.1)

One item a blank word. The number of words of a blank is told, the right context is not. ``mode="oracle"`` feeds the key
forward, ``"greedy"`` the solver's own words. Two presets, because the released code differs from the paper:

- ``clean``: every blank, and everything that was filled in is read.
- ``as-published``: blanks beyond the 50th word are dropped, and the last word of each blank is never fed to the decoder
  (so of a one-word blank nothing is). These are two faults of the released code, kept to compare with Table 4.

``wordcloze-infill`` is another exam, not a setting: there the words after the blank are shown as well (later blanks as ``____``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scenarist.errors import BadInput
from scenarist.question import HIDDEN, Answer, Item, WordGap
from scenarist.registry import suggest
from scenarist.story import Pair

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "clean": {"cut": 0, "feed": "all"},
    "as-published": {"cut": 50, "feed": "but-last"},
}


class WordCloze:
    """The exam; keyword arguments overrule the preset."""

    name = "wordcloze"
    view = "pairs"
    sides = "left"

    def __init__(
        self,
        preset: str = "clean",
        mode: str = "oracle",
        whitelist: str = "kidscook",
        cut: int | None = None,
        feed: str | None = None,
    ) -> None:
        if preset not in PRESETS:
            raise suggest(preset, list(PRESETS), "preset of wordcloze")
        if mode not in ("oracle", "greedy"):
            raise BadInput(f"wordcloze: mode is 'oracle' or 'greedy', not {mode!r}.")
        self.preset, self.mode, self.whitelist = preset, mode, whitelist
        self.cut: int = PRESETS[preset]["cut"] if cut is None else cut
        """Blank words from this place on are not asked; 0 for no limit."""
        self.feed: str = feed or PRESETS[preset]["feed"]
        """``all`` words of a filled blank are read on, or all ``but-last``."""
        if self.feed not in ("all", "but-last") or self.cut < 0:
            raise BadInput(
                f"wordcloze: feed is 'all' or 'but-last' and cut at least 0, not {self.feed!r} and {self.cut}."
            )
        self._pairs: dict[str, Pair] = {}

    def settings(self) -> Mapping[str, object]:
        """All switches, for the signature."""
        return {
            "preset": self.preset, "mode": self.mode, "context": self.sides, "cut": self.cut or "none", "feed": self.feed,
            "words": self.whitelist or "all",
        }  # fmt: skip

    def set(self, stories: Iterable[Pair]) -> Iterator[Item]:
        """Oracle: every blank word. Greedy: the first one of each text, the others come by ``follow``."""
        for pair in stories:
            if not isinstance(pair, Pair):
                raise BadInput(f"wordcloze takes pairs of abstract and concrete text, not {type(pair).__name__}.")
            if not pair.abstract:
                raise BadInput(f"pair {pair.id!r}: the abstract is empty; there is nothing to make concrete.")
            places = self.places(pair)
            if not places:
                continue
            if self.mode == "greedy":
                self._pairs[pair.id] = pair
                places = places[:1]
            for blank, place in places:
                yield self.item(pair, blank, place, {})

    def places(self, pair: Pair) -> list[tuple[int, int]]:
        """(number of the blank, place of the word) of all words asked."""
        whole = [(n, place) for n, (start, stop) in enumerate(pair.blanks) for place in range(start, stop)]
        return [one for one in whole if not self.cut or one[1] < self.cut]

    def fed(self, pair: Pair, blank: int, place: int) -> list[int]:
        """The places of the words that are read before ``place``, in order."""
        lost = {stop - 1 for _, stop in pair.blanks[:blank]} if self.feed == "but-last" else set()
        return [at for at in range(place) if at not in lost]

    def item(self, pair: Pair, blank: int, place: int, filled: Mapping[int, str]) -> Item:
        """One word; ``filled`` holds the solver's words by place, the key's stand elsewhere."""
        start, stop = pair.blanks[blank]
        fed = self.fed(pair, blank, place)
        ranges = [(sum(at < first for at in fed), sum(at < last for at in fed)) for first, last in pair.blanks[:blank]]
        question = WordGap(
            abstract=pair.abstract,
            prefix=tuple(filled.get(at, pair.concrete[at]) for at in fed),
            left=stop - place,
            blank=sum(at < start for at in fed),
            suffix=self.suffix(pair, stop),
            whitelist=self.whitelist,
            blanks=tuple((first, last) for first, last in ranges if first < last),
        )
        tags = (f"words:{stop - start}",)
        return Item(f"{pair.id}:{blank}.{place - start}", question, pair.concrete[place], group=group(pair), tags=tags)

    def suffix(self, pair: Pair, stop: int) -> tuple[str, ...]:
        """What is shown of the text after the blank: nothing here."""
        return ()

    def follow(self, item: Item, answer: Answer) -> Item | None:
        """Greedy: the next blank word of the text with this answer filled in. Oracle items stand by themselves."""
        if self.mode != "greedy":
            return None
        name, _, where = item.id.rpartition(":")
        pair = self._pairs[name]
        blank, offset = (int(part) for part in where.split("."))
        place = pair.blanks[blank][0] + offset
        later = [one for one in self.places(pair) if one[1] > place]
        if not later:
            return None
        assert isinstance(item.question, WordGap)
        filled = dict(zip(self.fed(pair, blank, place), item.question.prefix, strict=True)) | {place: str(answer)}
        return self.item(pair, *later[0], filled)


class WordClozeInfill(WordCloze):
    """Which word fills the blank, the text after it in view?"""

    name = "wordcloze-infill"
    sides = "both"

    def suffix(self, pair: Pair, stop: int) -> tuple[str, ...]:
        hidden = {place for start, end in pair.blanks for place in range(start, end)}
        return tuple(HIDDEN if at in hidden else pair.concrete[at] for at in range(stop, len(pair.concrete)))


def group(pair: Pair) -> str:
    """Texts that share an abstract are one group: the bootstrap draws abstracts."""
    return "abstract-" + hashlib.sha1(" ".join(pair.abstract).encode()).hexdigest()[:12]
