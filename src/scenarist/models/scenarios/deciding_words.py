"""Sentences and a label -> the words that spoke for it: what each phrase adds to the label's score over the other labels.

The network's score has a part that is a plain sum over phrases (`phrase_network.Network.direct`); only that part is read
here, as it can be said in words. Phrases come in the forms in which they stand in the text.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from scenarist.models.scenarios.phrase_network import PhraseNetwork
from scenarist.reading.stems import STOP, WORD, stem

LONGEST = 60
"""Sentences looked at in a long segment."""


def deciding_words(network: PhraseNetwork, texts: Sequence[str], label: int, most: int = 5) -> tuple[str, ...]:
    """The phrases that decided, strongest first."""
    direction = network.direct[:, label] - network.direct.mean(axis=1)
    totals: dict[str, float] = {}
    forms: dict[str, str] = {}
    for text in texts[:LONGEST]:
        found = surface(text)
        known = [(phrase, form, network.place[phrase]) for phrase, form in found if phrase in network.place]
        if not known:
            continue
        rows = [number for _, _, number in known]
        worth = (network.rows[rows] @ direction) * network.scales[rows] / np.sqrt(len(rows))
        for (phrase, form, _), value in zip(known, worth.tolist(), strict=True):
            totals[phrase] = totals.get(phrase, 0.0) + value
            forms.setdefault(phrase, form)
    chosen: list[str] = []
    for phrase in sorted(totals, key=lambda one: (-totals[one], one)):
        words = set(phrase.replace("_", " ").split())
        if totals[phrase] <= 0 or len(chosen) == most:
            break
        if words <= STOP or any(words & set(one.replace("_", " ").split()) - STOP for one in chosen):
            continue
        chosen.append(phrase)
    return tuple(forms[phrase] for phrase in chosen)


def surface(text: str) -> list[tuple[str, str]]:
    """The phrases of a sentence with their forms in the text.

    >>> surface("Stood in lines")[-1], surface("Stood in lines")[2]
    (('stood_lin', 'stood ... lines'), ('lin', 'lines'))
    """
    words = WORD.findall(text.lower().replace("’", "'"))
    stems = [stem(word) for word in words]
    found = list(zip(stems, words, strict=True))
    found += [(f"{stems[at]} {stems[at + 1]}", f"{words[at]} {words[at + 1]}") for at in range(len(words) - 1)]
    content = [at for at, one in enumerate(stems) if one not in STOP]
    for one, two in itertools.pairwise(content):
        joint = " " if two == one + 1 else " ... "
        found.append((f"{stems[one]}_{stems[two]}", words[one] + joint + words[two]))
    return found


def strongest(network: PhraseNetwork, name: str, most: int = 10) -> tuple[str, ...]:
    """The stems and phrases that speak most for a scenario, as the network keeps them; single words first in a tie."""
    if name not in network.labels:
        return ()
    label = network.labels.index(name)
    direction = network.direct[:, label] - network.direct.mean(axis=1)
    worth = (network.rows @ direction) * network.scales
    names = list(network.place)
    chosen: list[str] = []
    for at in np.argsort(-worth, kind="stable"):
        words = set(names[at].replace("_", " ").split()) - STOP
        if words and not any(words & set(one.split()) for one in chosen):
            chosen.append(names[at].replace("_", " "))
        if len(chosen) == most:
            break
    return tuple(chosen)
