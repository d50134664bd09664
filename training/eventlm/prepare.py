"""NYT chains (train split) as arrays: all that `train.py` needs, so that it runs where there is torch and numpy and nothing else.

    python -m training.eventlm.prepare -o out/eventlm.npz [--more CHAINS.txt]

Dev gaps (4,000 a preset, seed 13) travel with them, for the log and for choosing between recipes; the network never learns from
them. ``--more`` is a text file of other chains, one a line: source, document and `verb:role` events, tab-separated (what our
reader finds in fiction and ROCStories); its roles are written as the chains' own, and only events that occur in the NYT chains
are predicted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from scenarist.learning.event_chains import documents, filtered
from scenarist.models.events.log_bilinear import part, window
from scenarist.question import EventGap
from scenarist.registry import make
from scenarist.story import Chain

NEAREST = 24
ROLES = {"subj": "nsubj", "obj": "dobj"}
"""Our reader's roles in the chains' inventory; a passive's subject is an object to our reader, ``dobj`` here."""


class Words:
    """Events, verbs and dependencies as numbers; ``types`` are the events that can be predicted, ``extra`` those only ever read."""

    def __init__(self, chains: Sequence[Chain], singles: Sequence[Chain], extra: Iterable[str] = ()) -> None:
        counts = Counter(str(link) for chain in chains for link in chain.links)
        every = counts + Counter(str(link) for chain in singles for link in chain.links)
        self.types = sorted(counts, key=lambda name: (-counts[name], name))
        self.counts = np.array([counts[name] for name in self.types])
        verbs, deps = Counter[str](), Counter[str]()
        for name, number in every.items():
            verbs[part(name)[0]] += number
            deps[part(name)[1]] += number
        self.verbs = ["<unk>", *(name for name, number in verbs.most_common() if number >= 2)]
        self.deps = ["<unk>", *(name for name, number in deps.most_common() if number >= 5)]
        self.extra = sorted(set(extra) - set(self.types))
        self.ids = {name: at for at, name in enumerate([*self.types, *self.extra])}
        verb_ids, dep_ids = ({name: at for at, name in enumerate(words)} for words in (self.verbs, self.deps))
        self.verb_of = np.array([verb_ids.get(part(name)[0], 0) for name in self.ids])
        self.dep_of = np.array([dep_ids.get(part(name)[1], 0) for name in self.ids])


def flat(chains: Iterable[Sequence[str]], ids: dict[str, int], name: str) -> dict[str, np.ndarray]:
    """Chains end to end and where each starts."""
    events: list[int] = []
    start = [0]
    for chain in chains:
        events.extend(ids[event] for event in chain)
        start.append(len(events))
    return {f"{name}.flat": np.array(events, np.int32), f"{name}.start": np.array(start, np.int64)}


def gaps(preset: str, words: Words) -> dict[str, np.ndarray]:
    """The dev items of a preset: contexts, distance buckets, keys (-1 for one never seen in train)."""
    items = list(make("exam", "eventcloze", preset=preset, seed=13).set(make("corpus", "nyt-chains", split="dev")))
    contexts, buckets = np.full((len(items), NEAREST), -1, np.int32), np.zeros((len(items), NEAREST), np.int8)
    for at, item in enumerate(items):
        assert isinstance(item.question, EventGap)
        links, places, _ = window(item.question)
        contexts[at, : len(links)] = [words.ids[str(link)] for link in links]
        buckets[at, : len(links)] = places
    keys = np.array(
        [words.ids[str(item.key)] if words.ids[str(item.key)] < len(words.types) else -1 for item in items], np.int32
    )
    return {f"dev.{preset}.x": contexts, f"dev.{preset}.p": buckets, f"dev.{preset}.k": keys}


