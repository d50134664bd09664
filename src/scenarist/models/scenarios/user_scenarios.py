"""A name and some twenty stories -> a scenario that `detect`, `read` and `show` know: `scenarist scenarios add`.

The carried network stays as it is. A new label gets weights of its own over the sentence vectors and states, learned by
logistic regression against the network's own score for everything else, on the user's sentences and on a sample of sentence
vectors the package carries (numbers, no text). Words the network does not know (*kite*) get a dimension of their own that speaks
for the new label only. Kept as arrays in the home folder, one file a scenario; the script of the same stories lies beside it
(`learning/scripts.py`).
"""

from __future__ import annotations

import copy
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scenarist.errors import BadInput, Missing
from scenarist.formats.plain import sentences
from scenarist.inventory import known, user_file, user_files
from scenarist.learning.scripts import USER_SCRIPT, learn_user_script
from scenarist.models.scenarios.phrase_network import PhraseNetwork, carried, deciding_words
from scenarist.networks.label_chain import Array, chances
from scenarist.networks.layers import logsumexp, sigmoid
from scenarist.noun import Noun
from scenarist.reading.stems import STOP, phrases, stems
from scenarist.store.home import resource, write_whole

SCHEMA = 1
WEIGHTS = ".npz"
FEWEST = 5
"""Stories below which nothing can be learned."""


class LabelWeights(NamedTuple):
    """A new label's weights."""

    own: Array
    """Over the sentence vector (D)."""
    context: Array
    """Over the state (2 U)."""
    bias: float
    fresh: Array
    """One for each of ``words``, which the network did not know."""
    words: tuple[str, ...]


class LearnedScenario(Noun, frozen=True):
    """What was learned, and how well it does on stories left out."""

    name: str
    stories: int
    sentences: int
    found: float
    """Share of left-out stories whose first label is the new one."""
    false: float
    """Share of the carried sample's sentences taken for it."""
    words: tuple[str, ...]
    """Those of the stories that speak most for it."""
    file: str
    events: int = 0
    """Event types of its script."""


def taught_files() -> list[Path]:
    """The weights of all added scenarios."""
    return [file.path for file in user_files() if file.path.suffix == WEIGHTS]


def taught_names() -> list[str]:
    """The names of all added scenarios."""
    return [read(path)[0] for path in taught_files()]


def forget(name: str) -> Path:
    """Remove an added scenario."""
    path = user_file(name, WEIGHTS)
    if not path.exists():
        raise Missing(f"No scenario {name!r} was added here. Added: {', '.join(taught_names()) or 'none'}.")
    path.unlink()
    user_file(name, USER_SCRIPT).unlink(missing_ok=True)
    return path


def cut(text: str) -> list[str]:
    """The sentences of a story."""
    return [text[span.start : span.stop] for span in sentences(text)]


def teach(name: str, stories: Sequence[str]) -> LearnedScenario:
    """Learn a scenario, keep it, and say how well it does."""
    if known(name):
        raise BadInput(f"{name!r} is in the inventory already: scenarist scenarios show {name!r}")
    if len(stories) < FEWEST:
        raise BadInput(f"expected at least {FEWEST} stories of {name!r} (about twenty are good), got {len(stories)}.")
    path = user_file(name, WEIGHTS)
    texts = [cut(story) for story in stories]
    base = carried()
    sample = reservoir()
    hits = 0
    for fold in range(5):
        train = [one for at, one in enumerate(texts) if at % 5 != fold]
        left = [one for at, one in enumerate(texts) if at % 5 == fold]
        network = extended(base, name, learned(base, train, sample))
        hits += sum(top_label(network, one) == name for one in left)
    weights = learned(base, texts, sample)
    network = extended(base, name, weights)
    vectors, hidden = sample
    score = vectors @ weights.own + hidden @ weights.context + weights.bias
    rest = logsumexp(vectors @ base.direct + hidden @ base.context + base.direct_bias)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, own=weights.own, context=weights.context, bias=np.float32(weights.bias), fresh=weights.fresh,
        words=packed("\n".join(weights.words)),
        name=packed(name), meta=np.array([SCHEMA]),
    )  # fmt: skip
    write_whole(path, [buffer.getvalue()])
    script = learn_user_script(name, stories)
    return LearnedScenario(
        name,
        len(texts),
        sum(map(len, texts)),
        hits / len(texts),
        float((score > rest).mean()),
        deciding_words(network, [text for story in texts for text in story], len(network.labels) - 1, 8),
        str(path),
        len(script.events),
    )


def reservoir() -> tuple[Array, Array]:
    """The carried sample: sentence vectors (N, D) and states (N, 2 U)."""
    with np.load(resource("detector/sample.npz"), allow_pickle=False) as arrays:
        scale = arrays["scales"].astype(np.float32)
        return arrays["vectors"].astype(np.float32) * scale[0], arrays["hidden"].astype(np.float32) * scale[1]