def more_chains(path: Path, known: frozenset[str]) -> list[list[str]]:
    """Other chains in the inventory of these; of an event nobody knows nothing is learned."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        chain = []
        for event in line.split("\t")[-1].split():
            verb, role = part(event)
            if verb in known:
                chain.append(f"{verb}:{ROLES.get(role, role)}")
        if len(chain) > 1:
            found.append(chain)
    return found


def phrase_vectors(verbs: Sequence[str]) -> np.ndarray:
    """MiniLM's vector of each verb (an untrained row for <unk>)."""
    from scenarist.models.endings.similarity import encoder

    found = np.asarray(
        encoder().encode([f"to {verb.replace('_', ' ')}" for verb in verbs], batch_size=256, show_progress_bar=False)
    )
    found[0] = 0
    return ((found - found.mean(0)) / found.std()).astype(np.float16)


def language_model_vectors(verbs: Sequence[str], path: Path, layers: int = 20) -> np.ndarray:
    """SmolLM2's state after each verb, in the middle of its layers (a row of zeros for <unk>)."""
    import torch

    from scenarist.networks.llama import Llama, TextTree

    network = Llama.read(path, layers)
    rows = []
    with torch.no_grad():
        for at in range(0, len(verbs), 64):
            trees = [
                TextTree.grow(network.encode(f"They decided to {verb.replace('_', ' ')}"), [])
                for verb in verbs[at : at + 64]
            ]
            states = network.states_of_trees(trees)
            rows += [states[number, len(tree.ids) - 1].numpy() for number, tree in enumerate(trees)]
    return reduced(np.stack(rows), 192)


def reduced(rows: np.ndarray, width: int) -> np.ndarray:
    """The leading principal components of some vectors, a row of zeros for <unk>."""
    centred = (rows - rows.mean(0)).astype(np.float64)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    found = left[:, :width] * values[:width]
    found[0] = 0
    return (found / found.std()).astype(np.float16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", "-o", type=Path, required=True)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--no-vectors", action="store_true", help="without MiniLM's vectors of verbs")
    parser.add_argument("--smollm2", type=Path, help="SmolLM2's gguf file, for its vectors of verbs too")
    given = parser.parse_args()
    whole = [chain for document in documents(make("corpus", "nyt-chains", split="train")) for chain in document.chains]
    chains = [chain for chain in whole if len(chain) > 1]
    singles = [chain for chain in whole if len(chain) == 1]
    known = frozenset(part(str(link))[0] for chain in whole for link in chain.links)
    more = more_chains(given.more, known) if given.more else []
    dev = [
        str(link)
        for document in documents(make("corpus", "nyt-chains", split="dev"))
        for chain in document.chains
        for link in chain.links
    ]
    words = Words(chains, singles, [*dev, *(event for chain in more for event in chain)])
    once = [short for chain in chains if len(short := filtered(chain, be=False, reporting=False, repeats=False)) > 2]
    arrays = flat(([str(link) for link in chain.links] for chain in chains), words.ids, "chains")
    arrays |= flat(([str(link) for link in chain.links] for chain in once), words.ids, "once")
    arrays |= flat(more, words.ids, "more")
    for preset in ("lm-cloze", "narrative-cloze"):
        arrays |= gaps(preset, words)
    if not given.no_vectors:
        arrays["verb_vectors"] = phrase_vectors(words.verbs)
    if given.smollm2:
        arrays["verb_states"] = language_model_vectors(words.verbs, given.smollm2)
    text = {
        name: np.frombuffer("\n".join(getattr(words, name)).encode(), np.uint8) for name in ("types", "verbs", "deps")
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        given.out,
        counts=words.counts.astype(np.int32),
        verb_of=words.verb_of.astype(np.int32),
        dep_of=words.dep_of.astype(np.int32),
        **text,
        **arrays,
    )
    print(
        f"{given.out}: {len(words.types):,} kinds of event, {len(arrays['chains.flat']):,} events, {len(arrays['more.flat']):,} of other chains"
    )


if __name__ == "__main__":
    main()