def packed(text: str) -> Array:
    """Text as bytes, for an array file."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def learned(base: PhraseNetwork, texts: Sequence[Sequence[str]], sample: tuple[Array, Array]) -> LabelWeights:
    """The new label's weights, by logistic regression (Adam, a light penalty)."""
    seen: Counter[str] = Counter()
    for story in texts:
        seen.update(
            {
                one
                for text in story
                for one in phrases(stems(text))
                if one not in base.place and one not in STOP and len(one) > 2
            }
        )
    words = [word for word, count in sorted(seen.items()) if count >= 2][:2000]
    place = {word: at for at, word in enumerate(words)}
    runs = [base.scores(story) for story in texts]
    vectors = np.concatenate([run.vectors for run in runs])
    hidden = np.concatenate([run.hidden for run in runs])
    fresh = np.zeros((len(vectors) + len(sample[0]), max(1, len(words))), dtype=np.float32)
    for at, text in enumerate(text for story in texts for text in story):
        phrases_here = phrases(stems(text))
        for one in phrases_here:
            if one in place:
                fresh[at, place[one]] += 1.0 / np.sqrt(len(phrases_here))
    inputs = np.concatenate([np.concatenate([vectors, sample[0]]), np.concatenate([hidden, sample[1]]), fresh], axis=1)
    wanted = np.concatenate([np.ones(len(vectors)), np.zeros(len(sample[0]))])
    rest = logsumexp(
        np.concatenate(
            [run.emission for run in runs] + [sample[0] @ base.direct + sample[1] @ base.context + base.direct_bias]
        )
    )
    weigh = np.where(wanted == 1, 0.5 / wanted.sum(), 0.5 / (1 - wanted).sum())
    weights, bias = np.zeros(inputs.shape[1]), float(np.median(rest))
    first, second = np.zeros(inputs.shape[1] + 1), np.zeros(inputs.shape[1] + 1)
    for step in range(1, 301):
        chance = sigmoid(np.clip(inputs @ weights + bias - rest, -30, 30))
        error = (chance - wanted) * weigh
        slope = np.append(inputs.T @ error + 1e-4 * weights, error.sum())
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope * slope
        move = 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
        weights, bias = weights - move[:-1], bias - float(move[-1])
    wide, deep = vectors.shape[1], hidden.shape[1]
    return LabelWeights(
        weights[:wide].astype(np.float32),
        weights[wide : wide + deep].astype(np.float32),
        bias,
        weights[wide + deep :].astype(np.float32),
        tuple(words),
    )


def read(path: Path) -> tuple[str, LabelWeights]:
    """An added scenario: its name and weights."""
    with np.load(path, allow_pickle=False) as arrays:
        if int(arrays["meta"][0]) != SCHEMA:
            raise BadInput(
                f"{path}: expected an added scenario of schema {SCHEMA}, found {int(arrays['meta'][0])}; add it again."
            )
        text = arrays["words"].tobytes().decode()
        words = tuple(text.split("\n")) if text else ()
        weights = LabelWeights(arrays["own"], arrays["context"], float(arrays["bias"]), arrays["fresh"], words)
        return arrays["name"].tobytes().decode(), weights


def extended(base: PhraseNetwork, name: str, weights: LabelWeights) -> PhraseNetwork:
    """The network with one more label; words new to it get one more dimension, which speaks for that label alone."""
    network = copy.copy(base)
    network.seen = {}
    words = [word for word in weights.words if word not in base.place]
    place = {word: number for number, word in enumerate(weights.words)}
    values = np.array([weights.fresh[place[word]] for word in words], dtype=np.float32)
    old, wide = base.rows.shape
    rows = np.zeros((old + len(words), wide + 1), dtype=np.int8)
    rows[:old, :wide] = base.rows
    rows[old:, wide] = 127
    network.rows = rows
    network.scales = np.concatenate([base.scales, values / 127.0]).astype(np.float32)
    network.place = {**base.place, **{word: old + number for number, word in enumerate(words)}}
    direct = np.zeros((wide + 1, len(base.labels) + 1), dtype=np.float32)
    direct[:wide, :-1] = base.direct
    direct[:wide, -1] = np.append(weights.own, np.zeros(wide - len(weights.own)))
    direct[wide, -1] = 1.0
    network.direct = direct
    network.direct_bias = np.append(base.direct_bias, weights.bias).astype(np.float32)
    network.context = np.concatenate([base.context, weights.context[:, None]], axis=1)
    network.enter = np.append(base.enter, np.median(base.enter)).astype(np.float32)
    network.labels = (*base.labels, name)
    network.gates = {
        side: (np.concatenate([gates[0], np.zeros_like(gates[0][:1])]), *gates[1:])
        for side, gates in base.gates.items()
    }
    return network


def top_label(network: PhraseNetwork, story: Sequence[str]) -> str:
    """The label with the greatest chance over a story, *None* among them."""
    scores = network.scores(story)
    mass = chances(scores.emission, scores.switch, network.enter).sum(axis=0)
    return network.labels[int(mass.argmax())]


def with_taught(base: PhraseNetwork) -> PhraseNetwork:
    """The network with all scenarios the user added."""
    for path in taught_files():
        name, weights = read(path)
        if name not in base.labels:
            base = extended(base, name, weights)
    return base
